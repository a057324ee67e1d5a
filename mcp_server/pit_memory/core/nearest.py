"""The known name that a mistyped one most likely means."""

from collections.abc import Iterable


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
