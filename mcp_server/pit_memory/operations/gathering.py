"""Ask both legs of every store, and lay what they found side by side."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pit_memory.core.answers import LegReport, Mode
from pit_memory.core.coverage import covered_share
from pit_memory.core.fusion import PAGE_CHUNKS, PART_OF_WORD, Candidate, Evidence
from pit_memory.core.legs import KeywordRankings, SearchFilters, SemanticRankings
from pit_memory.core.queries import Query
from pit_memory.core.words import folded
from pit_memory.errors import EmbedderError, StoreError
from pit_memory.operations.searched_store import Card, SearchedStore
from pit_memory.stores.rows import ChunkRow

DEPTH = 150
"""Chunks and pages asked of each leg, about 100 sections; at 75 documents rank .015 worse."""
RARE_SHARE = 0.01
"""Of the chunks: where more hold a literal, it tells no more than other words."""
RARE_AT_LEAST = 3
RARE_AT_MOST = 50
"""Each candidate's text is read; 50 is 1 % of 5,000 chunks."""
_RAN = LegReport("ran", "")


class Page(NamedTuple):
    """A document among all stores searched."""

    store: int
    document: int


class Place(NamedTuple):
    """A section among all stores searched."""

    store: int
    document: int
    section: int


@dataclass(frozen=True, slots=True)
class Found:
    """A section that a leg found."""

    chunk: int
    """Of its store: the one found by words, else by meaning, else by a literal."""
    path: str
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Literals:
    """Where the literals of a question stand in one store."""

    chunks: dict[int, float] = field(default_factory=dict)
    """Chunk to how many rare ones it holds, PART_OF_WORD for one inside longer words only."""
    missing: frozenset[str] = frozenset()
    """Those that no text holds; all others stand somewhere, be it in too many texts to tell."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the legs found for one question."""

    query: Query
    found: dict[Place, Found]
    evidence: Evidence[Place]
    idf: tuple[dict[str, float], ...]
    """Of the question's stems, by store."""
    missing_literals: frozenset[str]
    """Those of the question that stand nowhere in what was searched."""
    keyword: LegReport
    semantic: LegReport

    @property
    def mode(self) -> Mode:
        """Which legs have answered."""
        if self.evidence.meaning is None:
            return "keyword"
        return "semantic" if self.keyword.state == "skipped" else "hybrid"


def gather(
    stores: Sequence[SearchedStore], query: Query, filters: SearchFilters, mode: Mode | None
) -> Findings:
    """Ask the legs that a mode names; a leg that can't look is reported, the other goes on.

    Args:
        stores: all that are searched; their candidates make one list.
        query: the question.
        filters: what a hit must be; each engine applies them itself.
        mode: None asks both legs; `semantic` asks the words where there is no meaning to ask.
    """
    for searched in stores:
        searched.refresh()
    semantic, by_meaning = _ask_meaning(stores, query, filters, mode)
    keyword, by_words = _RAN, [KeywordRankings((), ())] * len(stores)
    if mode == "semantic" and by_meaning:
        keyword = LegReport("skipped", "asked for meaning only")
    else:
        by_words = [
            searched.store.keywords.rank(query.terms, filters, DEPTH) for searched in stores
        ]
    literals = [_find_literals(searched, query, filters) for searched in stores]
    idf = tuple(searched.idf(query.terms.stems) for searched in stores)

    found: dict[Place, Found] = {}
    words_of_chunks: list[tuple[Page, float]] = []
    words: dict[Place, float] = {}
    meaning: dict[Place, float] = {}
    held: dict[Place, float] = {}
    for number, searched in enumerate(stores):
        rankings = (
            (words, by_words[number].chunks),
            (meaning, by_meaning[number].chunks if by_meaning else ()),
            (held, literals[number].chunks.items()),
        )
        cards = searched.cards({chunk for _, ranking in rankings for chunk, _ in ranking})
        words_of_chunks += (
            (Page(number, cards[chunk].document), score)
            for chunk, score in by_words[number].chunks
            if chunk in cards
        )
        for scores, ranking in rankings:
            for chunk, score in ranking:
                if card := cards.get(chunk):
                    place = Place(number, card.document, card.section)
                    scores[place] = max(score, scores.get(place, score))
                    if place not in found:
                        found[place] = Found(
                            chunk, card.path, _candidate(number, card, idf[number])
                        )
    evidence = Evidence(
        words=words,
        page_words=_best_of_pages(words_of_chunks),
        whole_pages=dict(_pages(ranking.pages for ranking in by_words)),
        meaning=meaning if by_meaning else None,
        page_meaning=dict(_pages(ranking.pages.items() for ranking in by_meaning or ())),
        built=min((ranking.built for ranking in by_meaning or ()), default=0.0),
        alone=query.alone,
        literals=held,
    )
    missing = frozenset(query.literals).intersection(*(each.missing for each in literals))
    return Findings(query, found, evidence, idf, missing, keyword, semantic)


