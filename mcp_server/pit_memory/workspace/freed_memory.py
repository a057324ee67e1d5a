"""Memory that was freed, given back to the machine."""

import ctypes


def give_back_freed_memory() -> None:
    """Let the C library give back what was freed and is kept for later; nothing where it can't.

    glibc has a heap for several threads each and keeps what one of them freed: a model that one
    thread opened and another one replaced would stay, a hundred megabytes after some changes.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
