"""Removes environments that nobody needs any more. The caller holds the build lock.

An environment goes an hour after its plugin folder got another one, or 30 days after it was last
used, but never while a process runs in it.
Libraries, models and what a team needs go 30 days after they were last used.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from launcher.notes import LOG_NAME, POINTER_NAME, STATE_NAME
from launcher.parts import Parts
from pit_memory.workspace.installation import ABOUT_NAME, installation, is_held
from pit_memory.workspace.places import Places, envs

UNUSED_SECONDS = 30 * 24 * 3600
REPLACED_SECONDS = 3600
"""A session may be about to start in an environment that was replaced just now."""


def remove_leftovers(folder: Path) -> None:
    """Remove what killed builds left in the folder of all environments."""
    for left in folder.glob("building-*"):
        shutil.rmtree(left, ignore_errors=True)


def remove_old(where: Places, current: Parts) -> None:
    """Remove notes, environments, libraries and models that were not used for long."""
    now = time.time()
    needed = {part.name for part in current}
    for pointer in _pointers(where):
        if now - pointer.stat().st_mtime > UNUSED_SECONDS:
            _remove_notes(pointer.parent)
        else:
            needed.add(_environment_of(pointer))
    for environment in [about.parent for about in envs(where).glob(f"*/{ABOUT_NAME}")]:
        age = now - environment.stat().st_mtime
        if environment.name in needed or age < REPLACED_SECONDS or is_held(environment):
            needed |= _libraries_of(environment)
        else:
            remove(environment)
    shared = (envs(where).glob(f"{kind}-*") for kind in ("libraries", "model", "team"))
    for part in chain.from_iterable(shared):
        if part.stem not in needed and now - part.stat().st_mtime > UNUSED_SECONDS:
            remove(part)


def _pointers(where: Places) -> Iterator[Path]:
    for folder, _, files in os.walk(where.data / "roots"):
        if POINTER_NAME in files:
            yield Path(folder, POINTER_NAME)


def _environment_of(pointer: Path) -> str:
    """Return the name of the environment that a pointer file names."""
    python = pointer.read_text(encoding="utf-8", errors="surrogateescape").partition("\n")[0]
    return Path(python).parents[1].name


def _libraries_of(environment: Path) -> set[str]:
    found = installation(environment)
    return set() if found is None else {found.libraries.name, found.model.name, found.team.name}


def _remove_notes(folder: Path) -> None:
    """Remove what is noted about a plugin folder, and the folders that are empty then."""
    for name in (POINTER_NAME, STATE_NAME, LOG_NAME):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):  # another plugin folder's notes are further down
        os.removedirs(folder)


def remove(path: Path) -> None:
    """Remove a file or a folder; half a folder never keeps its name."""
    if path.is_dir():
        left = path.with_name(f"building-old-{path.name}")
        path.rename(left)
        shutil.rmtree(left, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
