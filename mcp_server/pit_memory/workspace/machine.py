"""What of this machine a process may use; a container may get less than there is."""

import math
import os
from contextlib import suppress
from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")
"""Of the container, as seen from within (cgroup v2)."""


def cores(group: Path = _GROUP) -> int:
    """How many cores this process may keep busy, 1 or more.

    Args:
        group: folder of the limits.
    """
    if hasattr(os, "sched_getaffinity"):  # Linux
        found = len(os.sched_getaffinity(0))
    else:
        found = os.cpu_count() or 1
    quota, _, period = _first_line(group / "cpu.max").partition(" ")
    if quota.isdigit() and period.isdigit() and int(period):
        found = min(found, math.ceil(int(quota) / int(period)))
    return max(found, 1)


def memory_bytes(group: Path = _GROUP) -> int:
    """How much memory this process may have at most.

    Args:
        group: folder of the limits.
    """
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _first_line(group / "memory.max")
    return min(found, int(limit)) if limit.isdigit() else found


def _first_line(file: Path) -> str:
    with suppress(OSError):
        return file.read_text().partition("\n")[0]
    return ""
