"""What the names in a work tree say: its documents, and what has to be looked at for more."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pit_memory.sources.sieve import Sieve
from pit_memory.workspace.git import GitFailure, Printed, Untracked


@dataclass(frozen=True, slots=True)
class Sifted:
    """A listing of git's, sifted; paths are relative to the source's root."""

    documents: Sequence[str]
    """Files that are documents by name, what git tracks first."""
    folders: Collection[str]
    """On the way to them, but for the root."""
    symlinks: Sequence[str]
    """That git tracks."""
    unnamed: Sequence[str]
    """Untracked and without an ending: no documents, but symlinks perhaps."""
    nested: Sequence[str]
    """Submodules and repositories of their own."""
    unreadable: Sequence[str]
    """Folders that git could not open."""
    without_untracked: str
    """Why there is nothing that git doesn't know; empty where that was listed."""
    sieve: Sieve
    """As it is after all these names."""

    @property
    def is_whole(self) -> bool:
        """Tell whether git saw everything, and no other tree is in this one."""
        return not (self.nested or self.unreadable or self.without_untracked)


def sift(printed: Printed, folder: str, sieve: Sieve) -> Sifted:
    """Sift what git printed.

    Args:
        printed: of a work tree, or a folder of one.
        folder: it, relative to the source's root; empty for the root.
        sieve: what it leaves out is in its tally then.
    """
    tracked, untracked = printed.parsed()
    without_untracked = ""
    if isinstance(untracked, GitFailure):
        without_untracked, untracked = untracked.reason, Untracked((), (), ())
    tracked_files = _below(folder, tracked.files)
    new_files = _below(folder, untracked.files)
    sieve.skip_virtual_environments(tracked_files)
    documents = sieve.documents(tracked_files)
    sieve.skip_virtual_environments(new_files)
    unnamed = [path for path in new_files if "." not in path.rpartition("/")[2]]
    documents += sieve.documents(
        [path for path in new_files if "." in path.rpartition("/")[2]] if unnamed else new_files
    )
    return Sifted(
        documents,
        _folders_of(documents),
        _below(folder, tracked.symlinks),
        unnamed,
        _below(folder, (*tracked.submodules, *untracked.repositories)),
        _below(folder, untracked.unreadable),
        without_untracked,
        sieve,
    )


def _folders_of(paths: Sequence[str]) -> Collection[str]:
    waiting = {path.rpartition("/")[0] for path in paths}
    found: set[str] = set()
    while waiting:
        found |= waiting
        waiting = {folder.rpartition("/")[0] for folder in waiting} - found
    return found - {""}


def _below(folder: str, paths: Sequence[str]) -> Sequence[str]:
    return [f"{folder}/{path}" for path in paths] if folder else paths