def _candidate(store: int, card: Card, asked: dict[str, float]) -> Candidate:
    return Candidate(
        page=Page(store, card.document),
        heading=covered_share(card.heading, asked),
        title=covered_share(card.title, asked),
        whole_heading=bool(asked) and card.heading.stems == asked.keys(),
    )


def _ask_meaning(
    stores: Sequence[SearchedStore], query: Query, filters: SearchFilters, mode: Mode | None
) -> tuple[LegReport, list[SemanticRankings] | None]:
    if mode == "keyword":
        return LegReport("skipped", "asked for words only"), None
    rankings = []
    for searched in stores:
        if searched.meaning is None:
            reason = searched.without_meaning
            return LegReport("degraded" if reason else "skipped", reason), None
        try:
            rankings.append(searched.meaning.rank(query.text, filters, DEPTH))
        except (EmbedderError, StoreError) as error:
            return LegReport("degraded", str(error)), None
    built = min((ranking.built for ranking in rankings), default=1.0)
    if built < 1:
        return LegReport("degraded", f"{int(built * 100)} % built"), rankings
    return _RAN, rankings


def _find_literals(searched: SearchedStore, query: Query, filters: SearchFilters) -> Literals:
    rare = max(RARE_AT_LEAST, min(RARE_AT_MOST, int(searched.chunk_count * RARE_SHARE)))
    chunks: dict[int, float] = {}
    missing = set()
    for literal in query.literals:
        candidates = searched.store.keywords.holding(literal, filters, 2 * rare)
        if candidates is None:
            continue
        holding = _holding(literal, searched.store.catalogue.chunks(candidates).values())
        if not holding:
            missing.add(literal)
        elif len(holding) <= rare:
            for chunk, weight in holding.items():
                chunks[chunk] = chunks.get(chunk, 0.0) + weight
    return Literals(chunks, frozenset(missing))


def _holding(literal: str, chunks: Iterable[ChunkRow]) -> dict[int, float]:
    """The chunks whose text holds a literal, PART_OF_WORD where only inside longer words."""
    whole_word = re.compile(rf"(?<![^\W_]){re.escape(literal)}(?![^\W_])")
    holding = {}
    for chunk in chunks:
        text = folded(chunk.text)
        if literal in text:
            holding[chunk.id] = 1.0 if whole_word.search(text) else PART_OF_WORD
    return holding


def _best_of_pages(chunks: Iterable[tuple[Page, float]]) -> dict[Hashable, float]:
    """Sum of the best chunks of each page.

    Args:
        chunks: page and score of each chunk, the best of a page first.
    """
    sums: dict[Hashable, float] = {}
    counted: Counter[Page] = Counter()
    for page, score in chunks:
        if counted[page] < PAGE_CHUNKS:
            counted[page] += 1
            sums[page] = sums.get(page, 0.0) + score
    return sums


def _pages(rankings: Iterator[Iterable[tuple[int, float]]]) -> Iterator[tuple[Page, float]]:
    for store, ranking in enumerate(rankings):
        for document, score in ranking:
            yield Page(store, document), score
