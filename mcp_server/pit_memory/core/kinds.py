"""The kinds of knowledge: one table, which every part reads and none repeats."""

from dataclasses import dataclass
from typing import Literal

from pit_memory.core.nearest import nearest
from pit_memory.errors import UnknownCollectionError

Collection = Literal["docs", "incidents", "facts", "memory"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A row: what is written, and how it is found again."""

    name: str
    collection: Collection
    audience: str
    """Who may read it unless the document says otherwise: `team`, `customer`, `ai_internal`."""
    aliases: tuple[str, ...] = ()
    """Other names people give it."""


KINDS = (
    Kind("document", "docs", "team"),
    Kind("reference", "docs", "team", aliases=("doc", "system")),
    Kind("rule", "memory", "team"),
    Kind("gotcha", "memory", "team", aliases=("feedback",)),
    Kind("preference", "memory", "team"),
    Kind("incident", "incidents", "team"),
    Kind("fact", "facts", "ai_internal"),
)

_SEARCHED: dict[str, tuple[Collection, ...]] = {
    "docs": ("docs", "memory"),  # a rule answers a question as well as a page does
    "memory": ("memory",),
    "incidents": ("incidents",),
    "facts": ("facts",),
}


def searched_collections(name: str) -> tuple[Collection, ...]:
    """The collections that a search of one goes through.

    Raises:
        UnknownCollectionError: there is none of that name; the message has the nearest.
    """
    if name in _SEARCHED:
        return _SEARCHED[name]
    near = nearest(name, _SEARCHED)
    guess = f"; did you mean {near}?" if near else ""
    message = f"no collection {name!r}{guess} There are {', '.join(_SEARCHED)}."
    raise UnknownCollectionError(message)
