"""Files: bounded reads, writes that are whole or not there, paths that stay in their root."""

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from pit_memory.core.records import NamedTuple
from pit_memory.errors import PathError, StorageFullError

RACY_NS = 20_000_000
"""Kernels stamp files by a clock with steps of 1 to 10 ms: a file that changed less than this
before it was read may change again without a new time."""

MAX_TEXT_BYTES = 50_000_000
"""A file above this is not text anybody wrote."""

_NEW_FILE_MODE = 0o666  # less the process's umask
_SHOWN_NAME_CHARACTERS = 40  # of the target, in the name of its temporary file
_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_REASONS = {
    errno.ENOENT: "it is not there any more",
    errno.ENOTDIR: "it is not there any more",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "its symlinks run in a circle",
    errno.EIO: "the disk reports an error",
}
_STORAGE_ERRORS = {
    errno.ENOSPC: "the disk is full; free some space",
    errno.EDQUOT: "the disk quota is used up; free some space",
    errno.EFBIG: "the file is larger than this process may write; raise the limit (ulimit -f)",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.EACCES: "permission denied; make the folder writable or choose another",
    errno.EPERM: "permission denied; make the folder writable or choose another",
    errno.ENOENT: "there is no such folder, and none can be made; choose another",
    errno.ENOTDIR: "a file is where a folder should be; move it away",
    errno.EEXIST: "a file is where a folder should be; move it away",
    errno.EISDIR: "a folder is there; move it away",
}

DATA_WAY_OUT = "PIT_MEMORY_DATA=DIR puts pit-memory's data elsewhere"
"""For whoever can't write to the data folder."""

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""What a file system says that knows no second name of a file."""
_NO_UNNAMED = frozenset({errno.EOPNOTSUPP, errno.ENOTSUP, errno.EISDIR, errno.EINVAL, errno.ENOSYS})
"""And one that knows no file without a name; older kernels take the folder for what is meant."""


class FileRead(NamedTuple):
    """The bytes of a file and the stamps it had when they were read."""

    data: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    """0 where the file changed so shortly before that another change could bear the same time: no
    later look can take it for unchanged."""


def read_bytes(path: Path | str, max_bytes: int) -> bytes:
    """Read a regular file whole.

    Raises:
        OSError: it can't be read; EFBIG where it is larger than `max_bytes`, EINVAL where it is not
            a regular file (a FIFO or a device is never waited for). `reason` says it for people.
    """
    return read_file(path, max_bytes).data


def read_file(path: Path | str, max_bytes: int) -> FileRead:
    """Read a regular file whole, with stamps to compare it by later. Raises like `read_bytes`."""
    opened = os.open(path, _READ_FLAGS)
    try:
        before = os.fstat(opened)
        if not stat.S_ISREG(before.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        data = _read_up_to(opened, before.st_size, max_bytes)
        after = os.fstat(opened)
    finally:
        os.close(opened)
    if data is None:
        raise OSError(errno.EFBIG, f"it is larger than {max_bytes:,} bytes", os.fspath(path))
    steady = _stamps(before) == _stamps(after) and not _is_racy(before, time.time_ns())
    return FileRead(data, before.st_size, before.st_mtime_ns, before.st_ctime_ns if steady else 0)


def is_regular(path: str) -> bool:
    """Tell whether a path is a file, no link."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode)


def file_stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes with a file's content: size, time and inode; None where it can't be seen."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def reason(error: OSError) -> str:
    """Say in a few words why a file can't be read."""
    return _REASONS.get(error.errno or 0) or error.strerror or type(error).__name__


def write_atomic(path: Path, data: bytes, *, settle: bool = True) -> None:
    """Write a file whole or not at all: temporary file beside it, fsync, rename.

    A file that is there keeps its mode; a symlink is written through.

    Args:
        path: in a folder that exists.
        data: all of it.
        settle: make sure that it outlives a power cut, which waits for the disk.

    Raises:
        StorageFullError: no room or no permission; nothing half-written remains.
    """
    target = Path(os.path.realpath(path))
    with storage_errors(path):
        _write_over(target, data, _mode_of(target), settle=settle)
        if settle:
            _sync_folder(target.parent)


def write_new(path: Path, data: bytes, *, settle: bool = True) -> None:
    """Write a file that isn't there yet, whole or not at all; what is there is never replaced.

    Args:
        path: in a folder that exists.
        data: all of it.
        settle: make sure that it outlives a power cut; else `settle_files` does, for many at once.

    Raises:
        FileExistsError: something of that name is there, be it made this very moment.
        StorageFullError: no room or no permission; nothing half-written remains.
    """
    exists: FileExistsError | None = None
    with storage_errors(path):
        try:
            if not _write_unnamed(path, data, settle=settle):
                _write_named(path, data)
        except FileExistsError as error:
            exists = error
        if settle:
            _sync_folder(path.parent)
    if exists:
        raise exists


def settle_files() -> None:
    """Make sure that everything written so far outlives a power cut; one wait for all of it."""
    os.sync()


