"""Where a work tree begins, and where git keeps what belongs to it: told by `.git`, without git.

Light, because hooks ask it; and it holds for a repository that git refuses to work on.
"""

from pathlib import Path


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
        named = entry.read_text(encoding="utf-8", errors="surrogateescape")
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
        shared = (own / "commondir").read_text(encoding="utf-8", errors="surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return own.resolve()
    return (own / shared.rstrip("\n")).resolve()
