"""Ask both legs of every store, and lay what they found side by side."""

import re
import time
from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from typing import NamedTuple

from pit_memory.core.answers.answers import LegReport, LegState, Mode
from pit_memory.core.documents.incident_record import nearness
from pit_memory.core.indexing.vectors import how_far
from pit_memory.core.search.coverage import covered_share, stands_together
from pit_memory.core.search.fusion import PAGE_CHUNKS, PART_OF_WORD, Candidate, Evidence
from pit_memory.core.search.legs import Ranking, SearchFilters, SemanticLeg, SemanticRankings
from pit_memory.core.search.queries import Query
from pit_memory.core.text.globs import Globs
from pit_memory.core.text.languages import language_name
from pit_memory.core.text.words import folded
from pit_memory.errors import EmbedderError, StoreError
from pit_memory.operations.searching.searched_store import (
    PageCard,
    SearchedStore,
    SectionCard,
    Snapshot,
)

DEPTH = 150
"""Chunks and pages asked of each leg, about 100 sections; at 75 documents rank .015 worse."""
RARE_SHARE = 0.01
"""Of the chunks: where more hold a literal, it tells no more than other words."""
RARE_AT_LEAST = 3
RARE_AT_MOST = 50
"""Each candidate's text is read; 50 is 1 % of 5,000 chunks."""
_RAN = LegReport("ran", "")
_NO_BOOST = Globs(())
_CHUNK = itemgetter(0)
"""Of a ranked one and its score."""


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
    chunks: dict[SectionCard, int]
    """By what each section was found: its best chunk by words, else by meaning, else literally."""
    candidates: dict[SectionCard, Candidate]
    """The same sections: what headings and titles say to the question."""
    evidence: Evidence[SectionCard]
    idf: dict[SearchedStore, dict[str, float]]
    """Of the question's stems, in each store."""
    missing_literals: frozenset[str]
    """Those of the question that stand nowhere in what was searched."""
    searched_chunks: int
    """How many the stores hold, whatever the filters leave of them."""
    keyword: LegReport
    semantic: LegReport
    copies: Mapping[SectionCard, Sequence[SectionCard]] = field(default_factory=dict)
    """Section to the copies of it that it stands for (`operations.searching.folding`)."""

    @property
    def mode(self) -> Mode:
        """Which legs have answered."""
        if self.evidence.meaning is None:
            return "keyword"
        return "semantic" if self.keyword.state == "skipped" else "hybrid"


def gather(
    stores: Sequence[SearchedStore],
    query: Query,
    filters: SearchFilters,
    mode: Mode | None,
    *,
    boost: Globs = _NO_BOOST,
    whole_records: bool = False,
    depth: int = DEPTH,
) -> Findings:
    """Ask the legs that a mode names; a leg that can't look is reported, the other goes on.

    Args:
        stores: all that are searched; their candidates make one list.
        query: the question.
        filters: what a hit must be; each engine applies them itself.
        mode: None asks both legs; `semantic` asks the words where there is no meaning to ask.
        boost: files that the settings put before others.
        whole_records: a page counts by the words of the whole incident record that it is.
        depth: chunks asked of each leg.
    """
    began = time.perf_counter()
    narrowed = [searched.narrowed(filters) for searched in stores]
    sections = _Sections()
    named = _Named(query, boost)

    def words(*, ranked: bool) -> list[_Words]:
        asked = zip(stores, narrowed, strict=True)
        found = [_ask_words(it, query, allowed, depth if ranked else 0) for it, allowed in asked]
        for of_store in found:
            sections.add_words(of_store)
            named.add(sections.chunks, of_store)
        return found

    asks_words = mode != "semantic"
    with preparing(stores, query.text, query.language, mode):
        by_words = words(ranked=asks_words)
        _bring_up(stores, mode)
        waits = time.perf_counter()
    semantic, by_meaning = _ask_meaning(stores, query, narrowed, mode, depth)
    waited = time.perf_counter() - waits
    if not asks_words and by_meaning is None:
        asks_words, by_words = True, words(ranked=True)
    for number, found in enumerate(by_words):
        if by_meaning:
            sections.add_meaning(found, by_meaning[number])
        sections.add_literals(found)
        if whole_records and asks_words:
            keywords = stores[number].store.keywords
            records = keywords.rank_pages(query.record_terms, narrowed[number], DEPTH)
            sections.add_records(found.snapshot, records)
        named.add(sections.chunks, found)
    evidence = Evidence(
        words=sections.words,
        page_words=sections.page_words,
        meaning=None if by_meaning is None else sections.meaning,
        page_meaning=sections.page_meaning,
        built=min((ranking.built for ranking in by_meaning or ()), default=0.0),
        alone=query.alone,
        literals=sections.literals,
        waiting=frozenset(sections.waiting - sections.meaning.keys()),
    )
    keyword = _RAN if asks_words else LegReport("skipped", "asked for meaning only")
    return Findings(
        query,
        sections.chunks,
        named.candidates,
        evidence,
        idf={searched: found.idf for searched, found in zip(stores, by_words, strict=True)},
        missing_literals=frozenset(query.literals).intersection(
            *(found.literals.missing for found in by_words)
        ),
        searched_chunks=sum(found.snapshot.chunk_count for found in by_words),
        keyword=replace(keyword, seconds=time.perf_counter() - began - waited),
        semantic=replace(semantic, seconds=waited),
    )