def write_many(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write new files of a folder, each whole or not at all, made sure of together.

    Args:
        folder: it exists.
        files: content by name; a file that is there is replaced.

    Raises:
        StorageFullError: no room or no permission; those written so far stay.
    """
    with storage_errors(folder):
        for name, data in files.items():
            _write_over(folder / name, data, None)
        _sync_folder(folder)


def halves_of(path: Path) -> Iterator[Path]:
    """Files beside a path that writes of it left behind when they were killed."""
    from glob import escape  # hooks import this module, and need no patterns

    shown = escape(path.name[:_SHOWN_NAME_CHARACTERS])
    return path.parent.glob(f".{shown}.{'[0-9a-f]' * 8}.tmp")


def make_folder(path: Path) -> None:
    """Make a folder and its parents where they are missing.

    Raises:
        StorageFullError: it can't be made.
    """
    with storage_errors(path):
        path.mkdir(parents=True, exist_ok=True)


def make_data_folder(path: Path) -> None:
    """Make a folder of pit-memory's data, as `make_folder` does.

    Raises:
        StorageFullError: it can't be made; says how to choose another place.
    """
    with storage_errors(path, way_out=DATA_WAY_OUT):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def storage_errors(path: Path, way_out: str = "") -> Iterator[None]:
    """Turn the OSErrors of a full, read-only or forbidden place into StorageFullError.

    Args:
        path: what is written.
        way_out: what else may be done than the error's own reason says; empty for nothing.
    """
    try:
        yield
    except OSError as error:
        if (why := _STORAGE_ERRORS.get(error.errno or 0)) is None:
            raise
        message = f"can't write {path}: {why}{way_out and '; '}{way_out}"
        raise StorageFullError(message) from error


def resolve_inside(root: Path, relative: str) -> Path:
    """Return the real path of something below a root; it need not exist.

    Raises:
        PathError: empty, absolute, with `..` or NUL, a symlink on the way leaves the root, or it
            is git's own: hooks and settings there are programs, and remotes may hold passwords.
    """
    if why := _why_not_relative(relative):
        message = f"the path {relative!r} {why}; give a path relative to {root}"
        raise PathError(message)
    top = os.path.realpath(root).rstrip("/")
    found = os.path.realpath(f"{top}/{relative}")
    if not f"{found}/".startswith(f"{top}/"):
        message = f"the path {relative!r} leads through a symlink out of {root}; name a file inside"
        raise PathError(message)
    if ".git" in found[len(top) :].lower().split("/"):  # disks of macOS take .GIT for it
        message = f"the path {relative!r} leads into git's own folder; name a file of the work tree"
        raise PathError(message)
    return Path(found)


def _why_not_relative(path: str) -> str | None:
    if not path:
        return "is empty"
    if "\0" in path:
        return "has a NUL sign in it"
    if path.startswith("/"):
        return "is absolute"
    if ".." in path.split("/"):
        return "goes up by `..`"
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return "can't be the name of a file"
    return None


def _read_up_to(opened: int, expected: int, max_bytes: int) -> bytes | None:
    """Read to the end, also of a file that grows meanwhile; None where there is more."""
    if expected > max_bytes:
        return None
    parts: list[bytes] = []
    room = max_bytes + 1
    while room > 0 and (part := os.read(opened, min(room, max(expected + 1, 65_536)))):
        parts.append(part)
        room -= len(part)
    return b"".join(parts) if room > 0 else None


def _stamps(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _is_racy(status: os.stat_result, now_ns: int) -> bool:
    # A stamp from a clock that runs ahead (network disks) says nothing: it counts as old.
    return abs(now_ns - status.st_ctime_ns) < RACY_NS


def _mode_of(target: Path) -> int | None:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return None


def _temporary(path: Path) -> Path:
    """A name beside a path for a file that is being written."""
    return path.with_name(f".{path.name[:_SHOWN_NAME_CHARACTERS]}.{os.urandom(4).hex()}.tmp")


def _write_over(path: Path, data: bytes, mode: int | None, *, settle: bool = True) -> None:
    """Write a file in place of what is there; nothing half-written remains."""
    temporary = _temporary(path)
    try:
        _write_new(temporary, data, mode, settle=settle)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _write_new(path: Path, data: bytes, mode: int | None, *, settle: bool = True) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    opened = os.open(path, flags, _NEW_FILE_MODE)
    try:
        if mode is not None:
            os.fchmod(opened, mode)
        _write_all(opened, data, settle=settle)
    finally:
        os.close(opened)


def _write_all(opened: int, data: bytes, *, settle: bool = True) -> None:
    """Write everything, and make sure that it outlives a power cut."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(opened, rest) :]
    if settle:
        os.fsync(opened)


def _write_unnamed(path: Path, data: bytes, *, settle: bool) -> bool:
    """Write a file that gets its name when it is whole: a kill leaves nothing behind.

    False where this system can't do so; nothing was written then.
    """
    unnamed = getattr(os, "O_TMPFILE", 0)  # Linux alone
    if not unnamed:
        return False
    try:
        opened = os.open(path.parent, unnamed | os.O_WRONLY | os.O_CLOEXEC, _NEW_FILE_MODE)
    except OSError as error:
        if error.errno in _NO_UNNAMED:
            return False
        raise
    try:
        _write_all(opened, data, settle=settle)
        # Given a folder, Python follows the link that /proc has; without one, it doesn't.
        os.link(f"/proc/self/fd/{opened}", path, src_dir_fd=opened, follow_symlinks=True)
    except OSError as error:
        if error.errno in _NO_LINKS | {errno.ENOENT, errno.EXDEV}:  # no /proc, say
            return False
        raise
    finally:
        os.close(opened)
    return True


def _write_named(path: Path, data: bytes) -> None:
    temporary = _temporary(path)
    try:
        _write_new(temporary, data, None)
        _give_name(temporary, path, data)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _give_name(temporary: Path, path: Path, data: bytes) -> None:
    """Give a written file its name, unless another has it: a rename would replace that one."""
    try:
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _write_new(path, data, None)  # it may be seen half-written, but for a moment


def _sync_folder(folder: Path) -> None:
    """Make a rename outlive a power cut."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
