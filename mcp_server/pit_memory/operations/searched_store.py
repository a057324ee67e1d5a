"""A store as searches see it, with what they remember of it while nothing changes."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from pit_memory.core.coverage import WeighedWords, idf
from pit_memory.core.legs import SemanticLeg
from pit_memory.core.queries import telling_stems
from pit_memory.stores.store import Store

_REMEMBERED_CHUNKS = 50_000
"""About 25 MB: chunks that some search met."""


class Card(NamedTuple):
    """What fusion needs of a chunk, without its text."""

    document: int
    section: int
    path: str
    heading: WeighedWords
    title: WeighedWords


@dataclass(slots=True)
class _Memory:
    """Facts of one generation of the catalogue."""

    generation: int
    chunks: int
    """Entries of the keyword index, the number that idf is made of."""
    cards: dict[int, Card] = field(default_factory=dict)
    idf: dict[str, float] = field(default_factory=dict)


class SearchedStore:
    """A store to search, and its vectors where there are any; keep it for all searches."""

    def __init__(
        self, store: Store, meaning: SemanticLeg | None = None, without_meaning: str = ""
    ) -> None:
        """Take a store.

        Args:
            store: its catalogue and keyword index.
            meaning: None where there is no search by meaning.
            without_meaning: why, one line for every answer; empty where that was asked for.
        """
        self.store = store
        self.meaning = meaning
        self.without_meaning = without_meaning
        self._memory = _Memory(-1, 0)

    @property
    def chunk_count(self) -> int:
        """Entries of the keyword index."""
        return self._memory.chunks

    def refresh(self) -> None:
        """Forget what a write has changed; every search begins with it."""
        generation = self.store.catalogue.generation()
        memory = self._memory
        if generation != memory.generation or len(memory.cards) > _REMEMBERED_CHUNKS:
            self._memory = _Memory(generation, self.store.keywords.chunk_count())

    def idf(self, stems: Collection[str]) -> dict[str, float]:
        """How much each stem tells in this store."""
        memory = self._memory
        new = [stem for stem in stems if stem not in memory.idf]
        for stem, texts in zip(new, self.store.keywords.chunk_frequencies(new), strict=True):
            memory.idf[stem] = idf(texts, memory.chunks)
        return {stem: memory.idf[stem] for stem in stems}

    def cards(self, chunks: Collection[int]) -> dict[int, Card]:
        """The cards of those chunks that still exist, by chunk id, in the order given."""
        memory = self._memory
        new = [chunk for chunk in chunks if chunk not in memory.cards]
        if new:
            for place in self.store.catalogue.places(new):
                memory.cards[place.id] = Card(
                    place.document,
                    place.section,
                    place.path,
                    self._weighed(place.heading),
                    self._weighed(place.title),
                )
        return {chunk: memory.cards[chunk] for chunk in chunks if chunk in memory.cards}

    def _weighed(self, text: str) -> WeighedWords:
        stems = telling_stems(text)
        return WeighedWords(stems, sum(self.idf(stems).values()))
