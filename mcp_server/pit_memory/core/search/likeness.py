"""How alike two texts are, by their words: enough to tell the same said again."""

import re
from collections.abc import Iterator
from functools import lru_cache

from pit_memory.core.search.queries import telling_stems

NEARLY_THE_SAME = 0.6
"""Likeness from which one text most likely says what the other says. Two different facts of one
subject seldom share more than half of their telling words."""

_REMEMBERED_TEXTS = 64
"""Whoever compares some texts compares each of them with many others."""
_FEWEST_SHARED = 3
"""Telling words beside the numbers that two sentences share where they speak of one thing."""
_SENTENCE_ENDS = re.compile(
    r"(?<=[.!?])\s+(?=\W?[A-Z\u00c0-\u00de])|\n\s*\n|\n(?=\s*(?:[-*+|#]|\d+[.)]\s))"
)
_NUMBERED = re.compile(r"[\w.:/-]*\d[\w.:/-]*")


@lru_cache(_REMEMBERED_TEXTS)
def compared_stems(text: str) -> frozenset[str]:
    """The telling words of a text, stemmed, as texts are compared by them."""
    return telling_stems(text)


def likeness(one: str, other: str) -> float:
    """The share of telling words that two texts have in common, 0 to 1 (Jaccard, stemmed)."""
    stems, others = compared_stems(one), compared_stems(other)
    return len(stems & others) / len(stems | others) if stems or others else 0.0


def overlap(one: str, other: str) -> float:
    """The share of the telling words of the shorter text that the longer one has, 0 to 1."""
    stems, others = compared_stems(one), compared_stems(other)
    return len(stems & others) / min(len(stems), len(others)) if stems and others else 0.0


def have_other_numbers(one: str, other: str) -> bool:
    """Whether each text names a number or a numbered thing that the other doesn't."""
    numbers, others = _numbers(one), _numbers(other)
    return bool(numbers - others and others - numbers)


def told_otherwise(one: str, other: str) -> str:
    """The sentence of a text that says what one of another says with other numbers; else empty.

    Numbers count for nothing in how alike two sentences are: they are what is different.

    Args:
        one: the text whose sentence is told.
        other: what it is compared with.
    """
    others = [(sentence, _unnumbered_stems(sentence)) for sentence in _numbered_sentences(other)]
    for sentence in _numbered_sentences(one):
        stems = _unnumbered_stems(sentence)
        for compared, known in others:
            shared = len(stems & known)
            if (
                shared >= _FEWEST_SHARED
                and shared / len(stems | known) >= NEARLY_THE_SAME
                and have_other_numbers(sentence, compared)
            ):
                return sentence
    return ""


def _numbered_sentences(text: str) -> Iterator[str]:
    for sentence in _SENTENCE_ENDS.split(text):
        if _NUMBERED.search(sentence):
            yield " ".join(sentence.split())


def _unnumbered_stems(sentence: str) -> frozenset[str]:
    return compared_stems(_NUMBERED.sub(" ", sentence))


def _numbers(text: str) -> set[str]:
    return {found.strip(".:/-").lower() for found in _NUMBERED.findall(text)}
