"""Two rankings and what headings say, made into one order of sections.

Source: convex combination of min-max normalised scores (Bruch et al. 2023). Reciprocal ranks are
the trap of this product: they let the meaning leg vote as loudly on a token it cannot see.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

Place = TypeVar("Place", bound=Hashable)
"""Key of a section, unique among all stores searched."""
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each kind of evidence adds; the two legs together count 1."""

    meaning: float
    """Share of the meaning leg; the words leg has the rest, alone it has all."""
    page_words: float
    """BM25 of the page's best chunks, summed."""
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
    boosted: float
    """The person's settings put this file before others."""
    lowered: float
    """Taken off for change logs, archives, blogs and proposals (`core.documents.noise`)."""
    bare: float
    """Taken off for a heading without text: what is asked stands in a section below it."""
    same_page: float
    """Taken off for every better section of the same page."""
    heading_phrase: float = 0.0
    """The question says all words of the heading side by side, and there are several."""
    title_phrase: float = 0.0
    """Likewise of the page title."""
    page_name: float = 0.0
    """Share of `heading` that counts for nothing among the sections of one page where a heading
    says no more than the page's title: it names the page, and tells no section from another."""
    dated: float = 0.0
    """The question names a date, and the page's incident lies there (`incidents.nearness`)."""
    equal: float = 0.0
    """Scores no further apart count as equal: the newer one comes first."""
    together: float = 0.0
    """Of the mean score of what was told together with it: the same day, of the same topic."""
    worst: float = 1.0
    """Share of a leg's best score that its worst one counts as at most: among few candidates a
    small difference is none."""


DOCS = Weights(
    meaning=0.4,  # .35 to .5 is flat; more finds a page oftener and its section less often
    page_words=0.4,  # an entry of the whole page is worth half as much
    page_meaning=0.3,
    heading=0.4,  # .3 and .5 are alike
    title=0.3,  # a question names the page that it asks about; .4 puts it above the section
    whole_heading=0.4,
    literal_alone=3.0,  # above all else together; at 1.0 one such question in a hundred fails
    literal_within=0.25,  # .5 and more hurts prose
    boosted=0.3,  # as much as a heading that the question names: a nudge, no guarantee
    lowered=0.2,  # .1 to .3 are alike on the sets, whose questions seldom meet any
    bare=0.2,
    same_page=0.05,  # .1 loses .005, a hard cap of two a page .012
    heading_phrase=0.05,  # .1 loses .002 by words
    title_phrase=0.1,  # .2 finds more pages and loses sections
    page_name=0.6,  # .6 to .75 are alike
)
INCIDENTS = Weights(
    meaning=0.4,
    page_words=2.0,  # of whole records: their sections tell one story, and no heading names it
    page_meaning=0.0,  # the mean of a record's parts is like that of any other record
    heading=0.0,
    title=0.0,
    whole_heading=0.0,
    literal_alone=3.0,
    literal_within=0.25,
    boosted=0.3,
    lowered=0.0,
    bare=0.0,
    same_page=0.0,  # a record answers once
    dated=0.6,
    equal=0.02,  # the same thing told twice
)
"""For records of incidents."""
RUNBOOKS = Weights(
    meaning=0.6,
    page_words=0.2,
    page_meaning=0.15,
    heading=0.4,
    title=0.15,
    whole_heading=0.4,
    literal_alone=3.0,
    literal_within=0.25,
    boosted=0.3,
    lowered=0.2,
    bare=0.2,
    same_page=0.0,  # a page answers once
)
"""For the pages that are shown beside incidents."""
FACTS = Weights(
    meaning=0.45,  # .4 and .5 lose .003
    page_words=0.0,  # a fact is its own page
    page_meaning=0.0,
    heading=0.0,  # a topic names many facts
    title=0.0,
    whole_heading=0.0,
    literal_alone=3.0,
    literal_within=0.25,
    boosted=0.0,
    lowered=0.0,
    bare=0.0,
    same_page=0.0,
    together=0.2,  # .3 is alike; without it .007 is lost
    worst=0.5,
    equal=0.01,  # the same thing told twice; .05 loses .005
)
"""For the facts of an assignment."""
PAGE_CHUNKS = 5
"""Best chunks of a page that speak for it: 3 tell less, 10 favour long pages."""
PART_OF_WORD = 0.8
"""Factor of the literal's bonus where it stands only inside longer words."""


class Candidate(NamedTuple):
    """A section that a leg found, and what its headings say to the question (`coverage`)."""

    page: Hashable
    heading: float
    """Share of its heading that the question covers, in [0, 1]."""
    title: float
    """Likewise of its page's title."""
    whole_heading: bool
    """Heading and question say the same."""
    boosted: bool = False
    """Its file is among those that the settings put before others."""
    lowered: bool = False
    """Its file speaks of everything and answers little."""
    bare: bool = False
    """It is a heading and nothing else."""
    heading_phrase: bool = False
    """The question says all words of its heading side by side."""
    title_phrase: bool = False
    """Likewise of its page's title."""
    dated: float = 0.0
    """How near its incident lies to the dates of the question, in [0, 1]."""
    names_page: bool = False
    """Its heading says no more than its page's title."""
    date: str = ""
    """ISO 8601, of what it tells; empty where it has none."""
    told_with: Hashable = None
    """The same for all that was told together; None for what stands alone."""


