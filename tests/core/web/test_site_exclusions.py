"""Which files the patterns of a site leave out."""

import pytest

from pit_memory.core.web.site_exclusions import is_left_out


@pytest.mark.parametrize(
    ("patterns", "out"),
    [
        (["drafts/"], True),
        (["drafts/", "!drafts/a.md"], False),
        (["!drafts/a.md", "drafts/"], True),
        (["# drafts/", "", "  drafts/  "], True),
        (["# drafts/"], False),
        (["drafts/", r"\!drafts/a.md"], True),
    ],
)
def test_the_last_pattern_that_matches_decides(patterns, out):
    assert is_left_out("drafts/a.md", patterns, unclear_is_out=False) is out


@pytest.mark.parametrize(("path", "pattern"), [("!a.md", r"\!a.md"), ("#a.md", r"\#a.md")])
def test_a_backslash_takes_the_sign_behind_it_literally(path, pattern):
    assert is_left_out(path, [pattern], unclear_is_out=False)
    assert not is_left_out("a.md", [pattern], unclear_is_out=True)


def test_a_pattern_that_cannot_be_read_counts_as_the_one_who_asks_needs_it():
    patterns = ["a[", "b.md"]
    assert [is_left_out("a.md", patterns, unclear_is_out=it) for it in (True, False)] == [
        True,
        False,
    ]
    assert is_left_out("b.md", patterns, unclear_is_out=False)
