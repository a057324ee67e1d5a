"""Temporary folders that go with their block, and, where the process is killed, with a later call.

Whoever makes one holds a lock in it, which git and all that it starts inherit: the kernel frees it
when the last of them has ended. A folder whose lock is free belongs to nobody.
"""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "pit-memory-scratch-"
_OWNER = "owner.lock"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder that only this person can look into; it goes with the block.

    Raises:
        OSError: there is no room for one.
    """
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    held = os.open(folder / _OWNER, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        # A folder whose lock nobody ever held is never removed by others: this can't be too late.
        fcntl.flock(held, fcntl.LOCK_EX)
        os.write(held, b"held")
        os.set_inheritable(held, True)  # a git that outlives a kill still works in here
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def remove_abandoned() -> None:
    """Remove the folders of processes that are gone: this person's own, and no symlink."""
    top = tempfile.gettempdir()
    with suppress(OSError), os.scandir(top) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        return
    opened = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.read(opened, 1):
            shutil.rmtree(folder)
    except BlockingIOError:
        pass  # somebody works in it
    finally:
        os.close(opened)
