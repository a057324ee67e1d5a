"""What a folder holds by name, read without git, and what was read of a whole tree so."""

import os
from dataclasses import dataclass, field
from typing import NamedTuple


class FolderNames(NamedTuple):
    """The names in a folder."""

    files: list[str]
    """And what else is neither a folder nor a symlink."""
    folders: list[str]
    links: list[str]

    def holds(self, name: str) -> bool:
        """Tell whether a name is among them."""
        return name in self.files or name in self.folders or name in self.links


@dataclass(slots=True)
class TreeNames:
    """What was read from the folders of a tree; paths are relative to the source's root."""

    files: list[str] = field(default_factory=list)
    """And what else is neither a folder nor a symlink."""
    links: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    """All that were read, the tree's own first."""
    holds_trees: bool = False
    """Of git's, or what looks like one."""
    entries_of_top: int = 0


def read_folder(folder: str) -> FolderNames:
    """Return the names in a folder.

    Args:
        folder: absolute.

    Raises:
        OSError: it is gone or can't be read.
    """
    held = FolderNames([], [], [])
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                held.folders.append(entry.name)
            elif entry.is_symlink():
                held.links.append(entry.name)
            else:
                held.files.append(entry.name)
    return held
