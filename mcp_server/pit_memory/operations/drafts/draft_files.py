"""The drafts of a project: where they are, and which one a name means."""

import posixpath
from collections.abc import Iterator
from pathlib import Path

from pit_memory.core.source import MARKDOWN_ENDINGS
from pit_memory.core.text.nearest import nearest
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.errors import NotFoundError


def draft_paths(root: Path) -> list[str]:
    """The drafts of a project, relative to it, in order of their names."""
    return sorted(_below(root, DRAFTS_HOME))


def _below(root: Path, folder: str) -> Iterator[str]:
    try:
        entries = list((root / folder).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        path = f"{folder}/{entry.name}"
        if entry.is_symlink():
            continue  # it may lead anywhere, and moving it would move nothing
        if entry.is_dir():
            yield from _below(root, path)
        elif entry.name.endswith(MARKDOWN_ENDINGS) and not entry.name.startswith("."):
            yield path


def find_draft(root: Path, name: str) -> str:
    """The path of the draft that a name means: its path, its file's name, or that without ending.

    Raises:
        NotFoundError: there is none, or several; names the nearest.
    """
    paths = draft_paths(root)
    wanted = posixpath.normpath(name)
    short = {path: path.removeprefix(f"{DRAFTS_HOME}/") for path in paths}
    for found in (
        [path for path in paths if wanted in (path, short[path])],
        [path for path in paths if wanted == posixpath.splitext(short[path])[0]],
        [path for path in paths if wanted == posixpath.splitext(posixpath.basename(path))[0]],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            message = f"{name} means several drafts: {', '.join(found)}; name one by its path"
            raise NotFoundError(message)
    near = nearest(name, [posixpath.splitext(each)[0] for each in short.values()])
    hint = f"did you mean {near}?" if near else "`pit-memory drafts list` names them"
    message = f"there is no draft {name} in {DRAFTS_HOME}: published, discarded or deleted; {hint}"
    raise NotFoundError(message)
