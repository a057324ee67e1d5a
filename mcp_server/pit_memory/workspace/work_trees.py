"""Where a work tree begins, and where git keeps what belongs to it: told by `.git`, without git.

Light, because hooks ask it; and it holds for a repository that git refuses to work on.
"""

from pathlib import Path

from pit_memory.core.records import NamedTuple
from pit_memory.workspace.files import read_bytes

_MOST_BYTES = 65_536
"""Of a file that names a folder. A clone from anywhere may hold a FIFO or a device in its place."""


class WorkTree(NamedTuple):
    """A work tree of git's."""

    top: Path
    """Its root, spelled as it was reached."""
    git_dir: Path
    """What git keeps of it alone; symlinks resolved."""


def work_tree_of(path: Path) -> WorkTree | None:
    """Return the work tree that encloses a path; None outside of any.

    Args:
        path: absolute.
    """
    top = toplevel(path)
    own = git_dir(top) if top else None
    return None if top is None or own is None else WorkTree(top, own.resolve())


def toplevel(path: Path) -> Path | None:
    """Return the root of the work tree that encloses a path; None outside of any.

    Args:
        path: absolute.
    """
    for folder in (path, *path.parents):
        if git_dir(folder) is not None:
            return folder
    return None


def git_dir(top: Path) -> Path | None:
    """Return what `.git` of a folder is or names, the worktree's own; None where it is none."""
    entry = top / ".git"
    try:
        if entry.is_dir():
            return entry if (entry / "HEAD").exists() else None
        named = _text(entry)
    except OSError:
        return None
    prefix = "gitdir: "
    return top / named.removeprefix(prefix).rstrip("\n") if named.startswith(prefix) else None


def common_dir(top: Path) -> Path | None:
    """Return the folder that all worktrees of a repository share; None where `top` is no root."""
    own = git_dir(top)
    if own is None:
        return None
    try:
        shared = _text(own / "commondir")
    except OSError:
        return own.resolve()
    return (own / shared.rstrip("\n")).resolve()


def _text(path: Path) -> str:
    return read_bytes(path, _MOST_BYTES).decode("utf-8", "surrogateescape")
