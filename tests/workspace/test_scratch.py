"""Temporary folders: gone with their block, or with a later call where their process was killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pit_memory.workspace.scratch import remove_abandoned, scratch_folder
from tests.shared_material import PROJECT

KILLED = """
import os, subprocess, sys
from pathlib import Path
from pit_memory.workspace.scratch import scratch_folder

with scratch_folder() as folder:
    (folder / "index").write_text("x")
    print(folder, flush=True)
    if sys.argv[1] == "with a child":  # as `git_process` starts git
        subprocess.Popen(["sleep", "60"], close_fds=False)
        print("started", flush=True)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield tmp_path
    monkeypatch.setattr("tempfile.tempdir", None)


def kill(how: str) -> tuple[Path, int]:
    """The folder of a process that was killed in it, and the group it was in."""
    done = subprocess.Popen(
        [sys.executable, "-c", KILLED, how],
        cwd=PROJECT / "mcp_server",
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert done.stdout is not None
    folder = Path(done.stdout.readline().strip())
    assert done.wait() == -signal.SIGKILL
    done.stdout.close()
    return folder, done.pid


def test_a_folder_goes_with_its_block_and_nobody_else_can_look_into_it(temporary: Path):
    with scratch_folder() as folder:
        assert folder.parent == temporary
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "index").write_text("x")
        remove_abandoned()
        assert (folder / "index").exists()
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_goes_with_a_later_call(temporary: Path):
    folder, _ = kill("alone")
    assert (folder / "index").exists()
    remove_abandoned()
    assert list(temporary.iterdir()) == []


def test_a_folder_stays_while_a_child_of_the_killed_process_works_in_it(temporary: Path):
    folder, group = kill("with a child")
    remove_abandoned()
    assert (folder / "index").exists()
    os.killpg(group, signal.SIGKILL)
    for _ in range(1_000):  # the kernel frees the lock as it ends the child
        remove_abandoned()
        if not folder.exists():
            break
    assert list(temporary.iterdir()) == []


def test_what_is_not_a_folder_of_ours_stays(temporary: Path):
    held = temporary / "elsewhere"
    held.mkdir()
    (held / "owner.lock").write_text("held")
    (temporary / "pit-memory-scratch-link").symlink_to(held)
    (temporary / "pit-memory-scratch-new").mkdir()
    (temporary / "pit-memory-scratch-begun").mkdir()
    (temporary / "pit-memory-scratch-begun/owner.lock").touch()
    (temporary / "pit-memory-scratch-file").write_text("")
    linked = temporary / "pit-memory-scratch-linked"
    linked.mkdir()
    (linked / "owner.lock").symlink_to(held / "owner.lock")
    before = sorted(temporary.rglob("*"))
    remove_abandoned()
    assert sorted(temporary.rglob("*")) == before


def test_a_folder_of_somebody_else_stays(monkeypatch: pytest.MonkeyPatch):
    folder, _ = kill("alone")
    monkeypatch.setattr("os.getuid", lambda: os.geteuid() + 1)
    remove_abandoned()
    assert (folder / "index").exists()
