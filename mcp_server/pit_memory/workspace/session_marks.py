"""What a session was told already, so that it is told once: one empty file each."""

import os
import time
from contextlib import suppress
from pathlib import Path

from pit_memory.workspace.places import Places, session_marks

KEPT_SECONDS = 14 * 86_400
"""A session that was told nothing new for so long is forgotten; resumed, it is told again."""

_NAME_DIGITS = 240
"""Disks take names of 255 bytes."""


def mark_once(where: Places, session: str, name: str) -> bool:
    """Remember that a session is told something; tell whether this is the first time.

    Hooks of parallel calls may ask at once: one of them is the first. Where nothing can be
    remembered, everything is new.

    Args:
        where: the folders of this person.
        session: the host's id; empty where it gave none.
        name: of what is told, such as the slug of an entry.
    """
    if not session:
        return True
    folder = _folder(where, session)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.close(os.open(folder / _file_name(name), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def forget_session(where: Places, session: str) -> None:
    """Forget what a session was told: its context does not hold it any more."""
    if session:
        _remove(_folder(where, session))


def forget_old_sessions(where: Places) -> None:
    """Forget sessions that are long over."""
    oldest = time.time() - KEPT_SECONDS
    with suppress(OSError):
        for folder in session_marks(where).iterdir():
            if folder.stat().st_mtime < oldest:
                _remove(folder)


def _remove(folder: Path) -> None:
    with suppress(OSError):
        for mark in folder.iterdir():
            mark.unlink()
        folder.rmdir()


def _folder(where: Places, session: str) -> Path:
    return session_marks(where) / _file_name(session)


def _file_name(name: str) -> str:
    """A name that is a file's on any disk and leads nowhere."""
    return name.encode("utf-8", "surrogateescape").hex()[:_NAME_DIGITS]
