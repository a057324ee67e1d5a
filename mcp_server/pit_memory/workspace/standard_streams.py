"""Standard streams that whoever started us has closed."""

import os
import sys


def open_closed_streams() -> tuple[str, ...]:
    """Open nothing in the place of each standard stream that is closed; return their names.

    Else the next file that is opened would be one, and get what is printed. Call it first of all.
    """
    streams = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr}
    closed = tuple(name for name, stream in streams.items() if stream is None)
    if closed:
        while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(descriptor, True)
        os.close(descriptor)
    for number, name in enumerate(streams):
        if name in closed:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
    return closed


def why_no_client(closed: tuple[str, ...]) -> str:
    """Say why no client can be served over standard streams; empty where one can.

    Args:
        closed: streams that were, by `open_closed_streams`.
    """
    needed = " and ".join(name for name in closed if name != "stderr")
    if not needed:
        return ""
    is_closed = "are closed" if " and " in needed else "is closed"
    return (
        f"{needed} {is_closed}, and a client speaks to us over stdin and stdout: start this with "
        "both open, as an MCP client does, or serve over HTTP (--http)"
    )
