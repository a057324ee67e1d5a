"""Finish behind the answers what searches left undone: words first, then meaning."""

from collections.abc import Callable, Sequence

from pit_memory.core.source import Source
from pit_memory.operations.meaning import fill_behind
from pit_memory.operations.services import Meaning
from pit_memory.operations.sync import sync
from pit_memory.stores.store import Store


class CatchUp:
    """The work that a background does each time it is woken; remembers how far meaning has come."""

    def __init__(
        self,
        store: Store,
        sources: Sequence[Source],
        meaning: Meaning | None,
        *,
        own_process: bool = False,
    ) -> None:
        """Take the parts.

        Args:
            store: what to complete.
            sources: what it is made from.
            meaning: None where there is no model.
            own_process: the process does nothing else, so all of it gets the lowest priority.
        """
        self._store = store
        self._sources = sources
        self._meaning = meaning
        self._own_process = own_process
        self._completed = 0

    def __call__(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Index every changed file, then embed what has no vector; `stop` is asked in between."""
        sync(self._store, self._sources)
        if self._meaning is None or stop():
            return
        report = fill_behind(
            self._store,
            self._meaning.cache,
            self._meaning.embedder,
            self._meaning.vectors,
            since=self._completed,
            stop=stop,
            own_process=self._own_process,
        )
        if report and report.complete:
            self._completed = report.generation
