"""How much of the machine a task may take from its user."""

import os
import sys
from contextlib import suppress
from pathlib import Path

LOWEST_NICENESS = 19


_SESSION_NICENESS = Path("/proc/self/autogroup")
"""Linux shares a desktop out by sessions first: niceness counts within one alone, and the session
has a niceness of its own."""


def lower_process_priority() -> None:
    """Give the whole process the lowest priority for good, and its session where that is its own.

    A process that was started detached has the session for itself: its leader has ended.
    """
    os.setpriority(os.PRIO_PROCESS, os.getpid(), LOWEST_NICENESS)
    leader = os.getsid(0)
    if _SESSION_NICENESS.exists() and (
        leader == os.getpid() or not Path(f"/proc/{leader}").exists()
    ):
        with suppress(OSError):
            _SESSION_NICENESS.write_text(str(LOWEST_NICENESS))


def lower_thread_priority() -> bool:
    """Give the calling thread, and the threads it starts, the lowest priority for good.

    Returns:
        False where a thread has no priority of its own (not Linux): the caller pauses instead.
    """
    if sys.platform != "linux":
        return False
    # Against POSIX, Linux keeps niceness by thread: 0 is the calling one.
    os.setpriority(os.PRIO_PROCESS, 0, LOWEST_NICENESS)
    return True
