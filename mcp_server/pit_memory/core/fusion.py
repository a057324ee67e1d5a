"""Two rankings and what headings say, made into one order of sections.

Source: convex combination of min-max normalised scores (Bruch et al. 2023). Reciprocal ranks are
the trap of this product: they let the meaning leg vote as loudly on a token it cannot see.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Place = TypeVar("Place", bound=Hashable)
"""Key of a section, unique among all stores searched."""
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each kind of evidence adds; the two legs together count 1."""

    meaning: float
    """Share of the meaning leg; the words leg has the rest, alone it has all."""
    page_words: float
    """BM25 of the whole page."""
    page_meaning: float
    """Cosine of the page's mean vector."""
    heading: float
    """Share of the heading that the question covers."""
    title: float
    """Share of the page title that the question covers."""
    whole_heading: float
    """Heading and question say the same."""
    literal_alone: float
    """The question is a rare literal, and the section holds it."""
    literal_within: float
    """The question contains a rare literal, and the section holds it."""
    same_page: float
    """Taken off for every better section of the same page."""


DOCS = Weights(
    meaning=0.5,  # .4 to .6 is flat
    page_words=0.2,
    page_meaning=0.3,
    heading=0.3,
    title=0.15,
    whole_heading=0.4,
    literal_alone=2.0,  # above all else: at 1.0 one such question in a hundred misses its place
    literal_within=0.25,  # .5 and more hurts prose
    same_page=0.05,  # .1 loses .005, a hard cap of two a page .012
)
INCIDENTS = Weights(
    meaning=0.4,
    page_words=1.0,  # an incident is found as a whole
    page_meaning=0.3,
    heading=0.0,  # "Summary", "Timeline": the same in each
    title=0.0,
    whole_heading=0.0,
    literal_alone=2.0,
    literal_within=0.25,
    same_page=0.05,
)
FACTS = Weights(
    meaning=0.3,
    page_words=0.0,
    page_meaning=0.0,
    heading=0.0,
    title=0.0,
    whole_heading=0.0,
    literal_alone=2.0,
    literal_within=0.25,
    same_page=0.0,  # many facts of one container may all be right
)
PART_OF_WORD = 0.8
"""Factor of the literal's bonus where it stands only inside longer words."""


@dataclass(frozen=True, slots=True)
class Question:
    """What fusion asks headings about."""

    stems: frozenset[str]
    idf: Mapping[str, float]
    """Of each of its stems."""
    alone: bool
    """The question is one literal and nothing else."""

    def share_of(self, words: "Stems") -> float:
        """Which part of a heading's weight the question names, in [0, 1]."""
        if not words.mass:
            return 0.0
        return sum(self.idf[stem] for stem in words.known & self.stems) / words.mass


@dataclass(frozen=True, slots=True)
class Stems:
    """The words of a heading or title, as coverage weighs them."""

    known: frozenset[str]
    """Without stop words; empty where there is no heading."""
    mass: float
    """Sum of their idf."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A section that a leg found."""

    page: Hashable
    heading: Stems
    title: Stems


@dataclass(frozen=True, slots=True)
class Evidence(Generic[Place]):
    """What the legs found, in each leg's own unit; what a leg does not list counts as its last."""

    words: Mapping[Place, float]
    """BM25 of a section's best chunk."""
    page_words: Mapping[Hashable, float]
    meaning: Mapping[Place, float] | None
    """Cosine of a section's best chunk; None where the leg did not run."""
    page_meaning: Mapping[Hashable, float]
    literals: Mapping[Place, float]
    """Rare literals of the question that a section holds, PART_OF_WORD for one inside a word."""


@dataclass(frozen=True, slots=True)
class Fused(Generic[Place]):
    """A section at its rank."""

    place: Place
    score: float
    """Comparable within one question only."""


def fuse(
    evidence: Evidence[Place],
    candidates: Mapping[Place, Candidate],
    question: Question,
    weights: Weights,
) -> list[Fused[Place]]:
    """Order the candidates, best first; equal scores keep the order of `candidates`."""
    share = weights.meaning if evidence.meaning is not None else 0.0
    words = _relative(evidence.words)
    meaning = _relative(evidence.meaning or {})
    pages = {candidate.page: candidate.title for candidate in candidates.values()}
    page_words = _relative({page: evidence.page_words.get(page, 0.0) for page in pages})
    page_meaning = _relative(
        {page: evidence.page_meaning[page] for page in pages if page in evidence.page_meaning}
    )
    of_page = {
        page: weights.page_words * page_words[page]
        + weights.page_meaning * page_meaning.get(page, 0.0)
        + weights.title * question.share_of(title)
        for page, title in pages.items()
    }
    literal = weights.literal_alone if question.alone else weights.literal_within
    scores = {
        place: (1 - share) * words.get(place, 0.0)
        + share * meaning.get(place, 0.0)
        + of_page[candidate.page]
        + weights.heading * question.share_of(candidate.heading)
        + weights.whole_heading * (candidate.heading.known == question.stems)
        + literal * evidence.literals.get(place, 0.0)
        for place, candidate in candidates.items()
    }
    return _spread(scores, candidates, weights.same_page)


def _relative(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Scores from 0, the worst, to 1, the best; all 1 where they are equal."""
    if not scores:
        return {}
    worst, best = min(scores.values()), max(scores.values())
    if best <= worst:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - worst) / (best - worst) for key, score in scores.items()}


def _spread(
    scores: Mapping[Place, float], candidates: Mapping[Place, Candidate], same_page: float
) -> list[Fused[Place]]:
    """Sort, each section lowered by the number of better ones of its page."""
    better: Counter[Hashable] = Counter()
    lowered = []
    for place in sorted(scores, key=scores.__getitem__, reverse=True):
        page = candidates[place].page
        lowered.append(Fused(place, scores[place] - same_page * better[page]))
        better[page] += 1
    return sorted(lowered, key=lambda fused: fused.score, reverse=True)
