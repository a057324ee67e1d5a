"""Publishing and git: what is committed, what stays the person's, what a killed run left."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pit_memory.errors import WriteRefusedError
from pit_memory.operations.drafts.publish import Approved
from pit_memory.wiring import draft_desk, open_services
from tests.builders import git, git_hook, make_repository, write_files
from tests.operations.drafts.drafts_to_publish import (
    DRAFT,
    FILES,
    MKDOCS,
    TARGET,
    committed,
)

if TYPE_CHECKING:
    from pit_memory.core.writing.draft_cards import PublishOutcome

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path.resolve() / "project", FILES)


def test_what_the_person_has_staged_and_changed_stays_theirs(root, publish):
    write_files(root, {"mine.txt": "staged\n"})
    git(root, "add", "mine.txt")
    write_files(root, {"docs/index.md": "# Mine\n\n[port](_drafts/gateway-port.md)\n"})
    before = git(root, "status", "--porcelain")
    outcome = publish()
    assert outcome.state == "published"
    assert git(root, "status", "--porcelain") == before
    assert any("docs/index.md:3" in note and TARGET in note for note in outcome.notes)


def test_a_configuration_with_changes_of_the_person_is_left_and_the_line_named(root, publish):
    write_files(root, {"mkdocs.yml": MKDOCS + "# mine\n"})
    outcome = publish()
    assert outcome.state == "published"
    (note,) = outcome.notes
    assert "- Gateway port: reference/gateway-port.md" in note
    assert (root / "mkdocs.yml").read_text() == MKDOCS + "# mine\n"


def test_a_draft_that_git_never_saw_is_published(root, publish):
    write_files(root, {"docs/_drafts/new.md": "---\ndraft: true\n---\n# New\n\nA new fact.\n"})
    outcome = publish("new")
    assert (outcome.state, outcome.target) == ("published", "docs/reference/new.md")
    assert git(root, "status", "--porcelain") == ""


def test_nothing_is_published_during_a_merge(root, services):
    (root / ".git/MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD"))
    with pytest.raises(WriteRefusedError, match="a merge is in progress"):
        draft_desk(services, "Ada").publish([Approved("gateway-port")])
    assert (root / "docs/_drafts/gateway-port.md").exists()


def test_a_commit_that_a_hook_refuses_takes_everything_back(root, publish):
    git_hook(root, "pre-commit", "echo 'no commits on Fridays' >&2", "exit 1")
    outcome = publish()
    assert outcome.state == "refused"
    assert "no commits on Fridays" in outcome.reason
    assert git(root, "status", "--porcelain") == ""
    assert (root / "docs/_drafts/gateway-port.md").read_text() == DRAFT
    assert not (root / TARGET).exists()


def test_two_wrapups_at_once_publish_a_draft_once(root):
    outcomes: list[PublishOutcome] = []

    def wrap_up() -> None:
        with open_services(root, background="none") as services:
            outcomes.extend(
                draft_desk(services, "Ada").publish([Approved("gateway-port"), Approved("other")])
            )

    threads = [threading.Thread(target=wrap_up) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    states = sorted(outcome.state for outcome in outcomes)
    assert states == ["published", "published", "refused", "refused"]
    assert git(root, "rev-list", "--count", "HEAD").strip() == "3"
    assert git(root, "status", "--porcelain") == ""


def test_without_a_repository_the_files_move_all_the_same(tmp_path: Path):
    root = write_files(tmp_path.resolve() / "plain", FILES)
    with open_services(root, background="none") as services:
        (outcome,) = draft_desk(services, "Ada").publish([Approved("gateway-port")])
    assert outcome.state == "published"
    assert outcome.commit is not None
    assert outcome.commit.state == "no repository"
    assert (root / TARGET).exists()


def test_a_project_below_the_top_of_its_repository_commits_its_own_paths(tmp_path: Path):
    top = make_repository(
        tmp_path.resolve() / "mono", {f"handbook/{path}": data for path, data in FILES.items()}
    )
    write_files(top, {"code.py": "x = 1\n"})
    with open_services(top / "handbook", background="none") as services:
        (outcome,) = draft_desk(services, "Ada").publish([Approved("gateway-port")])
    assert (outcome.state, outcome.target) == ("published", TARGET)
    assert f"handbook/{TARGET}" in committed(top)
    assert git(top, "status", "--porcelain") == "?? code.py\n"


def test_what_the_person_staged_of_a_draft_is_published_as_it_is_on_disk(root, publish):
    write_files(root, {"docs/_drafts/gateway-port.md": DRAFT + "\nStaged.\n"})
    git(root, "add", "docs/_drafts/gateway-port.md")
    write_files(root, {"docs/_drafts/gateway-port.md": DRAFT + "\nOn disk.\n"})
    assert publish().state == "published"
    assert "On disk." in git(root, "show", f"HEAD:{TARGET}")
    assert git(root, "status", "--porcelain") == ""


def test_staged_changes_of_files_that_would_change_are_left_alone(root, publish):
    write_files(root, {"docs/runbook.md": "# Mine\n\ndocs/_drafts/gateway-port.md\n"})
    git(root, "add", "docs/runbook.md")
    outcome = publish()
    assert outcome.state == "published"
    assert git(root, "status", "--porcelain") == "M  docs/runbook.md\n"
    assert any("docs/runbook.md:3" in note for note in outcome.notes)


def test_a_draft_on_a_branch_without_any_commit(tmp_path: Path):
    root = write_files(tmp_path.resolve() / "unborn", FILES)
    git(root, "init", "--quiet")
    with open_services(root, background="none") as services:
        (outcome,) = draft_desk(services, "Ada").publish([Approved("gateway-port")])
    assert outcome.state == "published"
    assert (root / TARGET).exists()


@pytest.mark.parametrize("moment", ["amid the edits", "before the commit", "staged"])
@pytest.mark.parametrize("is_changed", [False, True])
def test_a_publish_that_was_killed_is_taken_back_by_the_next(
    root, publish, monkeypatch, moment, is_changed
):
    class Killed(BaseException):
        """Nothing of ours handles it, as nothing handles a kill."""

    def killed(*_: object, **__: object) -> None:
        raise Killed

    (root / "mine.txt").write_text("staged\n")
    git(root, "add", "mine.txt")
    with monkeypatch.context() as patch:
        if moment == "amid the edits":
            patch.setattr("pit_memory.operations.drafts.file_edits.write_atomic", killed)
        else:
            patch.setattr("pit_memory.operations.drafts.publish.commit_files", killed)
        with pytest.raises(Killed):
            publish("gateway-port")
    assert (root / TARGET).exists()
    if moment == "staged":
        git(root, "add", TARGET)
    (root / ".mkdocs.yml.0a1b2c3d.tmp").write_bytes(b"site_name")
    (root / ".mkdocs.yml.0a1b2c3e.tmp").write_bytes(b"somebody's")
    if is_changed:
        (root / "docs/index.md").write_text("# Mine now\n")

    outcome = publish("gateway-port")

    assert outcome.state == "published"
    assert "killed before its commit: " in outcome.notes[0]
    assert not (root / ".mkdocs.yml.0a1b2c3d.tmp").exists()
    (root / ".mkdocs.yml.0a1b2c3e.tmp").unlink()
    mine = " M docs/index.md\n" * is_changed + "M  mine.txt\n"
    assert git(root, "status", "--porcelain") == mine
    if is_changed:
        assert (root / "docs/index.md").read_text() == "# Mine now\n"


def test_what_was_committed_is_not_taken_back(root, publish, monkeypatch):
    class Killed(BaseException):
        """As above."""

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pit_memory.operations.drafts.publish.forget_edits", killed)
        with pytest.raises(Killed):
            publish("gateway-port")
    assert publish("other").state == "published"
    assert (root / TARGET).exists()
    assert git(root, "status", "--porcelain") == ""
