"""Text on standard input, for the commands that take it."""

import sys

from pit_memory.errors import UsageError

_MOST_BYTES = 64_000_000
"""Far more than is written or asked; no endless stream fills the memory."""


def read_missing_argument(what: str) -> str:
    """Read what was not given as an argument.

    Args:
        what: name of the argument.

    Raises:
        UsageError: it is a terminal, where nobody was asked to type; or no UTF-8.
    """
    if sys.stdin.isatty():
        message = f"{what}: it is missing; give it as an argument or on standard input"
        raise UsageError(message)
    return read_text(what)


def read_text(what: str) -> str:
    """Read a text.

    Args:
        what: name of the argument that it stands for.

    Raises:
        UsageError: it is no UTF-8.
    """
    try:
        return _read().decode()
    except UnicodeDecodeError as error:
        message = f"{what}: byte {error.start} of standard input is not UTF-8; it is no text"
        raise UsageError(message) from error


def read_pasted() -> str:
    """Read a log, a trace or the like, of which single bytes may be no text."""
    return _read().decode(errors="replace")


def _read() -> bytes:
    return sys.stdin.buffer.read(_MOST_BYTES)
