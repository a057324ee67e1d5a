"""A store as searches see it, with what they remember of it while nothing changes."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING

from pit_memory.core.documents.copies import copy_name
from pit_memory.core.documents.noise import is_noise, is_noise_section
from pit_memory.core.search.coverage import idf
from pit_memory.core.search.fusion import Candidate
from pit_memory.core.search.legs import SearchFilters, SemanticLeg
from pit_memory.core.search.queries import telling_stems
from pit_memory.core.search.runbooks import is_runbook
from pit_memory.core.source import Source
from pit_memory.stores.rows import texts_of_json
from pit_memory.stores.store import Store

if TYPE_CHECKING:
    from pit_memory.workspace.side_thread import SideThread

_NO_SOURCE = "\0"
"""No source is called so: nothing passes."""
_DAY = len("2026-05-17")
_REMEMBERED_CHUNKS = 50_000
"""Some 25 MB: chunks that searches of one generation have met."""


@dataclass(frozen=True, slots=True, eq=False)
class PageCard:
    """A document that some leg found; one object as long as nothing changes."""

    document: int
    path: str
    title: frozenset[str]
    """Stems of its title (`core.search.queries.telling_stems`)."""
    noise: bool
    """See `core.documents.noise`; or its front matter puts it behind others."""
    sections: int
    """How many it has."""
    boosted: bool
    """Its front matter puts it before others."""
    date: str
    """First day of what it tells, such as an incident or a fact; empty where it has none."""
    until: str
    """Last day of its incident; empty where it is none."""
    is_runbook: bool
    """See `core.search.runbooks`."""
    copy_name: str
    """See `core.documents.copies`."""

    @property
    def told_with(self) -> Hashable:
        """The same for all pages of one day and one title, such as facts of a topic; else None."""
        return (self.date[:_DAY], self.title) if self.date and self.title else None


@dataclass(frozen=True, slots=True, eq=False)
class SectionCard:
    """A section that some leg found; one object as long as nothing changes."""

    store: "SearchedStore"
    page: PageCard
    heading: frozenset[str]
    """Stems of its heading; empty where there is none."""
    bare: bool
    """It is a heading and nothing else: its answers stand in the sections below it."""
    language: str
    """ISO 639-1."""
    ordinal: int
    """Its place in the page."""
    hash: str
    """Of its lines."""
    noise: bool
    """See `core.documents.noise.is_noise_section`."""
    unnamed: Candidate
    """What it is to a question that names neither its heading nor its page: to most of them."""


class SearchedStore:
    """A store to search, and its vectors where there are any; keep it for all searches."""

    def __init__(
        self,
        store: Store,
        meaning: SemanticLeg | None = None,
        without_meaning: str = "",
        *,
        sources: Collection[Source] | None = None,
        elsewhere: tuple[str, ...] = (),
        beside: "SideThread | None" = None,
    ) -> None:
        """Take a store.

        Args:
            store: its catalogue and keyword index.
            meaning: None where there is no search by meaning.
            without_meaning: why, one line for every answer; empty where that was asked for.
            sources: those that may answer; None for all that the store holds.
            elsewhere: folders, relative to their source, that another store answers for.
            beside: where a question's vector is made meanwhile; None: when it is needed.
        """
        self.store = store
        self.meaning = meaning
        self.without_meaning = without_meaning
        self.beside = beside
        self._roots = None if sources is None else _roots(sources)
        self._elsewhere = elsewhere
        self._snapshots: dict[str, Snapshot] = {}

    def saw(self, sources: Collection[Source]) -> None:
        """Let those sources answer from now on that a look has found."""
        self._roots = _roots(sources)

    def let_answer(self, source: Source) -> None:
        """Let a source answer, too, that came into being since the last look."""
        if self._roots is not None:
            self._roots = {**self._roots, source.name: source.root}

    def roots(self) -> Mapping[str, str]:
        """The absolute root of each source, by its name; empty where no look has recorded it."""
        if self._roots is None:
            return {row.name: row.root for row in self.store.catalogue.sources()}
        return self._roots

    def narrowed(self, filters: SearchFilters) -> SearchFilters:
        """The filters, and what of this store may answer at all."""
        if self._elsewhere:
            filters = replace(filters, left_out=(*filters.left_out, *self._elsewhere))
        if self._roots is None:
            return filters
        allowed = self._roots.keys()
        if {row.name for row in self.store.catalogue.sources()} <= allowed:
            return filters
        wanted = allowed & (frozenset(filters.sources) or allowed)
        return replace(filters, sources=tuple(sorted(wanted)) or (_NO_SOURCE,))

    def snapshot(self, language: str) -> "Snapshot":
        """What is known of the store as it is now; a search asks for it once.

        Args:
            language: of the question, whose stems headings are compared by.
        """
        now = self.store.catalogue.generation(), self.store.keywords.chunk_count()
        known = self._snapshots.get(language)
        if known is None or now != (known.generation, known.chunk_count) or known.is_full:
            known = self._snapshots[language] = Snapshot(self, language, *now)
        return known


def _roots(sources: Iterable[Source]) -> dict[str, str]:
    return {source.name: source.root for source in sources}


class Snapshot:
    """Headings and word weights of a store at one moment, read when first asked for."""

    def __init__(
        self, searched: SearchedStore, language: str, generation: int, chunk_count: int
    ) -> None:
        """Know nothing yet.

        Args:
            searched: the store.
            language: of the stems.
            generation: of its catalogue.
            chunk_count: entries of its keyword index, which may be behind the catalogue.
        """
        self.searched = searched
        self._language = language
        self.generation = generation
        self.chunk_count = chunk_count
        self._idf: dict[str, float] = {}
        self._masses: dict[frozenset[str], float] = {}
        self._texts: dict[str, frozenset[str]] = {}
        """Headings and titles repeat: many facts have one topic."""
        self._pages: dict[int, PageCard] = {}
        self._sections: dict[tuple[int, int], SectionCard] = {}
        self._cards: dict[int, SectionCard] = {}

    @property
    def is_full(self) -> bool:
        """Whether it holds more than it should."""
        return len(self._cards) > _REMEMBERED_CHUNKS

    def idf(self, stems: Collection[str]) -> dict[str, float]:
        """How much each stem tells in this store."""
        new = [stem for stem in stems if stem not in self._idf]
        if new:
            texts_with = self.searched.store.keywords.chunk_frequencies(new)
            for stem, count in zip(new, texts_with, strict=True):
                self._idf[stem] = idf(count, self.chunk_count)
        return {stem: self._idf[stem] for stem in stems}

    def mass(self, stems: frozenset[str]) -> float:
        """How much a heading tells: the sum of what its stems do."""
        mass = self._masses.get(stems)
        if mass is None:
            mass = self._masses[stems] = fsum(self.idf(stems).values())
        return mass

    def cards(self, chunks: Iterable[int]) -> Mapping[int, SectionCard]:
        """The sections by chunk id: those of some chunks, as far as they still exist, and others.

        Args:
            chunks: their ids.
        """
        known = self._cards
        if new := {chunk for chunk in chunks if chunk not in known}:
            self._read(sorted(new))  # neighbours are read together
        return known

    def _read(self, chunks: Collection[int]) -> None:
        for place in self.searched.store.catalogue.places(chunks):
            page = self._pages.get(place.document)
            if page is None:
                page = PageCard(
                    document=place.document,
                    path=place.path,
                    title=self._stems(place.title),
                    noise=is_noise(place.path) or (place.boost is not None and place.boost < 1),
                    sections=place.page_sections,
                    boosted=place.boost is not None and place.boost > 1,
                    date=place.date,
                    until=place.until,
                    is_runbook=is_runbook(place.path, place.title, texts_of_json(place.tags)),
                    copy_name=copy_name(place.path),
                )
                self._pages[place.document] = page
            key = place.document, place.section
            if key not in self._sections:
                heading = self._stems(place.heading)
                noise = is_noise_section(place.path, place.heading)
                bare = bool(place.bare)
                self._sections[key] = SectionCard(
                    self.searched,
                    page,
                    heading,
                    bare,
                    place.language,
                    place.section,
                    place.hash,
                    noise,
                    Candidate(
                        page,
                        heading=0.0,
                        title=0.0,
                        whole_heading=False,
                        boosted=page.boosted,
                        lowered=(page.noise or noise) and not page.boosted,
                        bare=bare,
                        names_page=heading <= page.title,
                        date=page.date,
                        told_with=page.told_with,
                    ),
                )
            self._cards[place.id] = self._sections[key]

    def _stems(self, text: str) -> frozenset[str]:
        stems = self._texts.get(text)
        if stems is None:
            stems = self._texts[text] = telling_stems(text, self._language)
        return stems