def preparing(
    stores: Sequence[SearchedStore], question: str, language: str, mode: Mode | None
) -> AbstractContextManager[object]:
    """Have a question's vector made beside a block, at whose end the meaning is asked.

    Where it can't be made, or nothing is beside, asking the meaning makes up for it and says why.
    """
    first = stores[0] if stores and mode != "keyword" else None
    if first and first.beside and first.meaning and first.meaning.reads(language):
        return first.beside.doing(partial(first.meaning.prepare, question))
    return nullcontext()


def _bring_up(stores: Sequence[SearchedStore], mode: Mode | None) -> None:
    """Bring in what changed of the vectors while another thread makes the question's."""
    for searched in stores if mode != "keyword" else ():
        if searched.beside and searched.meaning:
            with suppress(StoreError):  # asking the meaning meets it again, and says it
                searched.meaning.bring_up()


class _Named:
    """Candidates: what the headings and titles of sections say to a question."""

    def __init__(self, query: Query, boost: Globs) -> None:
        self.candidates: dict[SectionCard, Candidate] = {}
        self._headline, self._spoken = query.headline, query.spoken
        self._dates, self._boost = query.dates, boost
        self._stems = query.headline.union(query.terms.stems)
        self._all = not query.headline or bool(query.dates) or bool(boost)
        """Whether those that the question doesn't name need a look, too."""
        self._pages: dict[PageCard, tuple[float, bool, bool, float]] = {}

    def add(self, sections: Collection[SectionCard], found: "_Words") -> None:
        """Look at those sections that are new.

        Args:
            sections: all so far, in the order that equal ones keep; the new ones come last and are
                of one store.
            found: what the question's words say there.
        """
        snapshot, asked = found.snapshot, found.idf
        headline, spoken, stems = self._headline, self._spoken, self._stems
        for section in islice(sections, len(self.candidates), None):
            page, heading = section.page, section.heading
            if not self._all and stems.isdisjoint(heading) and stems.isdisjoint(page.title):
                self.candidates[section] = section.unnamed
                continue
            if page not in self._pages:
                self._pages[page] = (
                    covered_share(page.title, snapshot.mass(page.title), asked),
                    page.boosted or (bool(self._boost) and self._boost.match(page.path)),
                    page.title <= headline and stands_together(page.title, headline, spoken),
                    nearness(self._dates, page.date, page.until),
                )
            title, boosted, title_phrase, dated = self._pages[page]
            self.candidates[section] = Candidate(  # by position: half the time
                page,
                covered_share(heading, snapshot.mass(heading), asked),
                title,
                bool(asked) and heading == headline,
                boosted,
                (page.noise or section.noise) and not boosted,
                section.bare,
                heading <= headline and stands_together(heading, headline, spoken),
                title_phrase,
                dated,
                section.unnamed.names_page,
                page.date,
                section.unnamed.told_with,
            )


class _Words(NamedTuple):
    """What one store's keyword index says to a question."""

    snapshot: Snapshot
    idf: dict[str, float]
    ranked: Ranking
    literals: Literals
    cards: Mapping[int, SectionCard]
    """Of the chunks that were found, and of others."""


def _ask_words(searched: SearchedStore, query: Query, filters: SearchFilters, depth: int) -> _Words:
    """Ask one store's keyword index; a depth of 0 asks it for literals alone."""
    snapshot = searched.snapshot(query.language)
    idf = snapshot.idf(query.terms.stems)
    ranked = searched.store.keywords.rank(query.terms, filters, depth) if depth else ()
    literals = _find_literals(snapshot, query, filters)
    cards = snapshot.cards(chain(map(_CHUNK, ranked), literals.chunks))
    return _Words(snapshot, idf, ranked, literals, cards)


