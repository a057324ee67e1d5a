"""States of the machine that tests need: a full or read-only disk, a user without rights."""

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

NOBODY = 65534
READ_ONLY = 1  # MS_RDONLY of mount(2)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Run as nobody where the tests run as root, whom no permission stops."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user can reach (pytest's own are private)."""
    folder = Path(tempfile.mkdtemp(prefix="pit-memory-"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def disk(mounted_at: Path, size: str = "256k") -> Iterator[Path]:
    """A small disk of its own at a folder; skips the test where mounting isn't allowed."""
    _mount(mounted_at, 0, size)
    try:
        yield mounted_at
    finally:
        subprocess.run(["umount", "--lazy", mounted_at], check=True)


def make_read_only(mounted_at: Path) -> None:
    """Make a disk of `disk` read-only."""
    remount = 32  # MS_REMOUNT
    _mount(mounted_at, remount | READ_ONLY, "256k")


def fill(folder: Path, *, but: int) -> None:
    """Write to the disk of a folder until no more than so many bytes fit on it."""
    with (folder / "fill").open("wb", buffering=0) as file:
        with suppress(OSError):
            while True:
                file.write(bytes(4096))
        file.truncate(file.tell() - but)


def _mount(place: Path, flags: int, size: str) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "mount"):
        pytest.skip("no mount(2) here")
    kind = b"tmpfs"
    if library.mount(kind, os.fsencode(place), kind, flags, f"size={size}".encode()) != 0:
        pytest.skip(f"can't mount a disk here: {os.strerror(ctypes.get_errno())}")


def children(process: int | None = None) -> set[int]:
    """Processes that one has started, or this one has (Linux)."""
    found: set[int] = set()
    for listed in Path(f"/proc/{process or 'self'}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            found.update(map(int, listed.read_text().split()))
    return found


def command_line(process: int) -> str:
    """Of a process, with blanks between the arguments; empty where it has ended (Linux)."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""
