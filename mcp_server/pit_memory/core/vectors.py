"""What a search by meaning asks of the place that holds a store's vectors: a scan or a server."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pit_memory.core.legs import SearchFilters, SemanticRankings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of a store's chunks can be found by meaning."""

    built: int
    """Chunks that have a vector."""
    total: int
    """Chunks of the store."""

    @property
    def share(self) -> float:
        """Part of the chunks that have a vector, in [0, 1]; 1 for an empty store."""
        return self.built / self.total if self.total else 1.0


class VectorStore(Protocol):
    """The vectors of one store and one model; safe to use from several threads."""

    def search(
        self, question: "NDArray[float32]", filters: SearchFilters, limit: int
    ) -> SemanticRankings:
        """Rank chunks by cosine with a question; only what passes the filters is ranked at all.

        Args:
            question: unit vector of the store's dimension.
            filters: what a chunk's document must be.
            limit: chunks at most; the page scores are those of these chunks' pages.

        Raises:
            StoreError: the vectors can't be used as they are; the search goes on by words.
        """

    def coverage(self) -> Coverage:
        """How much of the store has a vector now."""