@dataclass(slots=True)
class _Sections:
    """What chunks of several stores say of their sections."""

    chunks: dict[SectionCard, int] = field(default_factory=dict)
    words: dict[SectionCard, float] = field(default_factory=dict)
    meaning: dict[SectionCard, float] = field(default_factory=dict)
    literals: dict[SectionCard, float] = field(default_factory=dict)
    waiting: set[SectionCard] = field(default_factory=set)
    page_words: dict[Hashable, float] = field(default_factory=dict)
    page_meaning: dict[Hashable, float] = field(default_factory=dict)

    def add_words(self, found: _Words) -> None:
        """Take in what one store's words ranked."""
        counted: dict[PageCard, int] = {}
        for chunk, score in found.ranked:
            section = found.cards.get(chunk)
            if section is None:
                continue
            self.chunks.setdefault(section, chunk)
            self.words.setdefault(section, score)
            page = section.page
            count = counted[page] = counted.get(page, 0) + 1
            if count <= PAGE_CHUNKS:
                self.page_words[page] = self.page_words.get(page, 0.0) + score

    def add_meaning(self, found: _Words, meaning: SemanticRankings) -> None:
        """Take in what the same store's vectors ranked."""
        cards = found.snapshot.cards(map(_CHUNK, meaning.chunks))
        by_words = [*map(_CHUNK, found.ranked), *found.literals.chunks]
        unread = _Unread(found.snapshot.searched.meaning)
        for chunk in (*by_words, *map(_CHUNK, meaning.chunks)) if meaning.waiting else by_words:
            section = cards.get(chunk)
            if section and (unread[section.language] or chunk in meaning.waiting):
                self.waiting.add(section)
        for chunk, score in meaning.chunks:
            section = cards.get(chunk)
            if section is None:
                continue
            self.chunks.setdefault(section, chunk)
            if unread[section.language]:
                self.waiting.add(section)
                continue
            self.meaning.setdefault(section, score)
            page = section.page
            if page not in self.page_meaning:
                self.page_meaning[page] = meaning.pages[page.document]

    def add_literals(self, found: _Words) -> None:
        """Take in where the same store holds the question's literals."""
        for chunk, weight in found.literals.chunks.items():
            if section := found.cards.get(chunk):
                self.chunks.setdefault(section, chunk)
                self.literals[section] = max(weight, self.literals.get(section, 0.0))

    def add_records(self, snapshot: Snapshot, records: Ranking) -> None:
        """Take in one store's ranking of whole records, instead of what their chunks sum up to."""
        cards = snapshot.cards(map(_CHUNK, records))
        for page in {section.page for section in self.chunks if section.store is snapshot.searched}:
            self.page_words.pop(page, None)
        of_pages = {section.page for section in self.chunks}
        for chunk, score in records:
            if section := cards.get(chunk):
                self.page_words[section.page] = score
                if section.page not in of_pages:  # its parts are below the depth of both legs
                    self.chunks.setdefault(section, chunk)


class _Unread(dict[str, bool]):
    """Whether the model does not know a language, by its code; asked once of each."""

    def __init__(self, leg: SemanticLeg | None) -> None:
        super().__init__()
        self._leg = leg

    def __missing__(self, language: str) -> bool:
        unread = self[language] = self._leg is not None and not self._leg.reads(language)
        return unread


def _ask_meaning(
    stores: Sequence[SearchedStore],
    query: Query,
    narrowed: Sequence[SearchFilters],
    mode: Mode | None,
    depth: int,
) -> tuple[LegReport, list[SemanticRankings] | None]:
    if mode == "keyword":
        return LegReport("skipped", "asked for words only"), None
    if mode != "semantic" and any(
        it.meaning and not it.meaning.reads(query.language) for it in stores
    ):
        said = f"the model does not read {language_name(query.language)}"
        return LegReport("degraded", said), None
    rankings = []
    for searched, allowed in zip(stores, narrowed, strict=True):
        if searched.meaning is None:
            reason = searched.without_meaning
            state: LegState = "degraded" if reason else "skipped"
            return LegReport(state, reason, failed=bool(reason)), None
        try:
            rankings.append(searched.meaning.rank(query.text, allowed, depth))
        except (EmbedderError, StoreError) as error:
            return LegReport("degraded", str(error), failed=True), None
    built = min((ranking.built for ranking in rankings), default=1.0)
    if built < 1:
        left = [ranking.seconds_left for ranking in rankings if ranking.seconds_left is not None]
        return LegReport("degraded", how_far(built, max(left, default=None))), rankings
    return _RAN, rankings


def _find_literals(snapshot: Snapshot, query: Query, filters: SearchFilters) -> Literals:
    rare = max(RARE_AT_LEAST, min(RARE_AT_MOST, int(snapshot.chunk_count * RARE_SHARE)))
    chunks: dict[int, float] = {}
    missing = set()
    store = snapshot.searched.store
    for literal in query.literals:
        candidates = store.keywords.holding(literal, filters, 2 * rare)
        if candidates is None:
            continue
        holding = _holding(literal, store.catalogue.texts(candidates))
        if not holding:
            missing.add(literal)
        elif len(holding) <= rare:
            for chunk, weight in holding.items():
                chunks[chunk] = chunks.get(chunk, 0.0) + weight
    return Literals(chunks, frozenset(missing))


def _holding(literal: str, texts: Mapping[int, str]) -> dict[int, float]:
    """The chunks whose text holds a literal, PART_OF_WORD where only inside longer words."""
    whole_word = re.compile(rf"(?<![^\W_]){re.escape(literal)}(?![^\W_])")
    holding = {}
    for chunk, raw in texts.items():
        text = folded(raw)
        if literal in text:
            holding[chunk] = 1.0 if whole_word.search(text) else PART_OF_WORD
    return holding