_TOLD = slice(1, 10)
"""The fields of a candidate that are a part of its score."""
_NOTHING = (0,) * 9


@dataclass(frozen=True, slots=True)
class Evidence(Generic[Place]):
    """What the legs found, in each leg's own unit; what a leg does not list counts as its last."""

    words: Mapping[Place, float]
    """BM25 of a section's best chunk."""
    page_words: Mapping[Hashable, float]
    """Sum over a page's best chunks (`PAGE_CHUNKS`)."""
    meaning: Mapping[Place, float] | None
    """Cosine of a section's best chunk; None where the leg did not run."""
    page_meaning: Mapping[Hashable, float]
    built: float
    """Share of the chunks that can be found by meaning; the meaning leg weighs so much less."""
    alone: bool
    """The question is one literal and nothing else."""
    literals: Mapping[Place, float]
    """Rare literals of the question that a section holds, PART_OF_WORD for one inside a word."""
    waiting: Collection[Place] = ()
    """Sections that meaning can't judge yet: words speak for both legs there."""


class Fused(NamedTuple, Generic[Place]):
    """A section at its rank."""

    place: Place
    score: float
    """Comparable within one question only."""


_FUSED: Callable[[tuple[Any, float]], "Fused[Any]"] = partial(tuple.__new__, Fused)
"""In a quarter of the time."""


class Parts(NamedTuple):
    """What a score is made of, in its own points."""

    words: float
    meaning: float
    page: float
    heading: float
    title: float
    whole_heading: float
    literals: float
    dated: float
    boosted: float
    lowered: float
    """Zero or less, as all below."""
    bare: float


def fuse(
    evidence: Evidence[Place], candidates: Mapping[Place, Candidate], weights: Weights
) -> list[Fused[Place]]:
    """Order the candidates, best first; equal scores keep the order of `candidates`."""
    words, meaning, of_page = _found(evidence, candidates, weights)
    scores = {
        place: words.get(place, 0.0) + meaning.get(place, 0.0) + of_page[candidate.page]
        for place, candidate in candidates.items()
    }
    for place, candidate in candidates.items():  # most have no part in their score themselves
        if candidate[_TOLD] != _NOTHING or place in evidence.literals:
            scores[place] += sum(_told(place, candidate, evidence, weights))
    if weights.together:
        scores = _supported(scores, candidates, weights.together)
    ranked = _spread(scores, candidates, weights.same_page)
    if weights.page_name:
        ranked = _sorted_within_pages(ranked, scores, candidates, weights)
    return _newest_first(ranked, candidates, weights.equal) if weights.equal else ranked


def parts_of(
    evidence: Evidence[Place], candidates: Mapping[Place, Candidate], weights: Weights
) -> dict[Place, Parts]:
    """What each candidate's score is made of, before better sections of its page lower it."""
    words, meaning, of_page = _found(evidence, candidates, weights)
    return {
        place: Parts(
            words.get(place, 0.0),
            meaning.get(place, 0.0),
            of_page[candidate.page],
            *_told(place, candidate, evidence, weights),
        )
        for place, candidate in candidates.items()
    }


def _found(
    evidence: Evidence[Place], candidates: Mapping[Place, Candidate], weights: Weights
) -> tuple[dict[Place, float], dict[Place, float], dict[Hashable, float]]:
    """What each leg adds to the sections that it found, and what each candidate's page adds."""
    built = evidence.built if evidence.meaning is not None else 0.0
    share = weights.meaning * built
    words = _relative(evidence.words, weights.worst, 1 - share)
    meaning = _relative(evidence.meaning or {}, weights.worst, share)
    if evidence.waiting:  # words speak for both legs
        said = _relative(evidence.words, weights.worst, share)
        meaning |= {place: said.get(place, 0.0) for place in evidence.waiting}
    pages = {candidate.page: 0.0 for candidate in candidates.values()}
    return words, meaning, _page_scores(evidence, pages, weights, built)


def _told(
    place: Place, candidate: Candidate, evidence: Evidence[Place], weights: Weights
) -> tuple[float, ...]:
    """What a candidate adds by itself: the fields of `Parts` from `heading` on."""
    literal = weights.literal_alone if evidence.alone else weights.literal_within
    return (
        weights.heading * candidate.heading + weights.heading_phrase * candidate.heading_phrase,
        weights.title * candidate.title + weights.title_phrase * candidate.title_phrase,
        weights.whole_heading * candidate.whole_heading,
        literal * evidence.literals.get(place, 0.0),
        weights.dated * candidate.dated,
        weights.boosted * candidate.boosted,
        -weights.lowered * candidate.lowered,
        -weights.bare * candidate.bare,
    )


