"""One store's semantic leg: its vectors, asked through the embedder that made them."""

from pit_memory.core.indexing.embedding import Embedder
from pit_memory.core.indexing.vectors import VectorStore
from pit_memory.core.search.legs import SearchFilters, SemanticRankings


class StoreMeaning:
    """A store's vectors and their embedder (`core.search.legs.SemanticLeg`)."""

    def __init__(self, embedder: Embedder, vectors: VectorStore) -> None:
        self._embedder = embedder
        self._vectors = vectors

    def reads(self, language: str) -> bool:
        """Whether the model knows a language (ISO 639-1)."""
        known = self._embedder.languages
        return known is None or language in known

    def prepare(self, question: str) -> None:
        """Make the question's vector, which the embedder keeps. Raises EmbedderError."""
        self._embedder.embed_query(question)

    def bring_up(self) -> None:
        """Bring in what changed in the store. Raises StoreError."""
        self._vectors.bring_up()

    def rank(self, question: str, filters: SearchFilters, limit: int) -> SemanticRankings:
        """Rank chunks by meaning, at most `limit`.

        Raises:
            EmbedderError: the model can't run; the search goes on by words and says why.
            StoreError: the vectors can't be used as they are; likewise.
        """
        return self._vectors.search(self._embedder.embed_query(question), filters, limit)
