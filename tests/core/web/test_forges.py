"""Permalinks of forges, from what git calls a remote."""

import pytest

from pit_memory.core.web.forges import compare_address, permalink, remote_of

SHA = "a" * 40
NEW = "https://gitlab.com/a/b/-/merge_requests/new"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("git@github.com:acme/docs.git", "https://github.com/acme/docs"),
        ("https://user:secret@github.com/acme/docs.git", "https://github.com/acme/docs"),
        ("ssh://git@gitlab.acme.example:2222/a/b/docs.git", "https://gitlab.acme.example/a/b/docs"),
        ("https://git.gitea.example:3000/acme/docs", "https://git.gitea.example:3000/acme/docs"),
        ("git@codeberg.org:acme/docs", "https://codeberg.org/acme/docs"),
        ("https://bitbucket.org/acme/docs.git", "https://bitbucket.org/acme/docs"),
    ],
)
def test_a_remote_names_its_page_without_any_password(url: str, address: str):
    remote = remote_of(url)
    assert remote is not None
    assert remote.address == address


@pytest.mark.parametrize(
    "url", ["/srv/docs.git", "file:///srv/docs.git", "../docs", "https://git.acme.example/a/b", ""]
)
def test_a_folder_or_an_unknown_host_has_none(url: str):
    assert remote_of(url) is None


def test_a_host_whose_name_does_not_tell_is_named_by_the_settings():
    remote = remote_of("git@git.acme.example:a/b.git", "gitlab")
    assert remote is not None
    assert permalink(remote, SHA, "a b.md", (3, 9)) == (
        f"https://git.acme.example/a/b/-/blob/{SHA}/a%20b.md?plain=1#L3-9"
    )


@pytest.mark.parametrize(
    ("url", "lines", "expected"),
    [
        ("git@github.com:a/b", (3, 9), f"https://github.com/a/b/blob/{SHA}/x.md?plain=1#L3-L9"),
        ("git@github.com:a/b", (3, 3), f"https://github.com/a/b/blob/{SHA}/x.md?plain=1#L3"),
        ("git@github.com:a/b", None, f"https://github.com/a/b/blob/{SHA}/x.md"),
        (
            "git@codeberg.org:a/b",
            (3, 9),
            f"https://codeberg.org/a/b/src/commit/{SHA}/x.md?display=source#L3-L9",
        ),
        ("git@bitbucket.org:a/b", (3, 9), f"https://bitbucket.org/a/b/src/{SHA}/x.md#lines-3:9"),
    ],
)
def test_each_forge_names_lines_in_its_own_way(url, lines, expected):
    remote = remote_of(url)
    assert remote is not None
    assert permalink(remote, SHA, "x.md", lines) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("git@github.com:a/b", "https://github.com/a/b/compare/main...docs/x?expand=1"),
        (
            "git@gitlab.com:a/b",
            f"{NEW}?merge_request%5Bsource_branch%5D=docs/x&merge_request%5Btarget_branch%5D=main",
        ),
        ("git@codeberg.org:a/b", "https://codeberg.org/a/b/compare/main...docs/x"),
        (
            "git@bitbucket.org:a/b",
            "https://bitbucket.org/a/b/pull-requests/new?source=docs/x&dest=main",
        ),
    ],
)
def test_a_pushed_branch_has_an_address_to_propose_it(url, expected):
    remote = remote_of(url)
    assert remote is not None
    assert compare_address(remote, "main", "docs/x") == expected
