"""A second thread for a search: model, scan and engines free the interpreter while they work."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import RLock
from typing import Any, TypeVar

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
        self._under_way: Future[Any] | None = None
        """The last work of whoever has taken the thread."""
        self._closed = False

    @contextmanager
    def doing(self, work: Callable[[], T]) -> Iterator[Callable[[], T]]:
        """Have some work done beside the block; it is over when the block is left.

        In a block within another, whose work is still under way, it is done by whoever asks for its
        result, when the other is over: to hand it over would cost more than small work takes.

        Yields:
            What waits for the result, or raises what the work raised.
        """
        if not self._taken.acquire(blocking=False):
            yield work
            return
        outer = self._under_way
        try:
            if self._closed:
                yield work
            elif outer is not None and not outer.done():
                yield lambda: _after(outer, work)
                outer.exception()
            else:
                future = self._thread.submit(work)
                self._under_way = future
                try:
                    yield future.result
                finally:
                    future.exception()  # waits; a tenth of `wait` where it is over
        finally:
            self._under_way = outer
            self._taken.release()

    def close(self) -> None:
        """End the thread; whoever has work goes on to do it."""
        with self._taken:
            self._closed = True
            self._thread.shutdown()


def _after(other: Future[Any], work: Callable[[], T]) -> T:
    other.exception()
    return work()
