"""Writes that are killed between file, commit and index: nothing lost, and the next one repairs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.wiring import open_services
from tests.builders import git, git_hook, make_repository, write_files
from tests.shared_material import PROJECT

KILLED = """\
import os, sys
from pathlib import Path
from pit_memory.operations.writing import write as writing
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.wiring import open_services
from pit_memory.workspace import commits

root, stage = Path(sys.argv[1]), sys.argv[2]
run = commits._Commit._git

def die(*_, **__):
    os.kill(os.getpid(), 9)

def git(self, *arguments):
    if arguments[0] == stage.removeprefix("before "):
        die()
    done = run(self, *arguments)
    if arguments[0] == stage.removeprefix("after "):
        die()
    return done

commits._Commit._git = git
if stage == "named":
    link = os.link
    os.link = lambda *names, **how: (link(*names, **how), die())
if stage == "index":
    writing.read_back = die
with open_services(root, background="none") as services:
    services.write(WriteRequest("The gateway listens on port 8443.", "reference", "Gateway"))
"""
DRAFT = "docs/_drafts/gateway.md"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    root = make_repository(tmp_path / "p", {"a.txt": "a\n", "docs/x.md": "# X\n"})
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    return root


def kill(root: Path, stage: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, root, stage], cwd=PROJECT / "mcp_server", check=False
    )
    assert done.returncode == -signal.SIGKILL


def write(root: Path, content: str, title: str):
    with open_services(root, background="none") as services:
        return services.write(WriteRequest(content, "reference", title))


@pytest.mark.parametrize(
    "stage", ["before add", "after add", "before commit", "after commit", "index"]
)
def test_the_next_write_finishes_one_that_was_killed(root: Path, stage: str):
    kill(root, stage)
    receipt = write(root, "Zebras graze in the morning.", "Zebras")
    assert receipt.is_written
    told = f"{DRAFT} is of a call that was ended: committed "
    is_committed_before = stage in {"after commit", "index"}
    assert any(note.startswith(told) for note in receipt.notes) != is_committed_before
    assert git(root, "status", "--porcelain", "-uall") == "M  a.txt\n"
    assert git(root, "log", "--format=", "--name-only", "-2").split() == [receipt.place, DRAFT]
    assert not write(root, "Lions sleep at noon.", "Lions").notes


def test_a_commit_that_was_killed_between_branch_and_index_undoes_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pit_memory.workspace.commits._RETRY_SECONDS", 0.1)
    killing = '[ "$1" = committed ] && [ -e .git/index.lock ] && kill -9 $PPID'
    hook = git_hook(root, "reference-transaction", killing, "exit 0")
    kill(root, "after commit")
    hook.unlink()

    assert git(root, "log", "--format=", "--name-only", "-1").split() == [DRAFT]
    assert git(root, "status", "--porcelain", "-uall") == "M  a.txt\n"
    lock = root / ".git/index.lock"
    assert "index.lock" in write(root, "Zebras graze in the morning.", "Zebras").commit.reason
    lock.unlink()  # as git tells people to
    assert write(root, "Lions sleep at noon.", "Lions").commit.state == "committed"
    assert "gateway" not in git(root, "status", "--porcelain", "-uall")


def test_what_was_changed_since_is_the_persons(root: Path):
    kill(root, "before add")
    write_files(root, {DRAFT: "# Mine now\n"})
    assert not write(root, "Zebras graze in the morning.", "Zebras").notes
    assert git(root, "status", "--porcelain", "-uall") == f"M  a.txt\n?? {DRAFT}\n"


def test_what_cannot_be_committed_now_is_told_once(root: Path):
    kill(root, "after add")
    (root / ".git/MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD"))
    receipt = write(root, "Zebras graze in the morning.", "Zebras")
    assert "a merge is in progress" in "".join(receipt.notes)
    assert not write(root, "Lions sleep at noon.", "Lions").notes


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux has files without a name")
def test_a_kill_as_the_file_gets_its_name_leaves_nothing_else_in_the_folder(root: Path):
    kill(root, "named")
    assert [path.name for path in (root / "docs/_drafts").iterdir()] == ["gateway.md"]