def best_of_pages(
    fused: Iterable[Fused[Place]], candidates: Mapping[Place, Candidate]
) -> list[Fused[Place]]:
    """The best section of each page, in their order."""
    best: dict[Hashable, Fused[Place]] = {}
    for it in fused:
        best.setdefault(candidates[it.place].page, it)
    return list(best.values())


def _page_scores(
    evidence: Evidence[Place], pages: Collection[Hashable], weights: Weights, built: float
) -> dict[Hashable, float]:
    """What each of the candidates' pages adds; only these pages set the scale."""
    of_words, of_meaning = evidence.page_words, evidence.page_meaning
    scores = _relative({page: of_words.get(page, 0.0) for page in pages}, scale=weights.page_words)
    known = {page: of_meaning[page] for page in pages if page in of_meaning}
    for page, score in _relative(known, scale=weights.page_meaning * built).items():
        scores[page] += score
    return scores


def _relative(
    scores: Mapping[Key, float], highest_worst: float = 1.0, scale: float = 1.0
) -> dict[Key, float]:
    """Scores from 0, the worst, to `scale`, the best; all the best where they are equal.

    Args:
        scores: in the leg's own unit.
        highest_worst: share of the best that counts as 0 at most.
        scale: what the best one counts.
    """
    if not scores:
        return {}
    worst, best = min(scores.values()), max(scores.values())
    if best > 0:
        worst = min(worst, highest_worst * best)
    if best <= worst:
        return dict.fromkeys(scores, scale)
    spread = best - worst
    return {key: scale * ((score - worst) / spread) for key, score in scores.items()}


def _spread(
    scores: Mapping[Place, float], candidates: Mapping[Place, Candidate], same_page: float
) -> list[Fused[Place]]:
    """Sort, each section lowered by the number of better ones of its page."""
    better: dict[Hashable, float] = {}
    lowered = []
    for place, score in sorted(scores.items(), key=itemgetter(1), reverse=True):
        page = candidates[place].page
        loss = better.get(page, 0.0)
        lowered.append((place, score - loss))
        better[page] = loss + same_page
    lowered.sort(key=itemgetter(1), reverse=True)
    return [*map(_FUSED, lowered)]


def _sorted_within_pages(
    ranked: Sequence[Fused[Place]],
    scores: Mapping[Place, float],
    candidates: Mapping[Place, Candidate],
    weights: Weights,
) -> list[Fused[Place]]:
    """The same order of pages; of each page, the section first that is told by more than its name.

    A page keeps its ranks and their scores, so that no page gains or loses by it.
    """
    lost = weights.page_name * weights.heading
    lowered = {
        place: scores[place] - lost * candidate.heading
        for place, candidate in candidates.items()
        if candidate.heading and candidate.names_page
    }
    ranks: dict[Hashable, list[int]] = {candidates[place].page: [] for place in lowered}
    if ranks:
        for rank, fused in enumerate(ranked):
            if (of_page := ranks.get(candidates[fused.place].page)) is not None:
                of_page.append(rank)
    ordered = list(ranked)

    def own(rank: int) -> float:
        place = ranked[rank].place
        return lowered.get(place, scores[place])

    for of_page in ranks.values():
        best_first = sorted(of_page, key=own, reverse=True)
        for rank, better in zip(of_page, best_first, strict=True):
            ordered[rank] = Fused(ranked[better].place, ranked[rank].score)
    return ordered


def _supported(
    scores: Mapping[Place, float], candidates: Mapping[Place, Candidate], share: float
) -> dict[Place, float]:
    """Scores, raised by a share of the mean of those that were told together with each."""
    groups: dict[Hashable, list[float]] = {}
    for place, candidate in candidates.items():
        if candidate.told_with is not None:
            groups.setdefault(candidate.told_with, []).append(scores[place])

    def support(place: Place) -> float:
        group = groups.get(candidates[place].told_with, [])
        return (sum(group) - scores[place]) / (len(group) - 1) if len(group) > 1 else 0.0

    return {place: score + share * support(place) for place, score in scores.items()}


def _newest_first(
    ranked: Sequence[Fused[Place]], candidates: Mapping[Place, Candidate], equal: float
) -> list[Fused[Place]]:
    """Put the newer ones first among those whose scores are as good as the best of them."""
    ordered: list[Fused[Place]] = []
    while len(ordered) < len(ranked):
        least = ranked[len(ordered)].score - equal
        alike = [fused for fused in ranked[len(ordered) :] if fused.score >= least]
        ordered += sorted(alike, key=lambda fused: candidates[fused.place].date, reverse=True)
    return ordered
