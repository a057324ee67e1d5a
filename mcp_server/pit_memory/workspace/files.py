"""Reading and writing files: bounded reads, writes that are whole or not there, paths that stay in their root."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pit_memory.errors import PathError, StorageFullError

RACY_NS = 20_000_000
"""A file system's clock may stand still this long (4 to 10 ms measured steps): a file that changed
less than this before it was read may change again without a new time."""

_NEW_FILE_MODE = 0o666
_STORAGE_ERRORS = {
    errno.ENOSPC: "the disk is full; free some space",
    errno.EDQUOT: "the disk quota is used up; free some space",
    errno.EFBIG: "the file would be larger than this process may write; raise the limit (ulimit -f)",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.EACCES: "permission denied; make the folder writable or choose another",
    errno.EPERM: "permission denied; make the folder writable or choose another",
    errno.ENOTDIR: "a file is where a folder should be; move it away",
}


@dataclass(frozen=True, slots=True)
class FileRead:
    """The bytes of a file and the stamps it had when they were read."""

    data: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    """0 where the file changed so shortly before that another change could bear the same time: no
    later look can take it for unchanged."""


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Read a regular file whole.

    Raises:
        OSError: it can't be read; EFBIG where it is larger than `max_bytes`, EINVAL where it is not
            a regular file (a FIFO or a device is never waited for). `reason` says it for people.
    """
    return read_file(path, max_bytes).data


def read_file(path: Path, max_bytes: int) -> FileRead:
    """Read a regular file whole, with the stamps to compare it by later. Raises like `read_bytes`."""
    raise NotImplementedError


def reason(error: OSError) -> str:
    """Say in a few words why a file can't be read."""
    raise NotImplementedError


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: temporary file beside it, fsync, rename.

    A file that is there keeps its mode; a symlink is written through.

    Raises:
        StorageFullError: no room or no permission; nothing half-written remains.
    """
    raise NotImplementedError


def make_folder(path: Path) -> None:
    """Make a folder and its parents where they are missing.

    Raises:
        StorageFullError: it can't be made.
    """
    with storage_errors(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn the OSErrors of a full, read-only or forbidden place into StorageFullError."""
    try:
        yield
    except OSError as error:
        if (why := _STORAGE_ERRORS.get(error.errno or 0)) is None:
            raise
        message = f"can't write {path}: {why}"
        raise StorageFullError(message) from error


def resolve_inside(root: Path, relative: str) -> Path:
    """Return the real path of something below a root; it need not exist.

    Raises:
        PathError: empty, absolute, with `..` or NUL, or a symlink on the way leaves the root.
    """
    raise NotImplementedError
