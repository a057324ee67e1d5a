"""Locks between processes, kept by the kernel.

A lock belongs to an open file, not to a process id in it: the kernel frees it when the process
ends, however it ends. What the lock file holds means nothing.
"""

import errno
import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from pit_memory.errors import StoreBusyError
from pit_memory.workspace.files import DATA_WAY_OUT, make_data_folder, storage_errors

_LOCK_MODE = 0o666  # less the umask
_FIRST_PAUSE = 0.001
_LONGEST_PAUSE = 0.02
"""Seconds between two tries; the pause doubles, so that a long wait costs little."""


class FileLock:
    """An exclusive lock on a file, between processes and between threads.

    Several threads may share one object; one of them holds it at a time. It is not re-entrant: a
    holder that asks again waits for itself. The file is made where it is missing and never removed.
    """

    def __init__(
        self, path: Path, *, timeout: float = 10.0, kept_by_children: bool = False
    ) -> None:
        """Name the lock; nothing is opened yet.

        Args:
            path: the lock file; its folder is made where it is missing.
            timeout: seconds that a `with` block waits.
            kept_by_children: processes that are started with `close_fds=False` hold it, too: what
                a killed process has left running is waited for.
        """
        self.path = path
        self.timeout = timeout
        self._kept_by_children = kept_by_children
        self._held: int | None = None

    def __enter__(self) -> Self:
        """Wait for the lock. Raises StoreBusyError after `timeout` seconds."""
        self.acquire(self.timeout)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free the lock."""
        self.release()

    def try_acquire(self) -> bool:
        """Take the lock if it is free now.

        Raises:
            StorageFullError: the lock file can't be made.
        """
        opened = self._open()
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(opened)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return False
            raise
        if not _is_file_at(opened, self.path):  # removed or replaced between opening and locking
            os.close(opened)
            return False
        os.set_inheritable(opened, self._kept_by_children)
        self._held = opened
        return True

    def acquire(self, timeout: float) -> None:
        """Wait for the lock.

        Args:
            timeout: seconds.

        Raises:
            StoreBusyError: another process or thread held it all that time.
            StorageFullError: the lock file can't be made.
        """
        deadline = time.monotonic() + timeout
        pause = _FIRST_PAUSE
        while not self.try_acquire():
            left = deadline - time.monotonic()
            if left <= 0:
                message = f"{self.path} is held by another process for {timeout:g} s; try again"
                raise StoreBusyError(message)
            time.sleep(min(pause, left))
            pause = min(pause * 2, _LONGEST_PAUSE)

    def release(self) -> None:
        """Free the lock; nothing happens where it isn't held."""
        held, self._held = self._held, None
        if held is not None:
            os.close(held)

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        with storage_errors(self.path, way_out=DATA_WAY_OUT):
            try:
                return os.open(self.path, flags, _LOCK_MODE)
            except FileNotFoundError:
                make_data_folder(self.path.parent)
                return os.open(self.path, flags, _LOCK_MODE)


def _is_file_at(opened: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(opened), path.stat())
    except FileNotFoundError:
        return False
