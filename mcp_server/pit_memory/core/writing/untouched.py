"""Say of a refusal that nothing was written: who reads it need not look for half of a write."""

from collections.abc import Iterator
from contextlib import contextmanager

from pit_memory.errors import PathError, SettingsError, UsageError, WriteRefusedError

_SAYS_SO = "nothing was "


@contextmanager
def saying_untouched(what: str = "nothing was written") -> Iterator[None]:
    """Let a refusal of what the block was to write say that nothing was, unless it does already.

    For blocks that raise these errors before they write, if at all.
    """
    try:
        yield
    except (UsageError, SettingsError, PathError, WriteRefusedError) as error:
        if _SAYS_SO not in str(error).casefold():
            error.args = (f"{error}; {what}", *error.args[1:])
        raise
