"""What the product asks of an embedding model."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class Embedder(Protocol):
    """A model that turns text into unit vectors."""

    @property
    def fingerprint(self) -> str:
        """Identity of what shapes a vector: model, file hash, dimension, token limit, pooling."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def languages(self) -> Collection[str] | None:
        """Those that it was trained on, ISO 639-1; None where it reads any."""

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Embed texts; shape (len(texts), dimension), rows of unit length.

        Raises:
            EmbedderError: the model can't run; the message has the reason and the remedy.
        """

    def embed_query(self, text: str) -> "NDArray[float32]":
        """Embed one question; shape (dimension,), unit length. Raises like embed_documents."""
