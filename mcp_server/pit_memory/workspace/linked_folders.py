"""Which folders below a root are reached through a symlink, and so may lie outside of it.

Git's index names a file by the folders that it had when it was staged. Where one of them has become
a symlink since, the system would follow it; git takes the file for deleted.
"""

from pathlib import Path


class LinkedFolders:
    """The folders below a root; each is looked at once."""

    def __init__(self, root: str) -> None:
        """Name the root; nothing is looked at yet."""
        self._root = root
        self._links = {"": ""}

    def link_to(self, path: str) -> str:
        """Return the first folder on the way to a path that is a symlink; empty if none is."""
        folder = path.rpartition("/")[0]
        link = self._links.get(folder)
        if link is None:
            link = self.link_to(folder)
            if not link and Path(f"{self._root}/{folder}").is_symlink():
                link = folder
            self._links[folder] = link
        return link
