"""Proof that nothing appeared, vanished or was renamed in some folders since they were listed.

As git's cache of untracked files has it: what changes in a folder changes the folder's own times.
Where that is not so, as on a network, or not so yet, as within the last seconds, there is no proof.
"""

import os
import stat
from collections.abc import Iterable, Mapping

from pit_memory.core.records import NamedTuple
from pit_memory.workspace.mounts import file_system

SETTLED_NS = 2_000_000_000
"""Some disks tell times to the second: what changed later than so long ago may change unseen."""
_KINDS = frozenset(
    ("apfs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs")
)
"""Of file systems where a folder's times can be relied on."""

_Stamp = tuple[int, int, int, int, int]


class Stamps(NamedTuple):
    """What folders, and some files, looked like."""

    folders: Mapping[str, _Stamp]
    """By path relative to a root; the root itself is `.`."""
    files: Mapping[str, _Stamp | None]
    """By absolute path; None for one that is not there."""

    def hold(self, opened: int) -> bool:
        """Tell whether all of them look the same.

        Args:
            opened: the root, as a descriptor.
        """
        for path, before in self.folders.items():
            try:
                status = os.stat(path, dir_fd=opened, follow_symlinks=False)
            except OSError:
                return False
            if _stamp(status) != before:
                return False
        return all(_stamp_of(path) == before for path, before in self.files.items())


def can_prove(root: str) -> bool:
    """Tell whether the times of folders can be relied on.

    Args:
        root: absolute, symlinks resolved.
    """
    return file_system(root) in _KINDS


def take_stamps(
    opened: int, folders: Iterable[str], files: Iterable[str], listed_ns: int
) -> Stamps | None:
    """Remember what folders and files look like; None where that would prove nothing.

    That is so where something of it is younger than so little that it could change unseen, and
    where not all folders are of the root's disk.

    Args:
        opened: a root where that can prove something, as a descriptor.
        folders: relative to it.
        files: absolute; what links lead to counts.
        listed_ns: before their content was looked at, in nanoseconds since 1970.
    """
    device = os.fstat(opened).st_dev
    settled = listed_ns - SETTLED_NS
    found: dict[str, _Stamp] = {}
    for path in folders:
        try:
            status = os.stat(path or ".", dir_fd=opened, follow_symlinks=False)
        except OSError:
            return None
        if status.st_dev != device or status.st_ctime_ns >= settled:
            return None
        if not stat.S_ISDIR(status.st_mode):
            return None
        found[path or "."] = _stamp(status)
    stamps = {path: _stamp_of(path) for path in files}
    if any(stamp and stamp[-1] >= settled for stamp in stamps.values()):
        return None
    return Stamps(found, stamps)


def _stamp(status: os.stat_result) -> _Stamp:
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _stamp_of(path: str) -> _Stamp | None:
    try:
        return _stamp(os.stat(path))  # noqa: PTH116 -- a look asks each time
    except OSError:
        return None
