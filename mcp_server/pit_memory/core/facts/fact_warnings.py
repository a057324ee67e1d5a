"""What a new fact may repeat or contradict among those of its assignment."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pit_memory.core.facts.facts import Fact
from pit_memory.core.search.likeness import (
    NEARLY_THE_SAME,
    compared_stems,
    have_other_numbers,
    likeness,
    overlap,
)
from pit_memory.core.text.words import folded

_CONTRADICTS = 0.34
"""Likeness from which two facts of one topic speak of the same thing, so that what differs may
contradict: two of three telling words, and another value in the place of the third."""
_SAME_SUBJECT = 0.6
"""Overlap from which a new fact of a topic is held against an old one. A warning costs a glance,
so this asks for less than what puts the newer fact first."""
_NEGATIONS = frozenset(("no", "not", "never", "none", "cannot", "without", "isn", "don", "doesn"))


Kind = Literal["near-duplicate", "contradiction"]


@dataclass(frozen=True, slots=True)
class FactWarning:
    """A fact that is there and may say the same, or the opposite."""

    kind: Kind
    id: str


def warnings_for(new: Fact, others: Iterable[Fact]) -> Iterator[FactWarning]:
    """Compare a fact with others of its assignment.

    Args:
        new: the fact.
        others: that hold now; what it supersedes is not among them.
    """
    for other in others:
        if other.id == new.id:
            continue
        if kind := _compared(new, other):
            yield FactWarning(kind, other.id)
        elif _same_topic(new, other) and overlap(new.text, other.text) >= _SAME_SUBJECT:
            yield FactWarning("contradiction", other.id)


def newest_first(ranked: Sequence[Fact]) -> list[Fact]:
    """Put the newer ones first among facts that say the same, or the opposite, of one thing.

    Args:
        ranked: best first; all others keep their places.
    """
    groups: list[list[int]] = []
    for place, fact in enumerate(ranked):
        alike = (group for group in groups if any(_compared(fact, ranked[at]) for at in group))
        if (group := next(alike, None)) is None:
            groups.append([place])
        else:
            group.append(place)
    ordered = list(ranked)
    for group in groups:
        newest = sorted((ranked[at] for at in group), key=lambda fact: fact.created, reverse=True)
        for place, fact in zip(group, newest, strict=True):
            ordered[place] = fact
    return ordered


def _compared(one: Fact, other: Fact) -> Kind | None:
    alike = likeness(one.text, other.text)
    if alike >= NEARLY_THE_SAME:
        return "contradiction" if _says_otherwise(one.text, other.text) else "near-duplicate"
    return "contradiction" if _same_topic(one, other) and alike >= _CONTRADICTS else None


def _same_topic(one: Fact, other: Fact) -> bool:
    return bool(one.topic) and folded(one.topic) == folded(other.topic)


def _says_otherwise(one: str, other: str) -> bool:
    """Whether each names a value that the other doesn't, or one of them denies."""
    if have_other_numbers(one, other):
        return True
    if bool(_negations(one)) != bool(_negations(other)):
        return True
    stems, others = compared_stems(one), compared_stems(other)
    return bool(stems - others) and bool(others - stems)


def _negations(text: str) -> set[str]:
    return (
        set(folded(text).replace("'", " ").replace("\N{RIGHT SINGLE QUOTATION MARK}", " ").split())
        & _NEGATIONS
    )
