"""What goes on after an answer: the rest of a large change, and vectors that are missing."""

import logging
from collections.abc import Callable
from threading import Event, Thread
from typing import Protocol

from pit_memory.errors import PitMemoryError

log = logging.getLogger(__name__)


class Background(Protocol):
    """Sees to it that everything gets indexed and embedded."""

    def wake(self) -> None:
        """Begin, unless it is at it already; returns at once."""

    def stop(self) -> None:
        """End what runs in this process; what is done is kept."""


class NoBackground:
    """For callers that finish everything themselves."""

    def wake(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""


class ProcessBackground:
    """For one-shot commands: a process of its own goes on when they have ended."""

    def __init__(self, start: Callable[[], None], runs: Callable[[], bool]) -> None:
        """Take what starts the process, and what tells whether one is at work on this store."""
        self._start = start
        self._runs = runs

    def wake(self) -> None:
        """Start the process, unless one runs."""
        if not self._runs():
            self._start()

    def stop(self) -> None:
        """Do nothing: the process ends by itself."""


class ThreadBackground:
    """For the server: a thread that works whenever it is woken."""

    def __init__(self, work: Callable[[Callable[[], bool]], None]) -> None:
        """Take the work; it gets a function that says when to stop, and is not started yet."""
        self._work = work
        self._woken = Event()
        self._stopping = Event()
        self._thread: Thread | None = None

    def wake(self) -> None:
        """Let the thread work; starts it the first time."""
        self._woken.set()
        if self._thread is None:
            self._thread = Thread(target=self._run, name="pit-memory-background", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread after the piece of work at hand."""
        self._stopping.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._woken.wait()
            self._woken.clear()
            if self._stopping.is_set():
                return
            try:
                self._work(self._stopping.is_set)
            except PitMemoryError as error:
                # The next search meets the same trouble and names it in its answer.
                log.warning("background work stopped: %s", error)
