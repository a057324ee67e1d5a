"""The vectors that are searched locally: an exact scan over the cached ones."""

from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.legs import SearchFilters, SemanticRankings
from pit_memory.core.vectors import Coverage
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.vector_cache import VectorCache

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class LocalVectors:
    """One store's vectors of one model in memory (`core.vectors.VectorStore`)."""

    def __init__(
        self, catalogue: Catalogue, cache: VectorCache, fingerprint: str, folder: Path
    ) -> None:
        raise NotImplementedError

    def search(
        self, question: "NDArray[float32]", filters: SearchFilters, limit: int
    ) -> SemanticRankings:
        """Rank chunks by cosine with a question; see `core.vectors.VectorStore`."""
        raise NotImplementedError

    def coverage(self) -> Coverage:
        """How much of the store has a vector now."""
        raise NotImplementedError
