"""Fill in the vectors behind: what is not embedded yet, newest documents first, each text once."""

from collections.abc import Callable
from dataclasses import dataclass

from pit_memory.core.embedding import Embedder
from pit_memory.core.vectors import Coverage
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache

Progress = Callable[[int, int], None]
"""Called with (chunks that have a vector, chunks in all)."""


@dataclass(frozen=True, slots=True)
class MeaningState:
    """How far a store's meaning is built, for `status` and for answers."""

    coverage: Coverage
    seconds_left: float | None
    """Estimate from the measured rate; None where nothing was measured yet or nothing is left."""

    def line(self) -> str:
        """`meaning: 43 % built, about 4 min`; empty where all is built."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class FillReport:
    """What a fill did."""

    computed: int
    """Texts embedded by this call."""
    complete: bool
    """False where it was stopped, or where another process fills this store."""


def fill(
    store: Store,
    cache: VectorCache,
    embedder: Embedder,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> FillReport:
    """Embed what has no vector yet, to the end; resumable, each small batch is kept.

    Raises:
        EmbedderError: the model can't run.
        StoreError: catalogue or cache can't be used.
    """
    raise NotImplementedError


def state(store: Store, cache: VectorCache, fingerprint: str) -> MeaningState:
    """How far meaning is built, from any process."""
    raise NotImplementedError


class BackgroundFill:
    """A low-priority thread of the server that fills whenever it is woken."""

    def __init__(self, store: Store, cache: VectorCache, embedder: Embedder) -> None:
        raise NotImplementedError

    def wake(self) -> None:
        """Look for something to embed; starts the thread the first time. Returns at once."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the thread after the text at hand; returns when it has ended."""
        raise NotImplementedError


