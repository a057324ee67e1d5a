"""What goes on after an answer: the rest of a large change, and vectors that are missing."""

import logging
from collections.abc import Callable
from threading import Lock, Thread
from typing import TYPE_CHECKING, Protocol

from pit_memory.errors import PitMemoryError

if TYPE_CHECKING:
    from pit_memory.operations.indexing.background_fill import BackgroundFill

log = logging.getLogger(__name__)

_STOP_SECONDS = 2.0


class Background(Protocol):
    """Sees to it that everything gets indexed and embedded."""

    @property
    def trouble(self) -> str:
        """Why the last work ended early, one line for the answer; empty where it did not."""

    def wake(self) -> None:
        """Begin, unless it is at it already; returns at once."""

    def stop(self) -> None:
        """End what runs in this process; what is done is kept."""


class NoBackground:
    """For callers that finish everything themselves."""

    trouble = ""

    def wake(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""


class ProcessBackground:
    """For one-shot commands: a process of its own goes on when they have ended."""

    def __init__(
        self, start: Callable[[], None], runs: Callable[[], bool], trouble: Callable[[], str]
    ) -> None:
        """Take what the process is known by.

        Args:
            start: starts it.
            runs: tells whether one is at work on this store.
            trouble: what the last one left, see `trouble`.
        """
        self._start = start
        self._runs = runs
        self._trouble = trouble

    @property
    def trouble(self) -> str:
        """Why the last work ended early, one line for the answer; empty where it did not."""
        return self._trouble()

    def wake(self) -> None:
        """Start the process, unless one runs."""
        if not self._runs():
            self._start()

    def stop(self) -> None:
        """Do nothing: the process ends by itself."""


class ThreadBackground:
    """For the server: a thread that indexes, then the filler's thread for meaning."""

    def __init__(self, index: Callable[[], object], fill: "BackgroundFill | None") -> None:
        """Take the parts; nothing is started yet.

        Args:
            index: brings the words up to the files, to the end.
            fill: brings the meaning up to the words; None where there is no model.
        """
        self._index = index
        self._fill = fill
        self._trouble = ""
        self._starting = Lock()
        self._thread: Thread | None = None

    @property
    def trouble(self) -> str:
        """Why the last work ended early, one line for the answer; empty where it did not."""
        return self._trouble or (self._fill.trouble if self._fill else "")

    def wake(self) -> None:
        """Start indexing, unless it is at it; meaning follows. Returns at once."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="indexing", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the filler after its batch, and give the indexing a moment to end by itself.

        Where that takes longer it is cut off like by a kill, which every store survives.
        """
        if self._fill:
            self._fill.stop()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        try:
            self._index()
        except PitMemoryError as error:  # the next search looks again, and says this
            self._trouble = str(error)
            log.warning("indexing in the background ended early: %s", error)
        else:
            self._trouble = ""
        if self._fill:
            self._fill.wake()
