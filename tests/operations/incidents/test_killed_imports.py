"""Imports that are killed, or run twice at once: no half record, no lock, and the same tree."""

import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.operations.incidents.incident_import import ImportOptions
from pit_memory.wiring import open_services
from tests.builders import git, make_repository, write_files
from tests.shared_material import PROJECT

pytestmark = pytest.mark.timeout(120)

IMPORT = """\
import os, sys
from pathlib import Path
from pit_memory.operations.incidents.incident_import import ImportOptions
from pit_memory.wiring import open_services
from pit_memory.workspace.timed_git import TimedGit

root, source, stage = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def killed(owner, name, is_meant, *, after):
    do = getattr(owner, name)
    def instead(*arguments, **keywords):
        is_now = is_meant(arguments)
        if is_now and not after:
            os.kill(os.getpid(), 9)
        try:
            return do(*arguments, **keywords)
        finally:
            if is_now:
                os.kill(os.getpid(), 9)
    setattr(owner, name, instead)

when, _, what = stage.partition(" ")
if what.isdigit():
    links = []
    count = lambda names: links.append(names) or len(links) == int(what)
    killed(os, "link", count, after=when == "after")
elif what == "sync":
    killed(os, "sync", lambda it: True, after=when == "after")
elif what:
    killed(TimedGit, "run", lambda it: what in it, after=when == "after")
with open_services(root, background="none") as services:
    services.import_incidents(source, sys.stdin, ImportOptions())
"""
RECORDS = 40
STAGES = [
    *("before 1", "after 1", "before 7", "after 20", "before 40", "after 40"),
    *("before sync", "after sync", "before status", "after status"),
    *("before update-index", "after update-index", "before read-tree", "after read-tree"),
    *("before commit", "after commit", "after diff-tree", "before diff-index"),
]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records of which several have one title, and several one id."""
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    lines = [
        json.dumps({"id": number % RECORDS, "title": f"Queue {number % 5}", "body": f"{number}"})
        for number in range(RECORDS + 5)
    ]
    return write_files(tmp_path, {"old.jsonl": "\n".join(lines)}) / "old.jsonl"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = make_repository(tmp_path.resolve() / "shop", {"a.txt": "a\n"})
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    return root


def begin(project: Path, source: Path, stage: str = "") -> "subprocess.Popen[str]":
    words = [sys.executable, "-c", IMPORT, str(project), str(source), stage]
    return subprocess.Popen(words, cwd=PROJECT / "mcp_server", text=True)


def tree_of(project: Path) -> dict[str, str]:
    """The records in HEAD and their texts; nothing of ours lies beside them or is staged."""
    assert git(project, "status", "--porcelain", "--untracked-files=all") == "M  a.txt\n"
    assert not list((project / ".git").rglob("*.lock"))
    files = sorted((project / "docs/incidents").iterdir())
    assert all(file.suffix == ".md" for file in files)
    rows = git(project, "ls-tree", "-r", "HEAD", "docs/incidents").splitlines()
    assert [row.rpartition("/")[2] for row in rows] == [file.name for file in files]
    return {file.name: file.read_text() for file in files}


@pytest.fixture
def undisturbed(tmp_path: Path, source: Path) -> dict[str, str]:
    root = make_repository(tmp_path.resolve() / "other", {"a.txt": "a\n"})
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    with open_services(root, background="none") as services:
        services.import_incidents(str(source), io.StringIO(), ImportOptions())
    return tree_of(root)


@pytest.mark.parametrize("stage", STAGES)
def test_after_a_kill_the_same_import_ends_in_the_same_tree(
    project: Path,
    source: Path,
    undisturbed: dict[str, str],
    stage: str,
    monkeypatch: pytest.MonkeyPatch,
):
    scratch = write_files(project.parent / "scratch", {})
    monkeypatch.setenv("TMPDIR", str(scratch))
    killed = begin(project, source, stage)
    assert killed.wait() == -signal.SIGKILL
    for record in (project / "docs").rglob("*"):
        assert record.is_dir() or record.read_text().endswith("\n")
    again = begin(project, source)
    assert again.wait() == 0
    assert tree_of(project) == undisturbed
    assert list(scratch.glob("pit-memory-*")) == []


def test_two_imports_of_one_file_at_once_make_each_record_once(
    project: Path, source: Path, undisturbed: dict[str, str]
):
    both = [begin(project, source), begin(project, source)]
    assert [it.wait() for it in both] == [0, 0]
    assert tree_of(project) == undisturbed
