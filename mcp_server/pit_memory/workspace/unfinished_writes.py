"""Writes in the making, so that one that was killed is finished by the next.

Each is a small file that says what is written, locked by the process that writes: the kernel frees
the lock of a process that is gone. Where it can't be kept, a write goes on without.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pit_memory.workspace.files import read_bytes
from pit_memory.workspace.places import Places, unfinished_writes

_MOST_BYTES = 10_000_000
_NEW = ".new"
"""Ends the name of one that isn't locked yet."""


@dataclass(frozen=True, slots=True)
class Written:
    """A new file."""

    kind: str
    title: str
    path: Path
    """Absolute."""


class Unfinished:
    """A write in the making."""

    def __init__(self, opened: int | None) -> None:
        self._opened = opened

    def note(self, written: Written, data: bytes) -> None:
        """Say which file is made next, and what will be in it."""
        if self._opened is None:
            return
        said = {
            "kind": written.kind,
            "title": written.title,
            "path": os.fsencode(written.path).hex(),
            "digest": sha256(data).hexdigest(),
        }
        with suppress(OSError):
            os.ftruncate(self._opened, 0)
            os.pwrite(self._opened, json.dumps(said).encode(), 0)


@contextmanager
def unfinished_write(where: Places, root: Path) -> Iterator[Unfinished]:
    """Keep a write in mind until the block is left, be it by an error."""
    file = unfinished_writes(where, root) / os.urandom(8).hex()
    opened = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(file.name + _NEW)
        opened = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(file)
    except OSError:
        if opened is not None:
            os.close(opened)
        opened = None
    try:
        yield Unfinished(opened)
    finally:
        if opened is not None:
            with suppress(OSError):
                file.unlink()
            os.close(opened)


def abandoned_writes(where: Places, root: Path) -> Iterator[Written]:
    """Yield what processes have written that are gone, once; none that was changed since."""
    try:
        files = sorted(unfinished_writes(where, root).iterdir())
    except OSError:
        return
    for file in files:
        if file.suffix == _NEW:
            continue
        try:
            opened = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if written := _as_written(file):
                yield written
            file.unlink(missing_ok=True)
        except OSError:
            continue  # its process is at work
        finally:
            os.close(opened)


def _as_written(file: Path) -> Written | None:
    try:
        said = json.loads(file.read_bytes())
        written = Written(
            said["kind"], said["title"], Path(os.fsdecode(bytes.fromhex(said["path"])))
        )
        data = read_bytes(written.path, _MOST_BYTES)
        is_same = sha256(data).hexdigest() == said["digest"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return written if is_same else None
