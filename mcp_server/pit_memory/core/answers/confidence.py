"""When to say that nothing answers, and which hits to call strong.

Calibrated on four sets of questions about four corpora: a question about another corpus must find
nothing, one about this corpus must not. What can't be told: whether a corpus that speaks of the
subject also answers (a missing page looks like a found one).
"""

import math
from dataclasses import dataclass

from pit_memory.core.answers.answers import Band

MEANING_WEIGHT = 0.7
"""Of the cosine; the named share has the rest. Either alone is clearly worse."""
HYBRID_FLOOR = 0.44
"""For all-MiniLM-L6-v2 among 1,000 chunks; `hybrid_floor` says how it changes with their number."""
FLOOR_OF_TENFOLD = 0.07
"""What ten times the chunks add: the best of many is nearer to any question than the best of few.
Where .93 of other subjects' questions are caught, one page refuses .03 of its own, by a floor that
is the same for all sizes .13 (`benchmarks/abstention.py`)."""
_MEASURED_CHUNKS = 10_000
"""More of them raise the floor no further: the largest set measured has 5,838."""
INCIDENTS_FLOOR = 0.42
"""For records of incidents, whose reader loses more by one that is kept back than by a weak one.
Refuses 2 to 3 % of a set's answerable questions, catches .78 to 1.0 of other subjects' ones."""
WORDS_FLOOR = 2.6
"""By words alone, among 1,000 chunks; `words_floor` says how it changes with their number. Refuses
up to .010 of a set's own questions, catches .67 to .87 of other subjects': words can't tell as much
as both legs. 2.7 refuses half as many again of the questions that don't name their page."""
WORDS_FLOOR_OF_TENFOLD = 0.4
"""What ten times the chunks add."""
FOREIGN_FLOOR = 0.22
"""Of what is named, for a language that the model does not know. Of questions in German, Russian
and Chinese .007, none and .030 lie below it, of those on another subject .35, .26 and .68."""
COUNTED_WORD = 0.02
"""What each word adds to the share: half of a long question is more than half of two words."""
STRONG_HYBRID = 0.50
STRONG_WORDS = 0.50
"""Of what a hit names."""
NEAR_BEST = 0.7
"""Of the best hit's score: only what comes near it is strong."""
RELATED = 0.3
"""Of the best hit's score: what is below it only pads the list (no success@5 is lost)."""
WHOLE = 0.999
"""Named share of a text that has every word of the question, whatever rounding did to it."""


@dataclass(frozen=True, slots=True)
class Support:
    """How well sections stand behind an answer: one of them, or the best of several."""

    named: float
    """Share of the question's idf mass in one chunk and what its page says of itself, in [0, 1].

    Words that no text has weigh as the rarest.
    """
    words: int
    """Words of the question there."""
    cosine: float | None
    """Of the best chunk; None where the meaning leg did not run."""
    matched: float | None = None
    """BM25 of the best chunk as a share of the question's idf mass: what it names, more for what it
    names often, in headings or in few words. None where the words leg did not run."""

    @property
    def by_words(self) -> float:
        """Confidence of the words leg alone; no share, 1 to 7 for most questions."""
        matched = self.named if self.matched is None else self.matched
        return self.named + matched + math.log1p(self.words)

    @property
    def by_names(self) -> float:
        """What the question names, however it is ranked."""
        return self.named + COUNTED_WORD * self.words

    @property
    def by_both(self) -> float | None:
        """Confidence of both legs; None where one did not run."""
        if self.cosine is None:
            return None
        return MEANING_WEIGHT * self.cosine + (1 - MEANING_WEIGHT) * self.named


def hybrid_floor(chunks: int) -> float:
    """Least confidence of both legs together.

    Args:
        chunks: among which was searched.
    """
    return HYBRID_FLOOR + FLOOR_OF_TENFOLD * _tenfolds(chunks)


def words_floor(chunks: int) -> float:
    """Least confidence of the words leg alone.

    Args:
        chunks: among which was searched.
    """
    return WORDS_FLOOR + WORDS_FLOOR_OF_TENFOLD * _tenfolds(chunks)


def _tenfolds(chunks: int) -> float:
    return math.log10(min(max(chunks, 1), _MEASURED_CHUNKS) / 1_000)


def words_alone(support: Support, *, foreign: bool, chunks: int) -> tuple[float, float]:
    """How sure words alone are of the best support, and the least that an answer needs.

    Args:
        support: the best of each measure among the hits.
        foreign: neither stems nor the model may know the question's language.
        chunks: among which was searched.
    """
    if foreign:
        return support.by_names, FOREIGN_FLOOR
    return support.by_words, words_floor(chunks)


def answers(support: Support, *, built: float, foreign: bool, floor: float, chunks: int) -> bool:
    """Whether the best support for a question is above the floor.

    Args:
        support: the best of each measure among the hits.
        built: share of the chunks that meaning knows; while it is below 1, the answer may be among
            the others, and words decide as well.
        foreign: neither stems nor the model may know the question's language.
        floor: of both legs together.
        chunks: among which was searched.
    """
    if support.by_both is not None and support.by_both >= floor:
        return True
    words_decide = support.by_both is None or built < 1 or foreign
    sure, least = words_alone(support, foreign=foreign, chunks=chunks)
    return words_decide and sure >= least


def band(
    support: Support,
    *,
    share_of_best: float,
    holds_literal: bool,
    lacks_literal: bool,
    is_its_name: bool = False,
) -> Band:
    """How sure a hit is.

    Args:
        support: the hit's own.
        share_of_best: its score as a share of the best hit's.
        holds_literal: it holds a rare literal of the question.
        lacks_literal: a literal of the question stands nowhere, so that nothing can be about it.
        is_its_name: the question is its heading, or its page's title, word for word: however short
            that is, and little alike to the text below it, it is what was meant.
    """
    if holds_literal:
        return "strong"
    both = support.by_both
    sure = support.by_names >= STRONG_WORDS if both is None else both >= STRONG_HYBRID
    sure = sure or is_its_name
    return "strong" if sure and share_of_best >= NEAR_BEST and not lacks_literal else "weak"
