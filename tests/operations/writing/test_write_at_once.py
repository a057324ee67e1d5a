"""Many that write at once: nothing lost, nothing of the person's touched, one line of commits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import git, make_repository, write_files
from tests.shared_material import PROJECT

PROCESSES = 10
WRITES = 2
WRITER = """\
import json, sys
from pathlib import Path
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.wiring import open_services

root, first = Path(sys.argv[1]), int(sys.argv[2])
with open_services(root, background="none") as services:
    print(flush=True)
    sys.stdin.readline()
    for number in range(first, first + int(sys.argv[3])):
        title = sys.argv[4].format(number)
        receipt = services.write(WriteRequest(f"Writer {number} was here.", "reference", title))
        print(json.dumps([receipt.is_written, receipt.commit.state, receipt.is_retrievable,
            receipt.place, receipt.commit.reason, receipt.why_not_retrievable]), flush=True)
"""


def write_at_once(root: Path, processes: int, writes: int, title: str) -> list[list[object]]:
    """Let processes write as soon as all of them are ready; returns what each was told."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, root, str(number * writes), str(writes), title],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=PROJECT / "mcp_server",
            text=True,
        )
        for number in range(processes)
    ]
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == "\n"
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("\n")
        writer.stdin.flush()
    told = []
    for writer in writers:
        out, _ = writer.communicate()
        assert writer.returncode == 0
        told += [json.loads(line) for line in out.splitlines()]
    return told


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    root = make_repository(tmp_path / "p", {"a.txt": "a\n", "b.txt": "b\n", "docs/x.md": "# X\n"})
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    write_files(root, {"a.txt": "changed\n", "b.txt": "changed\n", "c.md": "# Mine\n"})
    return root


@pytest.mark.timeout(180)
def test_twenty_writes_of_ten_processes_are_twenty_files_and_twenty_commits(root: Path):
    before = git(root, "status", "--porcelain", "-uall"), git(root, "diff", "--cached")
    told = write_at_once(root, PROCESSES, WRITES, "Note number {}")
    assert [row[:3] for row in told] == [[True, "committed", True]] * PROCESSES * WRITES, told
    drafts = sorted(f"docs/_drafts/{path.name}" for path in (root / "docs/_drafts").iterdir())
    assert drafts == sorted(str(row[3]) for row in told)
    assert len(drafts) == PROCESSES * WRITES
    commits = git(root, "log", "--format=%P", "--name-only", "main~20..main").split("\n\n")
    assert git(root, "rev-list", "--count", "--min-parents=2", "main") == "0\n"
    assert git(root, "rev-list", "--count", "main") == f"{1 + PROCESSES * WRITES}\n"
    assert len(commits) == PROCESSES * WRITES + 1
    assert (git(root, "status", "--porcelain", "-uall"), git(root, "diff", "--cached")) == before


@pytest.mark.timeout(120)
def test_of_two_that_write_one_name_at_once_one_is_told(root: Path):
    told = write_at_once(root, 2, 1, "The same name")
    assert sorted(bool(row[0]) for row in told) == [False, True]
    (draft,) = (root / "docs/_drafts").iterdir()
    assert "Writer " in draft.read_text()
    assert git(root, "status", "--porcelain", "--", "docs") == ""
