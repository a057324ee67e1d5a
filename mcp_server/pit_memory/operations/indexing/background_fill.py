"""A server's own filler: a thread that builds meaning whenever something is missing."""

import time
from collections.abc import Sequence
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final

from pit_memory.core.indexing.embedding import Embedder
from pit_memory.core.indexing.vectors import VectorStore
from pit_memory.errors import PitMemoryError
from pit_memory.operations.indexing.meaning import fill_behind
from pit_memory.stores.store import Store

if TYPE_CHECKING:
    from pit_memory.stores.catalogue import Catalogue
    from pit_memory.stores.vector_cache import VectorCache

_OTHER_FILLS_SECONDS: Final = 5.0
"""How soon to look again where another process is filling the same store: it may be killed."""
_WHOLE_LOOK_SECONDS: Final = 86_400.0
"""A whole store is looked at this often, so that the cache knows its vectors are in use."""
_STOP_SECONDS: Final = 5.0
"""A batch takes less."""


class BackgroundFill:
    """Fills a server's stores at the lowest priority, woken by each look."""

    def __init__(
        self,
        stores: Sequence[tuple[Store, VectorStore]],
        cache: "VectorCache",
        embedder: Embedder,
    ) -> None:
        """Name the parts; the thread starts with the first `wake`.

        Args:
            stores: each with its searched vectors; filled in this order.
            cache: the person's vectors.
            embedder: the model.
        """
        self._stores = stores
        self._cache = cache
        self._embedder = embedder
        self._reached: dict[Store, tuple[Catalogue, int]] = {}
        self._whole_look_at = 0.0
        self._news = Event()
        self._ending = Event()
        self._starting = Lock()
        self._thread: Thread | None = None
        self._trouble = ""

    @property
    def trouble(self) -> str:
        """Why the last fill ended early, one line; empty where it did not."""
        return self._trouble

    def wake(self) -> None:
        """Look for something to embed; returns at once. Cheap, so call it after every look."""
        self._news.set()
        with self._starting:
            if not self._ending.is_set() and (self._thread is None or not self._thread.is_alive()):
                self._thread = Thread(target=self._run, name="meaning", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the thread after the batch at hand."""
        with self._starting:
            self._ending.set()
            self._news.set()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        look_again: float | None = None
        while not self._ending.is_set():
            self._news.wait(look_again)
            self._news.clear()
            done, troubles = True, []
            for store, vectors in self._stores:
                try:
                    done &= self._fill(store, vectors)
                except PitMemoryError as error:  # the next wake tries again
                    troubles.append(str(error))
            self._trouble = "; ".join(dict.fromkeys(troubles))
            look_again = None if done else _OTHER_FILLS_SECONDS

    def _fill(self, store: Store, vectors: VectorStore) -> bool:
        """Fill a store; False where another process is at it."""
        if time.monotonic() - self._whole_look_at > _WHOLE_LOOK_SECONDS:
            self._reached.clear()
            self._whole_look_at = time.monotonic()
        catalogue = store.catalogue
        known, generation = self._reached.get(store, (catalogue, 0))
        report = fill_behind(
            store,
            self._cache,
            self._embedder,
            vectors,
            since=generation if known is catalogue else 0,  # another one was begun anew
            stop=self._ending.is_set,
        )
        if report is None:
            return False
        if report.complete:
            self._reached[store] = (catalogue, report.generation)
        return True
