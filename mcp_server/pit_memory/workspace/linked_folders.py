"""Which folders below a root are reached through a symlink, and so may lie outside of it.

Git's index names a file by the folders that it had when it was staged. Where one of them has become
a symlink since, the system would follow it; git takes the file for deleted.
"""

import os.path
from collections.abc import Iterable


class LinkedFolders:
    """The folders below a root; each is looked at once."""

    def __init__(self, root: str) -> None:
        """Name the root; nothing is looked at yet."""
        self._root = root
        self._links = {"": ""}

    def any_link(self, folders: Iterable[str]) -> bool:
        """Tell whether any of some folders is a symlink itself; a short way to know of many."""
        islink = os.path.islink
        return any(islink(f"{self._root}/{folder}") for folder in folders)

    def link_to(self, path: str) -> str:
        """Return the first folder on the way to a path that is a symlink; empty if none is."""
        folder = path.rpartition("/")[0]
        link = self._links.get(folder)
        if link is None:
            link = self.link_to(folder)
            # Path.is_symlink raises where a folder is closed; the look at the file says that.
            if not link and os.path.islink(f"{self._root}/{folder}"):  # noqa: PTH114
                link = folder
            self._links[folder] = link
        return link
