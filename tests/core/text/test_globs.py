"""Globs mean what .gitignore means by them."""

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pit_memory.core.text.globs import Globs
from pit_memory.errors import UsageError
from tests.builders import make_repository

CASES = [
    # pattern, covered, not covered
    ("*.md", ["a.md", "x/y/a.md", ".md"], ["a.mdx", "a.md.txt"]),
    ("**/*.md", ["a.md", "x/y/a.md"], ["a.txt"]),
    ("docs", ["docs/", "docs/a/b.md", "x/docs/a.md", "docs"], ["docs2/a.md", "mydocs/a.md"]),
    ("docs/", ["docs/", "docs/a.md", "x/docs/a.md"], ["docs", "x/docs"]),
    ("/docs", ["docs/a.md"], ["x/docs/a.md"]),
    ("./docs", ["docs/a.md"], ["x/docs/a.md"]),
    ("docs/*.md", ["docs/a.md"], ["docs/x/a.md", "x/docs/a.md"]),
    ("docs/**", ["docs/a.md", "docs/x/a.md"], ["docs", "docs2/a"]),
    ("docs/**/v1/*.md", ["docs/v1/a.md", "docs/x/y/v1/a.md"], ["docs/v1/x/a.md", "docs/v2/a.md"]),
    ("**/v1/**/api", ["v1/api", "x/v1/y/api/a.md"], ["api/v1", "v1/apix"]),
    ("a?c", ["abc", "x/a.c"], ["ac", "abbc", "a/c"]),
    ("[a-c].md", ["a.md", "c.md"], ["d.md", "ab.md"]),
    ("[!a-c].md", ["d.md"], ["a.md", "/.md"]),
    ("[]x].md", ["].md", "x.md"], ["y.md"]),
    (r"\*.md", ["*.md"], ["a.md"]),
    ("a*b*c", ["abc", "aXbYc", "abbcc"], ["ab", "acb", "a/b/c"]),
    ("*", ["a", ".hidden", "x/y"], []),
    ("**", ["a", "x/y.md"], []),
    ("page #1 @50%.md", ["page #1 @50%.md"], ["page.md"]),
    ("new\nline.md", ["x/new\nline.md"], ["new"]),
    ("über.md", ["über.md"], ["u\u0308ber.md"]),
]


@pytest.mark.parametrize(("pattern", "covered", "uncovered"), CASES)
def test_a_pattern_covers_what_its_words_say(pattern, covered, uncovered):
    globs = Globs((pattern,))
    assert [path for path in covered if not globs.match(path)] == []
    assert [path for path in uncovered if globs.match(path)] == []


def test_several_patterns_cover_what_any_of_them_covers():
    globs = Globs(("a.md", "docs/"))
    assert globs.match("a.md")
    assert globs.match("docs/x")
    assert not globs.match("b.md")


def test_no_pattern_covers_nothing():
    assert not Globs(())
    assert not Globs(()).match("a")


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("", "empty"),
        ("/", "empty"),
        ("!a", "`!`"),
        ("../a", "out of its root"),
        ("a/../../b", "out of its root"),
        ("a\0", "out of its root"),
        ("[a", "not closed"),
        ("[z-a]", "range"),
        ("a\\", "backslash"),
    ],
)
def test_a_pattern_that_means_nothing_is_refused_with_the_reason(pattern, named):
    with pytest.raises(UsageError, match="glob") as caught:
        Globs((pattern,))
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "leads", "elsewhere"),
    [
        (".claude/skills/", [".claude/"], [".claude/x/", ".github/", ".claude/skills/"]),
        ("a/*/c", ["a/", "a/b/"], ["b/", "a/b/c/"]),
        ("a/**/c", ["a/", "a/b/", "a/b/d/"], ["b/"]),
        (".github", [], [".github/", "x/"]),
        ("**/c", [], ["a/"]),
    ],
)
def test_the_way_to_what_a_pattern_covers_is_known(pattern, leads, elsewhere):
    globs = Globs((pattern,))
    assert [folder for folder in leads if not globs.leads_to(folder)] == []
    # at the pattern itself the question is `match`, except below a `**`
    assert [folder for folder in elsewhere if globs.leads_to(folder)] == []


NAME = st.text("ab.", min_size=1, max_size=3).filter(lambda name: name not in {".", ".."})
PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)
GLOB_NAME = st.one_of(st.text("ab.*?", min_size=1, max_size=4), st.sampled_from(["**", "[ab]"]))
PATTERN = st.builds(
    lambda start, names, end: start + "/".join(names) + end,
    st.sampled_from(["", "/"]),
    st.lists(
        GLOB_NAME.filter(lambda name: name not in {".", ".."} and "***" not in name),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["", "/"]),
).filter(lambda pattern: pattern.replace("**", "").strip("/") != "")


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return make_repository(tmp_path_factory.mktemp("globs") / "repository", {})


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pattern=PATTERN, paths=st.lists(PATH, min_size=1, max_size=12, unique=True))
def test_git_ignores_exactly_what_a_pattern_covers(repository, pattern, paths):
    ignored = _ignored_by_git(repository, pattern, paths)
    globs = Globs((pattern,))
    assert {path for path in paths if globs.match(path)} == ignored, pattern


def _ignored_by_git(repository: Path, pattern: str, paths: list[str]) -> set[str]:
    (repository / ".gitignore").write_text(pattern + "\n", encoding="utf-8")
    command = ["git", "check-ignore", "--stdin", "-z", "--no-index"]
    asked = "\0".join(paths).encode()
    done = subprocess.run(command, cwd=repository, input=asked, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


@pytest.mark.parametrize(
    "pattern", ["*a" * 20 + "*b", "**/a/" * 20 + "b", "a" + "*" * 200 + "b", "[a]*" * 30 + "b"]
)
def test_no_pattern_of_a_stranger_makes_matching_slow(pattern):
    globs = Globs((pattern,))
    started = time.process_time()
    globs.match("a" * 250)
    globs.match("a/" * 2_000)
    assert time.process_time() - started < 0.2
