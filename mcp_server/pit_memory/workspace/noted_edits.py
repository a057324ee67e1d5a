"""Edits in the making, so that a publish that was killed amid them is taken back by the next.

A note says each file's content before and after. What a file holds now tells whether it was edited:
one that holds neither is the person's business.
"""

import base64
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pit_memory.core.records import NamedTuple
from pit_memory.workspace.files import (
    halves_of,
    make_data_folder,
    make_folder,
    read_bytes,
    write_atomic,
)

_MAX_BYTES = 500_000_000


class NotedEdit(NamedTuple):
    """One file that changes."""

    path: Path
    """Absolute."""
    before: bytes | None
    """None where it is made."""
    after: bytes | None
    """None where it is taken away."""


def note_edits(file: Path, edits: Sequence[NotedEdit]) -> None:
    """Note what is about to be edited.

    Raises:
        StorageFullError: it can't be noted.
    """
    make_data_folder(file.parent)
    said = [
        [os.fsencode(edit.path).hex(), _encoded(edit.before), _encoded(edit.after)]
        for edit in edits
    ]
    write_atomic(file, json.dumps(said).encode())


def forget_edits(file: Path) -> None:
    """Forget the note: all is done, or taken back."""
    with suppress(OSError):
        file.unlink()


def noted_edits(file: Path) -> tuple[NotedEdit, ...]:
    """What a process has noted that is gone; empty where none has."""
    try:
        rows = json.loads(read_bytes(file, _MAX_BYTES))
        return tuple(
            NotedEdit(Path(os.fsdecode(bytes.fromhex(path))), _decoded(before), _decoded(after))
            for path, before, after in rows
        )
    except (OSError, ValueError, TypeError):
        return ()


def take_back_noted(edits: Sequence[NotedEdit]) -> tuple[Path, ...]:
    """Put back what was edited, last first; files that somebody changed since stay as they are.

    Returns:
        The files that were put back or removed.

    Raises:
        StorageFullError: no room or no permission; the note still holds.
    """
    done = []
    for edit in reversed(edits):
        _remove_halves(edit)
        if edit.before == edit.after or not _holds(edit.path, edit.after):
            continue
        if edit.before is None:
            edit.path.unlink(missing_ok=True)
        else:
            make_folder(edit.path.parent)
            write_atomic(edit.path, edit.before)
        done.append(edit.path)
    return tuple(done)


def _remove_halves(edit: NotedEdit) -> None:
    """Remove what a killed write of this very content left beside its file."""
    wanted = [text for text in (edit.after, edit.before) if text is not None]
    for half in halves_of(edit.path):
        with suppress(OSError):
            data = read_bytes(half, _MAX_BYTES)
            if any(text.startswith(data) for text in wanted):
                half.unlink()


def _holds(path: Path, content: bytes | None) -> bool:
    try:
        return read_bytes(path, _MAX_BYTES) == content
    except (FileNotFoundError, NotADirectoryError):
        return content is None
    except OSError:
        return False


def _encoded(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _decoded(content: str | None) -> bytes | None:
    return None if content is None else base64.b64decode(content)
