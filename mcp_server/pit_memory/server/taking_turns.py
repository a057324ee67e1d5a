"""Threads that take turns at reading lines: whoever reads a call answers it, and another reads on.

So no call changes threads, neither before nor after it is answered: on an idle machine each change
waits for a processor to wake up, a fifth of a millisecond or more.
"""

import os
import select
from collections import deque
from collections.abc import Callable
from threading import Lock, Thread
from typing import Final, Generic, TypeVar

T = TypeVar("T")

MOST_THREADS: Final = 16
"""One reads on; more calls at once would take from each other what a processor has."""
MOST_WAITING: Final = 1000
"""Calls that were read and wait for a thread; after them nothing is read until one is free."""
_READ_BYTES: Final = 65536


class TakingTurns(Generic[T]):
    """Reads lines from a descriptor until its end, and answers some of them side by side."""

    def __init__(
        self, descriptor: int, sort: Callable[[str], T | None], answer: Callable[[T], None]
    ) -> None:
        """Name the parts; nothing is read yet.

        Args:
            descriptor: to read from.
            sort: sees to a line, one after the other as they come; a call, which may take its time,
                it only returns.
            answer: answers such a call.
        """
        self._descriptor = descriptor
        self._sort = sort
        self._answer = answer
        self._turn = Lock()
        self._waiting: deque[T] = deque()
        """Calls that came while every thread but the reading one was busy."""
        self._lines: deque[bytes] = deque()
        self._begun: list[bytes] = []
        """Of the line that is being read."""
        self._ended = False
        self._counting = Lock()
        self._idle = 0
        """Threads that read or wait for their turn."""
        self._threads: list[Thread] = []

    def start(self) -> None:
        """Begin to read."""
        self._add_thread()

    def join(self) -> None:
        """Wait until the end is read and every call is answered."""
        for thread in self._threads:  # those that are added meanwhile, too
            thread.join()

    def _add_thread(self) -> None:
        thread = Thread(target=self._take_turns, name="reader", daemon=True)
        self._threads.append(thread)
        self._idle += 1
        thread.start()

    def _take_turns(self) -> None:
        while (call := self._next_call()) is not None:
            self._answer(call)
            while (waiting := self._waiting_call()) is not None:
                self._answer(waiting)

    def _next_call(self) -> T | None:
        """Read, when it is our turn, up to a call that is ours to answer; None at the end."""
        with self._turn:
            while (line := self._next_line()) is not None:
                if (call := self._sort(line)) is not None and not self._left_to_others(call):
                    return call
        return None

    def _left_to_others(self, call: T) -> bool:
        """Let a call wait where nobody else would read on; else let somebody do so."""
        with self._counting:
            if self._idle == 1:
                if len(self._threads) < MOST_THREADS:
                    self._add_thread()
                elif len(self._waiting) < MOST_WAITING:
                    self._waiting.append(call)
                    return True
            self._idle -= 1
            return False

    def _waiting_call(self) -> T | None:
        """A call that waits; without one the thread is idle again."""
        with self._counting:
            if self._waiting:
                return self._waiting.popleft()
            self._idle += 1
            return None

    def _next_line(self) -> str | None:
        while not self._lines and not self._ended:
            data = self._read()
            *ended, rest = data.split(b"\n")
            for part in ended:
                self._lines.append(b"".join((*self._begun, part)))
                self._begun.clear()
            self._begun.append(rest)
            if not data:
                self._ended = True
                self._lines.extend(filter(None, [b"".join(self._begun)]))
        return self._lines.popleft().decode(errors="replace") if self._lines else None

    def _read(self) -> bytes:
        while True:
            try:
                return os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:  # whoever started us shares a descriptor that never waits
                select.select((self._descriptor,), (), ())
            except OSError:  # such as a socket whose other end is gone
                return b""
