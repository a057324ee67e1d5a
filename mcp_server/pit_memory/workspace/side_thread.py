"""A second thread for a search: model, scan and engines free the interpreter while they work."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import RLock
from typing import TypeVar

T = TypeVar("T")


class SideThread:
    """One thread, started when first used; several threads may have work for it.

    While it works for one of them the others do their own work: many searches at once keep every
    core busy as it is, and none waits for another's turn.
    """

    def __init__(self) -> None:
        """Start nothing yet."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="beside")
        self._taken = RLock()
        self._closed = False

    @contextmanager
    def doing(self, work: Callable[[], T]) -> Iterator[Callable[[], T]]:
        """Have some work done beside the block; it is over when the block is left.

        Blocks within each other have their work done in order.

        Yields:
            What waits for the result, or raises what the work raised.
        """
        if not self._taken.acquire(blocking=False):
            yield work
            return
        try:
            if self._closed:
                yield work
                return
            future: Future[T] = self._thread.submit(work)
            try:
                yield future.result
            finally:
                future.exception()  # waits, and costs a tenth of `wait` where it is over
        finally:
            self._taken.release()

    def close(self) -> None:
        """End the thread; whoever has work goes on to do it."""
        with self._taken:
            self._closed = True
            self._thread.shutdown()
