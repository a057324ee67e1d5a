"""How much of a heading, or of a text, a question names: words weighed by how rare they are."""

import math
from collections.abc import Mapping, Sequence

_FEWEST_TEXTS = 100
"""A handful of texts can't tell that a word which most of them hold is a common one: what they are
about is named in each of them. Fewer count as so many, of which the others lack every word: by
words alone, of 60 questions to one page each, 5 are refused instead of 12."""


def idf(texts_with: int, texts: int) -> float:
    """How much a word tells: near 0 where every text has it, most where none does; never below 0.

    The same formula as BM25's, so that coverage and ranking agree on what is rare; of at least
    `_FEWEST_TEXTS` texts.
    """
    texts = max(texts, _FEWEST_TEXTS)
    return math.log(1 + (max(0, texts - texts_with) + 0.5) / (texts_with + 0.5))


def covered_share(stems: frozenset[str], mass: float, asked: Mapping[str, float]) -> float:
    """Which part of a heading's mass the question names, in [0, 1].

    Args:
        stems: of the heading, without stop words; empty where there is none.
        mass: sum of their idf.
        asked: idf of each stem of the question, from the same texts as the mass.
    """
    if stems.isdisjoint(asked) or not mass:
        return 0.0
    return min(1.0, math.fsum(asked[stem] for stem in stems & asked.keys()) / mass)


def stands_together(stems: frozenset[str], headline: frozenset[str], spoken: Sequence[str]) -> bool:
    """Whether a question says a heading of several words in full: side by side, in any order.

    Args:
        stems: of the heading, without stop words.
        headline: those of the question, without stop words; tells at once that most are not said.
        spoken: the same in the order of its words.
    """
    size = len(stems)
    return (
        size > 1
        and stems <= headline
        and any(
            stems == set(spoken[at : at + size]) for at, stem in enumerate(spoken) if stem in stems
        )
    )


def named_share(stems: frozenset[str], asked: Mapping[str, float]) -> float:
    """Which part of the question's mass a text holds, in [0, 1]; 0 for an empty question."""
    mass = math.fsum(asked.values())
    return math.fsum(asked[stem] for stem in stems & asked.keys()) / mass if mass else 0.0
