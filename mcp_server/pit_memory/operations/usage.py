"""What a project's searches came to, kept in its store: `status` shows what no `/metrics` does.

Written now and then and at the end, without waiting for the disk: it is worth no search's time, and
a kill may cost the last counts.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final

from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.errors import StorageFullError
from pit_memory.workspace.files import read_bytes, write_atomic
from pit_memory.workspace.locks import FileLock

USAGE_FILE: Final = "usage.json"
"""In a store."""
_SAVE_SECONDS: Final = 30.0
_MAX_BYTES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts since a moment."""

    since: float = 0.0
    """Seconds since the epoch; 0 where nothing was counted yet."""
    searches: int = 0
    by_words_only: int = 0
    """Searches whose question could not be asked by meaning."""
    degraded: int = 0
    """Answers that said that something was missing or not complete."""
    found_nothing: int = 0
    incident_searches: int = 0
    last_error: str = ""
    """Why a question could last not be asked by meaning."""
    last_error_at: float = 0.0

    def plus(self, other: "Usage") -> "Usage":
        """Both together; the other one is the later."""
        return Usage(
            since=self.since or other.since,
            searches=self.searches + other.searches,
            by_words_only=self.by_words_only + other.by_words_only,
            degraded=self.degraded + other.degraded,
            found_nothing=self.found_nothing + other.found_nothing,
            incident_searches=self.incident_searches + other.incident_searches,
            last_error=other.last_error or self.last_error,
            last_error_at=max(self.last_error_at, other.last_error_at),
        )


class UsageCounter:
    """Counts one process's searches into a store; safe to use from several threads."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        """Name the store; nothing is read or written yet."""
        self._file = folder / USAGE_FILE
        self._lock = FileLock(folder / "usage.lock")
        self._clock = clock
        self._changing = Lock()
        self._new = Usage()
        self._saved_at = clock()

    def add(self, collection: str, answer: SearchAnswer) -> None:
        """Count a search; every half minute it is written down."""
        now = self._clock()
        failed = answer.semantic.failed
        one = Usage(
            since=now,
            searches=1,
            by_words_only=int(failed),
            degraded=int("degraded" in (answer.keyword.state, answer.semantic.state)),
            found_nothing=int(answer.abstained),
            incident_searches=int(collection == "incidents"),
            last_error=answer.semantic.reason if failed else "",
            last_error_at=now if failed else 0.0,
        )
        with self._changing:
            self._new = self._new.plus(one)
            if now - self._saved_at < _SAVE_SECONDS:
                return
        self.save()

    def save(self) -> None:
        """Write down what is new; what can't be written now is kept for the next time."""
        with self._changing:
            if not self._new.searches:
                return
            try:
                if not self._lock.try_acquire():
                    return
            except StorageFullError:
                return
            try:
                total = read_usage(self._file.parent).plus(self._new)
                write_atomic(self._file, json.dumps(asdict(total)).encode(), settle=False)
            except (OSError, StorageFullError):
                return
            finally:
                self._lock.release()
            self._new = Usage()
            self._saved_at = self._clock()


def read_usage(folder: Path) -> Usage:
    """What was counted in a store so far; nothing where the file is missing or damaged."""
    try:
        return replace(Usage(), **json.loads(read_bytes(folder / USAGE_FILE, _MAX_BYTES)))
    except (OSError, ValueError, TypeError):
        return Usage()
