"""Addresses for people: the author's, else the site's, else the forge's, else the file's."""

from pathlib import Path

import pytest

from pit_memory.operations.reading.addresses import Wanted, addresses
from tests.builders import git, make_repository, write_files

PAGE = "# Gateway\n\n## Port and restart\n\nIt listens on 8443.\n"
SITE = "site_name: X\nsite_url: https://x.example/d/\n"
PLACE = Wanted("", "docs/gateway.md", "port-and-restart", (3, 5))


def url(root: Path, place: Wanted = PLACE) -> str | None:
    return addresses([place], {"": root})[place]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "p", {"docs/gateway.md": PAGE})


def publish(root: Path, tmp_path: Path) -> str:
    """Push to a remote that git reaches here and whose address is a forge's; returns the commit."""
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "--quiet", "--bare", str(remote))
    git(root, "remote", "add", "origin", str(remote))
    git(root, "push", "--quiet", "--set-upstream", "origin", "HEAD:main")
    git(root, "remote", "set-url", "origin", "git@github.com:acme/docs.git")
    return git(root, "rev-parse", "HEAD").strip()


def test_without_anything_else_it_is_the_file(project: Path):
    assert url(project) == (project / "docs/gateway.md").as_uri()


def test_a_site_gives_the_page_and_its_own_anchor(project: Path):
    write_files(project, {"mkdocs.yml": SITE})
    assert url(project) == "https://x.example/d/gateway/#port-and-restart"
    whole = Wanted("", "docs/gateway.md", "", None)
    assert url(project, whole) == "https://x.example/d/gateway/"


def test_a_remote_gives_the_lines_of_the_published_commit(project: Path, tmp_path: Path):
    commit = publish(project, tmp_path)
    address = f"https://github.com/acme/docs/blob/{commit}/docs/gateway.md?plain=1#L3-L5"
    assert url(project) == address
    # A commit that nobody else has moves no link while the file is the same.
    git(project, "commit", "--quiet", "--allow-empty", "--message", "Mine alone")
    assert url(project) == address
    assert url(project / "docs", Wanted("", "gateway.md", "", (3, 5))) == address


def test_a_file_that_differs_from_what_is_published_is_linked_as_it_is(
    project: Path, tmp_path: Path
):
    publish(project, tmp_path)
    write_files(project, {"docs/gateway.md": "# Gateway\n\nMoved.\n\n## Port and restart\n"})
    assert url(project) == (project / "docs/gateway.md").as_uri()


def test_a_draft_has_no_link_on_the_site(project: Path, tmp_path: Path):
    write_files(
        project, {"mkdocs.yml": SITE, "docs/_drafts/a.md": f"---\ndraft: true\n---\n{PAGE}"}
    )
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Draft")
    place = Wanted("", "docs/_drafts/a.md", "port-and-restart", (6, 8))
    assert url(project, place) == (project / "docs/_drafts/a.md").as_uri()
    commit = publish(project, tmp_path)
    assert url(project, place) == (
        f"https://github.com/acme/docs/blob/{commit}/docs/_drafts/a.md?plain=1#L6-L8"
    )


def test_what_the_author_says_wins(project: Path):
    front = "---\nsource_url: https://wiki.example/p/7\n---\n"
    write_files(project, {"mkdocs.yml": SITE, "docs/gateway.md": front + PAGE})
    assert url(project) == "https://wiki.example/p/7"
    write_files(project, {"docs/gateway.md": front.replace("https", "javascript") + PAGE})
    assert url(project) == "https://x.example/d/gateway/#port-and-restart"


def test_a_file_that_is_gone_or_an_unknown_source_has_none(project: Path):
    assert url(project, Wanted("", "docs/gone.md", "", None)) is None
    assert url(project, Wanted("elsewhere", "docs/gateway.md", "", None)) is None
