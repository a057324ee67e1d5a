"""A store opened: with the sources it holds and what searches it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pit_memory.core.indexing.embedding import Embedder
from pit_memory.core.indexing.vectors import Coverage, VectorStore
from pit_memory.core.source import Source
from pit_memory.operations.searching.search import SearchedStore
from pit_memory.stores.store import Store

if TYPE_CHECKING:  # NumPy: only who searches by meaning pays for it
    from pit_memory.stores.semantic_leg import StoreMeaning
    from pit_memory.stores.vector_cache import VectorCache


@dataclass(frozen=True, slots=True)
class Meaning:
    """The parts that search by meaning."""

    embedder: Embedder
    cache: "VectorCache"
    vectors: VectorStore
    leg: "StoreMeaning"


@dataclass(frozen=True, slots=True)
class OpenedStore:
    """A store with its sources and what searches it."""

    store: Store
    find_sources: Callable[[], tuple[Source, ...]]
    """Asked anew each time: the first entry of a folder makes it a source."""
    meaning: Meaning | None
    searched: SearchedStore
    """The store as searches see it; it remembers between them."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Those that are looked at and may answer."""
        return self.find_sources()

    def look_for_sources(self) -> tuple[Source, ...]:
        """Find the sources, and let searches answer from them."""
        found = self.sources
        self.searched.saw(found)
        return found

    def coverage(self, source: str | None = None) -> Coverage | None:
        """How far meaning is built, of all or of one source; None without a model."""
        if self.meaning is None:
            return None
        from pit_memory.operations.indexing.meaning import coverage

        fingerprint = self.meaning.embedder.fingerprint
        return coverage(self.store, self.meaning.cache, fingerprint, source)
