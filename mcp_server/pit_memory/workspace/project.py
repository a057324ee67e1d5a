"""Which project a command or a hook is about."""

import os
from collections.abc import Mapping
from pathlib import Path

from pit_memory.errors import SourceError
from pit_memory.workspace.places import Places, places
from pit_memory.workspace.work_trees import toplevel


def current_folder() -> Path:
    """Return the folder we are in.

    Raises:
        SourceError: somebody has removed it.
    """
    try:
        return Path.cwd().resolve()
    except FileNotFoundError as error:
        message = (
            "the current folder has been removed; cd to one that is there, start a server again in "
            "one, or name the project with --root"
        )
        raise SourceError(message) from error


def project_root(given: Path | None) -> Path:
    """Return the given folder, else the work tree around the current one, else that.

    Args:
        given: it need not exist.

    Raises:
        SourceError: the current folder is asked for, and somebody has removed it.
    """
    if given is not None:
        return given.absolute().resolve()
    here = current_folder()
    return toplevel(here) or here


def existing_root(given: Path | None) -> Path:
    """Return the project as `project_root` does.

    Raises:
        SourceError: the folder does not exist.
    """
    root = project_root(given)
    if not root.is_dir():
        message = f"{given} is no folder; give the project's with --root"
        raise SourceError(message)
    return root


def places_of(environ: Mapping[str, str]) -> Places:
    """Return our folders, also for a hook whose environment lacks HOME."""
    return places({"HOME": os.path.expanduser("~"), **environ})  # noqa: PTH111 - no Path needed
