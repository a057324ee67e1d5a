"""Questions to git, asked of the command: time limits, no optional locks, no `GIT_*` from outside.

No answer is a value (`GitFailure`): callers go on without git and say so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class GitFailure:
    """Why git gave no answer."""

    reason: str
    """One line: git is missing, too slow, or what it printed."""


class GitEntry(NamedTuple):
    """One line of a work tree's listing."""

    path: str
    """Relative to the folder that was listed; bytes that aren't UTF-8 as surrogates."""
    mode: int
    """Mode in the index (0o100644, 0o120000 symlink, 0o160000 submodule); 0 for an untracked file."""


@dataclass(frozen=True, slots=True)
class GitListing:
    """What git says is in a folder of a work tree: tracked files, and untracked ones it doesn't ignore."""

    entries: tuple[GitEntry, ...]
    """Once each. A tracked file may be missing from disk."""
    repositories: tuple[str, ...]
    """Folders that are repositories or submodules of their own; git does not look into them."""
    unreadable: tuple[str, ...]
    """Folders git could not open."""


def toplevel(path: Path) -> Path | None:
    """Return the root of the work tree that encloses a path; None outside of any.

    Found by looking for `.git` upwards, so that it needs no git and holds for a repository that git
    refuses to work on.
    """
    raise NotImplementedError


def common_dir(top: Path) -> Path | GitFailure:
    """Return the folder that all worktrees of a repository share (`.git` of the main one)."""
    raise NotImplementedError


def list_files(folder: Path) -> GitListing | GitFailure:
    """List the files of a folder of a work tree by git's ignore rules."""
    raise NotImplementedError


def list_ignored(folder: Path) -> tuple[str, ...] | GitFailure:
    """List what git ignores in a folder of a work tree; a folder ignored whole ends in `/`."""
    raise NotImplementedError


def is_ignored(folder: Path) -> bool | GitFailure:
    """Tell whether git ignores a folder itself, by a rule for it or for a folder above it."""
    raise NotImplementedError


def head_has(folder: Path, paths: Sequence[str]) -> frozenset[str] | GitFailure:
    """Return those of some paths (relative to a folder) that the commit at HEAD holds."""
    raise NotImplementedError


def version() -> tuple[int, ...] | GitFailure:
    """Return git's version, such as (2, 39, 5)."""
    raise NotImplementedError
