"""Mistakes in settings: which of them stop every answer, and how they are told.

A wrong key is ignored and told in every answer, so that it takes search away from nobody. One that
keeps something from being told is not ignored: without it too much would be.
"""

import re
from typing import NamedTuple

from pit_memory.core.settings.settings import KEYS, TABLES
from pit_memory.core.text.nearest import nearest

_SHOWN_VALUE_CHARACTERS = 60
_SECRET = re.compile(r"key|secret|token|passw", re.IGNORECASE)
_KEEPS_OUT = re.compile(
    r"exclu|ignor|skip|omit|hid|priv|secret|den[iy]|block|forbid|audience|allow|only", re.IGNORECASE
)
"""What people may mean to keep something out by, in a key that there is not."""


class Mistake(NamedTuple):
    """A key that was ignored, as it or its value is wrong."""

    key: str
    """As it was written, dotted."""
    message: str
    """Place, key, value, reason and the next step, one line, to whoever is refused for it."""
    problem: str
    """The same to whoever goes on without it."""
    is_trusted: bool
    """It stands where the person speaks; else in a project's file."""


def guards(name: str, value: object) -> bool:
    """Whether a key that can't be honoured may have been meant to keep something from being told.

    Args:
        name: of a key, a table, or of what is neither.
        value: as TOML gives it.
    """
    if name in KEYS:
        return KEYS[name].guards
    if isinstance(value, dict) and value and "." not in name:
        return any(guards(f"{name}.{inner}", each) for inner, each in value.items())
    if name in TABLES:
        return any(key.guards for key in KEYS.values() if key.name.startswith(f"{name}."))
    meant = nearest(name, KEYS)
    return (meant is not None and KEYS[meant].guards) or _KEEPS_OUT.search(name) is not None


def shown_value(name: str, value: object) -> str:
    """A wrong value as a message shows it: cut, and never a secret."""
    shown = repr(value)
    names = shown if isinstance(value, dict | list) else ""
    if _SECRET.search(f"{name} {nearest(name, KEYS) or ''} {names}"):
        return "(not shown)"
    cut = len(shown) > _SHOWN_VALUE_CHARACTERS
    return shown[:_SHOWN_VALUE_CHARACTERS] + "..." if cut else shown
