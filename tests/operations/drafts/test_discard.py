"""Drafts that a person discards."""

from pathlib import Path

import pytest

from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import draft_desk
from tests.builders import git, git_hook, make_repository, write_files
from tests.operations.drafts.drafts_to_publish import FILES, committed

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path.resolve() / "project", FILES)


def test_a_discarded_draft_is_removed_by_a_commit_alone(root, services):
    write_files(root, {"mine.txt": "staged\n"})
    git(root, "add", "mine.txt")
    (outcome,) = draft_desk(services, "Ada").discard(["other"])
    assert outcome.state == "discarded"
    assert committed(root) == {"docs/_drafts/other.md"}
    assert git(root, "status", "--porcelain") == "M  mine.txt\n"
    assert not services.search(SearchRequest("Another fact here")).hits


def test_a_draft_with_changes_that_are_not_committed_is_not_discarded(root, services):
    write_files(root, {"docs/_drafts/other.md": "changed\n", "docs/_drafts/new.md": "new\n"})
    outcomes = draft_desk(services).discard(["other", "new"])
    assert [outcome.state for outcome in outcomes] == ["refused", "refused"]
    assert (root / "docs/_drafts/other.md").read_text() == "changed\n"


def test_a_discard_that_a_hook_refuses_leaves_draft_and_staging(root, services):
    git_hook(root, "pre-commit", "exit 1")
    write_files(root, {"mine.txt": "staged\n"})
    git(root, "add", "mine.txt")
    (outcome,) = draft_desk(services).discard(["other"])
    assert outcome.state == "refused"
    assert git(root, "status", "--porcelain") == "M  mine.txt\n"
