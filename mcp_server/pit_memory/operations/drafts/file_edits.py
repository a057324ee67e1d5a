"""Edits of files that are made all or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.errors import StorageFullError, WriteRefusedError
from pit_memory.workspace.commits import Changed
from pit_memory.workspace.files import (
    make_folder,
    read_bytes,
    storage_errors,
    write_atomic,
    write_new,
)

MAX_EDITED_BYTES = 50_000_000
"""Of a file that an edit reads whole."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file that changes."""

    path: str
    """Relative to the root."""
    before: bytes | None
    """None where it is made."""
    after: bytes | None
    """None where it is taken away."""


def apply_edits(root: Path, edits: Sequence[FileEdit]) -> None:
    """Change files; whatever stops one takes the others back.

    Raises:
        WriteRefusedError: a file is not what the edit was made of.
        StorageFullError: no room or no permission.
    """
    done: list[FileEdit] = []
    try:
        for edit in edits:
            _apply(root, edit)
            done.append(edit)
    except (StorageFullError, WriteRefusedError, OSError):  # all or nothing
        take_back_edits(root, done)
        raise


def take_back_edits(root: Path, edits: Sequence[FileEdit]) -> None:
    """Undo changes that were written."""
    for edit in reversed(edits):
        path = root / edit.path
        if edit.before is None:
            path.unlink(missing_ok=True)
        else:
            make_folder(path.parent)
            write_atomic(path, edit.before)


def changed_by(edits: Sequence[FileEdit], prefix: str) -> Changed:
    """The files of edits that were made, as a commit names them.

    Args:
        edits: what they take away, git knows.
        prefix: POSIX path of their root from the top of the work tree; `.` for the top itself.
    """
    below = "" if prefix == "." else f"{prefix}/"
    paths = {edit.path: below + edit.path for edit in edits}
    return Changed(
        created=[paths[edit.path] for edit in edits if edit.before is None],
        removed=[paths[edit.path] for edit in edits if edit.after is None],
        edited=[
            paths[edit.path] for edit in edits if edit.before is not None and edit.after is not None
        ],
    )


def _apply(root: Path, edit: FileEdit) -> None:
    path = root / edit.path
    if edit.before is None:
        make_folder(path.parent)
        try:
            write_new(path, edit.after or b"")
        except FileExistsError as error:
            message = f"{edit.path} has just been made by somebody else; look at it first"
            raise WriteRefusedError(message) from error
        return
    try:
        there = read_bytes(path, MAX_EDITED_BYTES)
    except OSError:
        there = None
    if there != edit.before:
        message = f"{edit.path} has changed meanwhile; look at it, then try again"
        raise WriteRefusedError(message)
    with storage_errors(path):
        if edit.after is None:
            path.unlink()
        else:
            write_atomic(path, edit.after)
