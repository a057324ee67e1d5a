"""A server that is out of reach: since when, and when it is worth asking again."""

import time
from collections.abc import Callable
from threading import Lock

AGAIN_SECONDS = 5.0
"""After a failure it isn't asked for so long: answers without it don't wait for it."""
_MINUTE = 60.0


class Outage:
    """What is known of one server; several threads may use it."""

    def __init__(self, server: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the server's name and address, for messages; it is taken to answer."""
        self._server = server
        self._clock = clock
        self._changing = Lock()
        self._since: float | None = None
        self._again_at = 0.0
        self._why = ""

    @property
    def is_asked(self) -> bool:
        """Whether it is worth asking now."""
        return self._since is None or self._clock() >= self._again_at

    @property
    def lasts(self) -> bool:
        """Whether it could not be reached the last time it was asked."""
        return self._since is not None

    def failed(self, why: str) -> None:
        """Take note that it could not be reached."""
        with self._changing:
            now = self._clock()
            self._since = now if self._since is None else self._since
            self._again_at = now + AGAIN_SECONDS
            self._why = why

    def answered(self) -> None:
        """Take note that it answers."""
        self._since = None

    def __str__(self) -> str:
        """For people: `Ollama at http://... is out of reach for 14 min (connection refused)`."""
        minutes = (self._clock() - (self._since or self._clock())) / _MINUTE
        since = f" for {minutes:.0f} min" if minutes >= 1 else ""
        return f"{self._server} is out of reach{since} ({self._why})"
