"""What kind of disk a folder lies on: looks at a network's are slow, and some show no blocks."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

_NETWORK = re.compile(
    r"nfs\d*|cifs|smb\w*|afpfs|webdav|davfs\d*|ncpfs|ceph|glusterfs|lustre|beegfs|afs|"
    r"fuse\.(?:sshfs|rclone|s3fs|gcsfuse|davfs\d*|glusterfs|ceph|smbnetfs|curlftpfs|onedriver)"
)
_MAC_LINE = re.compile(r"^.+? on (?P<point>/.*) \((?P<kind>\w+)", re.MULTILINE)
_OCTAL = re.compile(r"\\([0-7]{3})")
_MOUNTS = "/proc/self/mountinfo"


def file_system(folder: str) -> str:
    """The kind of file system that a folder lies on, such as `ext4`; empty where that isn't known.

    Args:
        folder: absolute, symlinks resolved.
    """
    return kind_at(folder, _mac_mounts() if sys.platform == "darwin" else _linux_mounts())


def network_at(folder: str) -> str:
    """The kind of the network's file system that a folder lies on; empty where it is none.

    Args:
        folder: absolute, symlinks resolved.
    """
    if sys.platform == "linux" and _is_on_disk(folder):
        return ""  # a look asks each time
    kind = file_system(folder)
    return kind if is_network(kind) else ""


def _is_on_disk(folder: str) -> bool:
    """Tell whether Linux names the disk that a folder lies on; a network has none."""
    try:
        return os.major(Path(folder).stat().st_dev) != 0
    except OSError:
        return False


def kind_at(folder: str, mounts: Sequence[tuple[str, str]]) -> str:
    """The kind of the innermost of some (mount point, kind) around a folder; the last one shows."""
    best = ("", "")
    for point, kind in mounts:
        is_around = folder == point or folder.startswith(point.rstrip("/") + "/")
        if is_around and len(point) >= len(best[0]):
            best = point, kind
    return best[1]


def is_network(kind: str) -> bool:
    """Tell whether a kind of file system is a network's."""
    return _NETWORK.fullmatch(kind) is not None


@lru_cache(1)
def parse_mountinfo(text: str) -> Sequence[tuple[str, str]]:
    """(mount point, kind) of each line of Linux's `mountinfo`; a text seen again costs nothing."""
    found = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if separator and len(fields) > 4:
            found.append((_OCTAL.sub(_sign, fields[4]), after.split(" ", 1)[0]))
    return found


def parse_mount(text: str) -> list[tuple[str, str]]:
    """(mount point, kind) of each line that macOS's `mount` prints."""
    return [(found["point"], found["kind"]) for found in _MAC_LINE.finditer(text)]


def _linux_mounts() -> Sequence[tuple[str, str]]:
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 -- no Path needed
            return parse_mountinfo(file.read())
    except OSError:
        return []


def _mac_mounts() -> list[tuple[str, str]]:
    try:
        done = subprocess.run(
            ["/sbin/mount"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return parse_mount(done.stdout)


def _sign(found: re.Match[str]) -> str:
    return os.fsdecode(bytes([int(found[1], 8)]))
