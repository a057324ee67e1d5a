"""Keep a server's documents fresh: fetch and index when a forge calls, and now and then anyway."""

import logging
import time
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final

from pit_memory.errors import PitMemoryError

log = logging.getLogger("pit_memory.freshness")
_STOP_SECONDS: Final = 10.0
_SETTLE_SECONDS: Final = 0.2
"""Several pushes of one moment are one fetch."""


class Freshness:
    """A thread that brings the documents in: one round at a time, however many ask for it."""

    def __init__(
        self,
        fetch: Callable[[], str] | None,
        index: Callable[[], object],
        every_seconds: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Name what a round does; the thread starts with `start`.

        Args:
            fetch: brings the clone forward and names its commit; None where nothing is fetched.
            index: completes the words; meaning follows behind.
            every_seconds: between two rounds that nobody asked for.
            clock: seconds since the epoch.
        """
        self._fetch = fetch
        self._index = index
        self._every_seconds = every_seconds
        self._clock = clock
        self._news = Event()
        self._ending = Event()
        self._starting = Lock()
        self._thread: Thread | None = None
        self.fetched_at: float | None = None if fetch is None else 0.0
        """When a fetch last worked; 0 before the first, None where nothing is fetched."""
        self.trouble = ""
        """Why the last round failed, one line; empty where it did not."""
        self.rounds = 0

    def start(self) -> None:
        """Begin with a round."""
        with self._starting:
            if self._thread is None:
                self._news.set()
                self._thread = Thread(target=self._run, name="freshness", daemon=True)
                self._thread.start()

    def wake(self) -> None:
        """Ask for a round; returns at once. One that is under way is followed by another."""
        self._news.set()

    def stop(self) -> None:
        """End after the round at hand; cut off, the index keeps its last whole state."""
        self._ending.set()
        self._news.set()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def once(self) -> None:
        """One round: fetch, then index, whatever became of the fetch."""
        troubles = []
        if self._fetch is not None:
            try:
                self._fetch()
                self.fetched_at = self._clock()
            except PitMemoryError as error:
                troubles.append(str(error))
        try:
            self._index()
        except PitMemoryError as error:
            troubles.append(str(error))
        self.trouble = "; ".join(troubles)
        self.rounds += 1
        if self.trouble:
            log.warning("documents may be behind: %s", self.trouble)

    def _run(self) -> None:
        while not self._ending.is_set():
            self._news.wait(self._every_seconds)
            self._ending.wait(_SETTLE_SECONDS)
            self._news.clear()
            if not self._ending.is_set():
                self.once()
