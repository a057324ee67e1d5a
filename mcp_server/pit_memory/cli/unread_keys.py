"""What a command says of the keys of its input that it did not read."""

from collections.abc import Mapping

from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_name

_SHOWN = 12


def unread_keys(unread: Mapping[str, int], unit: str) -> str:
    """One line: how many keys, and of the first ones the name and how many have it.

    Args:
        unread: key to number of those that have it.
        unit: what has keys: `record`, `line`.
    """
    first = [*unread.items()][:_SHOWN]
    shown = ", ".join(f"{safe_name(key)} ({counted(count, unit)})" for key, count in first)
    left = len(unread) - _SHOWN
    return (
        f"{counted(len(unread), 'key')} not read: {shown}{f', {left} others' if left > 0 else ''}"
    )
