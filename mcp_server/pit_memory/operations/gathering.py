"""Ask both legs of every store, and lay what they found side by side."""

import re
import time
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pit_memory.core.answers import LegReport, LegState, Mode
from pit_memory.core.coverage import covered_share, stands_together
from pit_memory.core.fusion import PAGE_CHUNKS, PART_OF_WORD, Candidate, Evidence
from pit_memory.core.globs import Globs
from pit_memory.core.incidents import nearness
from pit_memory.core.languages import language_name
from pit_memory.core.legs import Ranking, SearchFilters, SemanticRankings
from pit_memory.core.queries import Query
from pit_memory.core.vectors import how_far
from pit_memory.core.words import folded
from pit_memory.errors import EmbedderError, StoreError
from pit_memory.operations.searched_store import PageCard, SearchedStore, SectionCard, Snapshot

DEPTH = 150
"""Chunks and pages asked of each leg, about 100 sections; at 75 documents rank .015 worse."""
RARE_SHARE = 0.01
"""Of the chunks: where more hold a literal, it tells no more than other words."""
RARE_AT_LEAST = 3
RARE_AT_MOST = 50
"""Each candidate's text is read; 50 is 1 % of 5,000 chunks."""
_RAN = LegReport("ran", "")


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
    """Section to the copies of it that it stands for (`operations.folding`)."""

    @property
    def mode(self) -> Mode:
        """Which legs have answered."""
        if self.evidence.meaning is None:
            return "keyword"
        return "semantic" if self.keyword.state == "skipped" else "hybrid"

    def candidates(self, boost: Globs) -> dict[SectionCard, Candidate]:
        """What headings and titles say to the question, for every section found.

        Args:
            boost: files that the settings put before others.
        """
        headline, spoken = self.query.headline, self.query.spoken
        asked_for = headline.union(self.query.terms.stems)
        all_named = not headline or bool(self.query.dates) or bool(boost)
        pages: dict[PageCard, tuple[float, bool, bool, Hashable, float]] = {}
        candidates = {}
        for section in self.chunks:
            page, heading = section.page, section.heading
            if not all_named and (
                asked_for.isdisjoint(heading.stems) and asked_for.isdisjoint(page.title.stems)
            ):
                candidates[section] = section.unnamed
                continue
            asked = self.idf[section.store]
            of_page = pages.get(page)
            if of_page is None:
                of_page = pages[page] = (
                    covered_share(page.title, asked),
                    page.boosted or (bool(boost) and boost.match(page.path)),
                    stands_together(page.title, headline, spoken),
                    page.told_with,
                    nearness(self.query.dates, page.date, page.until),
                )
            title, boosted, title_phrase, told_with, dated = of_page
            candidates[section] = Candidate(  # by position: half the time
                page,
                covered_share(heading, asked),
                title,
                bool(asked) and heading.stems == headline,
                boosted,
                (page.noise or section.noise) and not boosted,
                section.bare,
                stands_together(heading, headline, spoken),
                title_phrase,
                section.unnamed.names_page,
                page.date,
                told_with,
                dated,
            )
        return candidates


def gather(
    stores: Sequence[SearchedStore],
    query: Query,
    filters: SearchFilters,
    mode: Mode | None,
    *,
    whole_records: bool = False,
    depth: int = DEPTH,
) -> Findings:
    """Ask the legs that a mode names; a leg that can't look is reported, the other goes on.

    Args:
        stores: all that are searched; their candidates make one list.
        query: the question.
        filters: what a hit must be; each engine applies them itself.
        mode: None asks both legs; `semantic` asks the words where there is no meaning to ask.
        whole_records: a page counts by the words of the whole incident record that it is.
        depth: chunks asked of each leg.
    """
    narrowed = [searched.narrowed(filters) for searched in stores]
    began = time.perf_counter()
    semantic, by_meaning = _ask_meaning(stores, query, narrowed, mode, depth)
    semantic = replace(semantic, seconds=time.perf_counter() - began)
    asks_words = mode != "semantic" or by_meaning is None
    keyword = _RAN if asks_words else LegReport("skipped", "asked for meaning only")
    began = time.perf_counter()
    sections = _Sections()
    idf: dict[SearchedStore, dict[str, float]] = {}
    missing = frozenset(query.literals)
    searched_chunks = 0
    for number, searched in enumerate(stores):
        snapshot = searched.snapshot(query.language)
        searched_chunks += snapshot.chunk_count
        idf[searched] = snapshot.idf(query.terms.stems)
        keywords, allowed = searched.store.keywords, narrowed[number]
        words = keywords.rank(query.terms, allowed, depth) if asks_words else ()
        literals = _find_literals(snapshot, query, allowed)
        missing &= literals.missing
        by_vectors = by_meaning[number] if by_meaning else None
        sections.add(snapshot, words, by_vectors, literals.chunks)
        if whole_records and asks_words:
            sections.add_records(snapshot, keywords.rank_pages(query.record_terms, allowed, DEPTH))
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
    keyword = replace(keyword, seconds=time.perf_counter() - began)
    return Findings(
        query, sections.chunks, evidence, idf, missing, searched_chunks, keyword, semantic
    )


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

    def add(
        self,
        snapshot: Snapshot,
        words: Ranking,
        meaning: SemanticRankings | None,
        literals: Mapping[int, float],
    ) -> None:
        """Take in one store's rankings, each best first."""
        by_meaning = meaning.chunks if meaning else ()
        found = [*words, *by_meaning, *literals.items()]
        cards = snapshot.cards({chunk for chunk, _ in found})
        for chunk, _ in found:
            if chunk in cards:
                self.chunks.setdefault(cards[chunk], chunk)
        counted: Counter[PageCard] = Counter()
        for chunk, score in words:
            if section := cards.get(chunk):
                self.words.setdefault(section, score)
                counted[section.page] += 1
                if counted[section.page] <= PAGE_CHUNKS:
                    self.page_words[section.page] = self.page_words.get(section.page, 0.0) + score
        waiting = meaning.waiting if meaning else frozenset()
        self.waiting.update(cards[chunk] for chunk in cards.keys() & waiting)
        of_page = meaning.pages if meaning else {}
        unread = _unread(snapshot, cards.values()) if meaning else frozenset()
        self.waiting.update(unread)
        for chunk, score in by_meaning:
            if (section := cards.get(chunk)) and section not in unread:
                self.meaning.setdefault(section, score)
                self.page_meaning[section.page] = of_page[section.page.document]
        for chunk, weight in literals.items():
            if section := cards.get(chunk):
                self.literals[section] = max(weight, self.literals.get(section, 0.0))

    def add_records(self, snapshot: Snapshot, records: Ranking) -> None:
        """Take in one store's ranking of whole records, instead of what their chunks sum up to."""
        cards = snapshot.cards({chunk for chunk, _ in records})
        for page in {section.page for section in self.chunks if section.store is snapshot.searched}:
            self.page_words.pop(page, None)
        of_pages = {section.page for section in self.chunks}
        for chunk, score in records:
            if section := cards.get(chunk):
                self.page_words[section.page] = score
                if section.page not in of_pages:  # its parts are below the depth of both legs
                    self.chunks.setdefault(section, chunk)


def _unread(snapshot: Snapshot, cards: Collection[SectionCard]) -> frozenset[SectionCard]:
    """The sections in languages that the model does not know."""
    leg = snapshot.searched.meaning
    unknown = {it for it in {card.language for card in cards} if leg and not leg.reads(it)}
    return frozenset(card for card in cards if card.language in unknown) if unknown else frozenset()


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
