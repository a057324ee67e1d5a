"""What a search by meaning asks of the place that holds a store's vectors: a scan or a server."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pit_memory.core.search.legs import SearchFilters, SemanticRankings
from pit_memory.errors import EmbedderError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


_MINUTE = 60.0
_HOUR = 3_600.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of a store's chunks can be found by meaning."""

    built: int
    """Chunks that have a vector."""
    total: int
    """Chunks of the store."""
    seconds_left: float | None = None
    """Estimate from the measured rate; None where nothing was measured yet or nothing is left."""

    @property
    def share(self) -> float:
        """Part of the chunks that have a vector, in [0, 1]; 1 for an empty store."""
        return self.built / self.total if self.total else 1.0

    def line(self) -> str:
        """What people read: `meaning: 43 % built, about 4 min to go`; empty where all is built."""
        return "" if self.share >= 1 else f"meaning: {how_far(self.share, self.seconds_left)}"


def summed(parts: Sequence[Coverage]) -> Coverage:
    """How far several stores, or sources, are built together; they are built one after another."""
    left = [part.seconds_left for part in parts if part.seconds_left is not None]
    return Coverage(
        sum(part.built for part in parts),
        sum(part.total for part in parts),
        sum(left) if left else None,
    )


def how_far(share: float, seconds_left: float | None) -> str:
    """How far meaning is built, for people: `43 % built, about 4 min to go`.

    Args:
        share: in [0, 1]; rounded down, so that 100 % is never said too early.
        seconds_left: None where it isn't known.
    """
    built = f"{int(share * 100)} % built"
    return f"{built}, {_duration(seconds_left)} to go" if seconds_left is not None else built


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return "less than a minute"
    if seconds < _HOUR:
        return f"about {round(seconds / _MINUTE)} min"
    return f"about {seconds / _HOUR:.1f} h"


def check_question(question: "NDArray[float32]", dimension: int) -> None:
    """Refuse a question's vector that another model made than the one that filled a store.

    Args:
        question: its vector.
        dimension: length of the store's vectors.

    Raises:
        EmbedderError: it has another length.
    """
    if question.shape != (dimension,):
        raise EmbedderError(
            f"the question's vector has shape {question.shape}, the store's vectors have "
            f"{dimension} numbers: another model asks than the one that filled it"
        )


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
            EmbedderError: the question's vector has another length.
            StoreError: the vectors can't be used as they are; the search goes on by words.
        """

    def bring_up(self) -> None:
        """Bring in what the store holds now, as far as it costs a search nothing but time here.

        Raises:
            StoreError: the vectors can't be used as they are.
        """

    def coverage(self) -> Coverage:
        """How much of the store has a vector now."""

    def follow(self) -> None:
        """Bring in what was embedded or removed since; whoever fills calls it now and then.

        Raises:
            StoreError, StorageFullError: it can't be done now; a later call makes up for it.
        """
