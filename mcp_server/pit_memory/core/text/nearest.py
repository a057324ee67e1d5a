"""The known name that a mistyped one most likely means."""

import posixpath
from collections.abc import Iterable

from pit_memory.core.source import stands_for_folder

_SLIP = 1.01
"""Letters of a name that may be others: with two of them `user` would be `secret` management. A
bit more than one, since the share of those that stay is no whole number."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name nearest to a name or to the last part of a dotted one, if any is."""
    from difflib import get_close_matches  # hooks import this module, and only a mistake needs it

    whole = {each.lower(): each for each in known}
    last = {each.rpartition(".")[2]: each for each in reversed(whole.values())}
    asked = name.lower()
    for choices, wanted in ((whole, asked), (last, asked.rpartition(".")[2])):
        if found := get_close_matches(wanted, choices, 1):
            return choices[found[0]]
    return None


def nearest_path(path: str, known: Iterable[str]) -> str | None:
    """Return the known path whose file has the name of another, or one like it, if any does.

    Of several the one whose folders are most alike; a page that stands for its folder has the
    folder's name.
    """
    from difflib import SequenceMatcher, get_close_matches

    by_name: dict[str, list[str]] = {}
    for each in known:
        by_name.setdefault(_name(each), []).append(each)
    wanted = _name(path)
    found = get_close_matches(wanted, by_name, 1, max(0.0, 1 - _SLIP / max(1, len(wanted))))
    alike = by_name[found[0]] if found else []
    return max(
        alike, key=lambda each: (SequenceMatcher(None, path, each).ratio(), each), default=None
    )


def _name(path: str) -> str:
    folder, name = posixpath.split(posixpath.splitext(path)[0].lower())
    return posixpath.basename(folder) if stands_for_folder(name) else name
