"""List and stat one source: which files are documents, and why the others aren't."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pit_memory.core.freshness import SeenFile

Reason = Literal[
    "format",
    "not included",
    "excluded",
    "hidden",
    "node_modules",
    "virtual environment",
    "ignored by git",
    "too large",
    "symlink leaves the root",
    "symlink loop",
    "symlink to nothing",
    "symlink to a folder",
    "symlink to an indexed file",
    "not a regular file",
    "unreadable",
    "name is not UTF-8",
    "worktree of the same repository",
    "submodule is not checked out",
]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Files that aren't indexed for one reason. A folder that is skipped whole counts as one."""

    reason: Reason
    count: int
    examples: tuple[str, ...]
    """The first few paths in order; a folder ends in `/`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Which files of a source are documents."""

    include: tuple[str, ...] = ()
    """Globs (`core.globs`); empty means every file of a known format."""
    exclude: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    """Globs of hidden files and folders that are looked at all the same."""
    max_file_bytes: int = 10_000_000


@dataclass(frozen=True, slots=True)
class Listing:
    """What a look saw."""

    files: tuple[SeenFile, ...]
    """By path, each once."""
    left_out: tuple[LeftOut, ...]
    """By reason."""
    not_looked: tuple[str, ...]
    """Files and folders that could not be looked at: what is known there may still exist."""
    device: int
    """Device number of the root."""
    via: Literal["git", "scandir"]
    notes: tuple[str, ...]
    """What a person should know of this listing, one line each."""


def list_source(root: Path, rules: Rules, *, with_ignored: bool = False) -> Listing:
    """List and stat the documents below a root.

    By git in a work tree, so that its ignore rules hold; by reading folders elsewhere and where git
    ignores the root itself. Nested repositories and submodules are listed as trees of their own.

    Args:
        with_ignored: count what git ignores, too; for `status`, costs a second question to git.

    Raises:
        SourceError: the root is missing, not a folder, or can't be read.
    """
    raise NotImplementedError


def explain_losses(root: Path, lost: Sequence[str], listing: Listing) -> frozenset[str]:
    """Return the lost documents whose loss is meant: a rule leaves them out, or HEAD lacks them too.

    Asked only where a plan is refused.
    """
    raise NotImplementedError
