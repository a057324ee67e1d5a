"""Locks that the kernel keeps: between processes, between threads, through kill -9."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pit_memory.errors import StorageFullError, StoreBusyError
from pit_memory.workspace.locks import FileLock
from tests.machine import open_folder, without_privileges
from tests.shared_material import PROJECT

HOLD = """
import sys; from pathlib import Path
from pit_memory.workspace.locks import FileLock
with FileLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
COUNT = """
import sys; from pathlib import Path
from pit_memory.workspace.locks import FileLock
lock, number = Path(sys.argv[1]), Path(sys.argv[2])
for _ in range(50):
    with FileLock(lock, timeout=60):
        number.write_text(str(int(number.read_text()) + 1))
"""
ENVIRON = {"PYTHONPATH": str(PROJECT / "mcp_server")}


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds a lock until its stdin closes."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(
        command, env=ENVIRON, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_one_process_holds_a_lock_at_a_time(tmp_path):
    path = tmp_path / "locks" / "store.lock"
    with holder(path) as process:
        assert not FileLock(path).try_acquire()
        process.communicate("")
        assert FileLock(path).try_acquire()


def test_waiting_ends_with_an_error_that_names_the_lock_and_the_time(tmp_path):
    path = tmp_path / "store.lock"
    with holder(path):
        started = time.monotonic()
        with pytest.raises(StoreBusyError, match=r"store.lock is held .* 0.2 s"):
            FileLock(path, timeout=0.2).__enter__()
        assert 0.2 <= time.monotonic() - started < 30


def test_a_waiting_process_gets_the_lock_when_it_becomes_free(tmp_path):
    path = tmp_path / "store.lock"
    with holder(path) as process:
        threading.Timer(0.1, process.kill).start()
        with FileLock(path, timeout=10) as lock:
            assert not lock.try_acquire()


def test_a_killed_holder_leaves_the_lock_free(tmp_path):
    path = tmp_path / "store.lock"
    with holder(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert FileLock(path).try_acquire()


def test_what_the_lock_file_says_means_nothing(tmp_path):
    path = tmp_path / "store.lock"
    path.write_text(str(os.getpid()), encoding="utf-8")
    with FileLock(path):
        assert path.read_text(encoding="utf-8") == str(os.getpid())


def test_processes_that_take_turns_lose_no_update(tmp_path):
    number = tmp_path / "number"
    number.write_text("0", encoding="utf-8")
    command = [sys.executable, "-c", COUNT, str(tmp_path / "lock"), str(number)]
    running = [subprocess.Popen(command, env=ENVIRON) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert number.read_text(encoding="utf-8") == "200"


def test_threads_exclude_each_other_even_on_one_object(tmp_path):
    lock = FileLock(tmp_path / "lock", timeout=10)
    inside: list[int] = []
    together: list[int] = []

    def enter() -> None:
        for _ in range(20):
            with lock:
                inside.append(1)
                together.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [1] * 80


def test_a_lock_is_free_after_an_error_inside(tmp_path):
    path = tmp_path / "lock"
    with pytest.raises(ZeroDivisionError), FileLock(path):
        1 / 0  # noqa: B018 -- the error is the point
    assert FileLock(path).try_acquire()


class LockWhoseFileIsRemoved(FileLock):
    """Its file is removed between being opened and being locked, the first time."""

    removed = False

    def _open(self) -> int:
        opened = super()._open()
        if not self.removed:
            self.removed = True
            self.path.unlink()
        return opened


def test_a_lock_on_a_file_that_is_gone_is_not_taken_for_the_lock(tmp_path):
    lock = LockWhoseFileIsRemoved(tmp_path / "lock")
    assert not lock.try_acquire()
    assert lock.try_acquire()
    assert not FileLock(tmp_path / "lock").try_acquire()


def test_a_child_process_does_not_inherit_the_lock(tmp_path):
    path = tmp_path / "lock"
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with FileLock(path):
        child = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert FileLock(path).try_acquire()
    child.communicate()


def test_a_read_only_data_folder_is_named():
    with open_folder() as folder:
        folder.chmod(0o555)
        with without_privileges(), pytest.raises(StorageFullError, match="permission denied"):
            FileLock(folder / "new" / "lock").try_acquire()


def test_a_lock_that_children_keep_is_held_until_they_have_ended_too(tmp_path):
    path = tmp_path / "lease.lock"
    script = HOLD.replace(
        "with FileLock(Path(sys.argv[1])):",
        "import subprocess\nwith FileLock(Path(sys.argv[1]), kept_by_children=True):\n"
        "    child = subprocess.Popen(['cat'], close_fds=False)",
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        env=ENVIRON | {"PATH": os.environ["PATH"]},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "held\n"
        process.kill()
        process.wait()
        assert not FileLock(path).try_acquire(), "its child goes on"
        process.stdin.close()
        FileLock(path).acquire(20.0)
