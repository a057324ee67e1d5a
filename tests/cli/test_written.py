"""A script relies on the exit code: after 0 what it wrote is committed, unless it is not to be."""

import json
import os
from pathlib import Path

import pytest

from pit_memory.workspace.places import facts_folder, places
from tests.builders import git, make_repository
from tests.cli.commands import run

ISSUE = {"number": 12, "title": "Checkout returned 502", "body": "Retry loop", "state": "closed"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    monkeypatch.setenv("PIT_MEMORY_ASSIGNMENT", "acme")
    return make_repository(tmp_path / "p", {"docs/x.md": "# X\n\nold\n"})


@pytest.fixture
def commands(tmp_path: Path) -> dict[str, list[str]]:
    """One command line of each that writes and commits."""
    (tmp_path / "issues.json").write_text(json.dumps([ISSUE]))
    (tmp_path / "facts.jsonl").write_text('{"fact": "Backups run at 02:00."}\n')
    return {
        "remember": ["remember", "--kind", "reference", "The gateway listens on port 8443."],
        "remember a fact": ["remember", "--kind", "fact", "The gateway listens on port 8443."],
        "incidents add": ["incidents", "add", "--title", "Queue full", "--cause", "dead worker"],
        "incidents import": ["incidents", "import", str(tmp_path / "issues.json")],
        "facts store": ["facts", "store", "The deploy window is Tuesday."],
        "facts retract": ["facts", "retract", "FACT", "--reason", "it moved"],
        "facts review": ["facts", "review", "--reject", "FACT", "--reason", "it moved"],
        "facts import": ["facts", "import", str(tmp_path / "facts.jsonl")],
    }


WRITING = [
    "remember",
    "remember a fact",
    "incidents add",
    "incidents import",
    "facts store",
    "facts retract",
    "facts review",
    "facts import",
]


def stored(capsys, root: Path) -> str:
    """Id of a fact that is there and committed; its repository is there, too."""
    words = "Ports are opened by ticket."
    done = run(capsys, "facts", "store", words, "--json", "--root", str(root))
    return str(json.loads(done.out)["document_id"])


@pytest.mark.parametrize("named", WRITING)
def test_written_and_not_committed_is_exit_code_1_and_said(
    capsys, root: Path, commands: dict[str, list[str]], named: str
):
    fact = stored(capsys, root)
    line = [fact if word == "FACT" else word for word in commands[named]]
    merges = [top / ".git/MERGE_HEAD" for top in (root, facts_folder(places(os.environ)))]
    for merge in merges:
        merge.write_text("")
    done = run(capsys, *line, "--root", str(root))
    assert done.code == 1
    assert "written, not committed: a merge is in progress" in done.out + done.err
    assert "exit code 1, as it is written and not committed: mend that" in done.err
    for merge in merges:
        merge.unlink()


@pytest.mark.parametrize("named", WRITING)
def test_written_and_committed_is_exit_code_0(
    capsys, root: Path, commands: dict[str, list[str]], named: str
):
    fact = stored(capsys, root)
    line = [fact if word == "FACT" else word for word in commands[named]]
    done = run(capsys, *line, "--root", str(root))
    assert (done.code, "exit code" in done.err) == (0, False)
    assert git(root, "status", "--porcelain") == ""


def test_what_the_settings_leave_for_later_is_exit_code_0(capsys, root: Path):
    (root / ".pit-memory.toml").write_text('[commit]\nreference = "never"\n')
    done = run(capsys, "remember", "--kind", "reference", "Port is 8443.", "--root", str(root))
    assert done.code == 0
    assert "written, not committed: commit.reference is never" in done.out


def test_a_folder_without_a_repository_is_exit_code_0(capsys, root: Path):
    notes = root.parent / "notes"
    notes.mkdir()
    done = run(capsys, "remember", "--kind", "doc", "Port is 8443.", "--root", str(notes))
    assert done.code == 0
    assert "written, not committed:" in done.out


def test_a_failed_import_is_told_to_programs_as_a_value(
    capsys, root: Path, commands: dict[str, list[str]]
):
    (root / ".git/MERGE_HEAD").write_text("")
    done = run(capsys, *commands["incidents import"], "--json", "--root", str(root))
    assert json.loads(done.out)["outcome"]["state"] == "not committed"
    (root / ".git/MERGE_HEAD").unlink()
    again = run(capsys, *commands["incidents import"], "--json", "--root", str(root))
    assert (again.code, json.loads(again.out)["outcome"]["state"]) == (0, "committed")
