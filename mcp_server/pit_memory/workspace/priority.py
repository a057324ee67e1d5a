"""How much of the machine a task may take from its user."""

import os
import sys

LOWEST_NICENESS = 19


def lower_process_priority() -> None:
    """Give the whole process the lowest priority for good."""
    os.setpriority(os.PRIO_PROCESS, os.getpid(), LOWEST_NICENESS)


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
