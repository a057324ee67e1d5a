"""Files that are here by name and size only: their bytes are with a file provider, in the cloud."""

import os
import sys

_SF_DATALESS = 0x40000000
"""macOS: the bytes are with a file provider, such as iCloud or OneDrive."""
_INLINE_KINDS = frozenset(
    ("9p", "bcachefs", "btrfs", "erofs", "f2fs", "fuseblk", "ntfs", "ntfs3", "virtiofs", "zfs")
)
"""Of file systems that keep small files in their tables, without a block."""
_INLINE_BYTES = 4_096


def is_placeholder(status: os.stat_result, kind: str) -> bool:
    """Tell whether a regular file shows a size and holds no bytes here.

    Args:
        status: of the file.
        kind: of the file system: some keep small files in their tables, without a block.
    """
    if getattr(status, "st_flags", 0) & _SF_DATALESS:
        return True
    if sys.platform == "darwin" or status.st_blocks or not status.st_size:
        return False  # macOS compresses small files into their attributes
    return status.st_size >= _INLINE_BYTES or kind not in _INLINE_KINDS
