"""A SQLite file that many threads and processes use at once: WAL, short writes, own errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from threading import Lock

from pit_memory.errors import (
    PitMemoryError,
    StorageFullError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
)

BUSY_SECONDS = 10.0
"""How long a writer waits for others. SQLite's waiting is unfair (3 s were measured with four
writers of short transactions), readers never wait."""
_CACHE_KIB = 16_000
"""Pages kept per connection: the index pages of some 100,000 chunks."""


class SqliteFile:
    """Connections to one file, each used by one thread at a time and kept for the next.

    No bare `sqlite3.Error` leaves it: StoreBusyError, StoreCorruptError, StorageFullError.
    """

    def __init__(
        self, path: Path, *, busy_seconds: float = BUSY_SECONDS, must_exist: bool = False
    ) -> None:
        """Name the file; nothing is opened yet.

        Args:
            path: the database.
            busy_seconds: how long a write waits for the writes of others.
            must_exist: never make the file. One that is gone counts as damaged: its owner has
                replaced it, and an empty one of its name would be taken for a fault.
        """
        self.path = path
        self.must_exist = must_exist
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._lock = Lock()
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for reading; statements outside `transaction` commit one by one."""
        with self._own_errors():
            connection = self._take()
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:
                    connection.rollback()
                raise
            finally:
                self._put_back(connection)

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection whose reads all see one moment."""
        with self.connection() as connection:
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that holds the write lock; committed at the end of the block.

        A deferred transaction that reads and then writes fails at once when another wrote in
        between, whatever the time limit; so the lock is taken first.
        """
        with self.connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close every idle connection; one that is in use is closed when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                message = f"{self.path} is closed: it was damaged or removed; ask again"
                raise StoreCorruptError(message, self.path)
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _put_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _connect(self) -> sqlite3.Connection:
        mode = "rw" if self.must_exist else "rwc"
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=self._busy_seconds,
            isolation_level=None,  # we begin and commit ourselves
            check_same_thread=False,
            cached_statements=64,
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # No fsync per commit: a power cut may lose the last commits, never corrupts, and
            # everything here can be built again.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            connection.execute("PRAGMA temp_store = MEMORY")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if self.must_exist and not self.path.exists():
                message = f"{self.path} was damaged or removed; ask again"
                raise StoreCorruptError(message, self.path) from error
            raise own_error(self.path, error) from error
        except JSONDecodeError as error:  # a column is read within the block
            message = f"{self.path} is damaged (a list can't be read: {error})"
            raise StoreCorruptError(message, self.path) from error


def own_error(path: Path, error: sqlite3.Error) -> PitMemoryError:
    """Say what an error of SQLite means for the user of a derived file.

    Args:
        path: the file that was used.
        error: what SQLite raised.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest of the number is detail
    said = f"SQLite: {error}"
    if code in _BUSY:
        message = f"{path}: another process writes for longer than we wait; try again ({said})"
        return StoreBusyError(message)
    if code in _NO_ROOM:
        message = (
            f"can't use {path}: no room, or not writable; free some space, make the folder "
            f"writable or choose another with PIT_MEMORY_DATA ({said})"
        )
        return StorageFullError(message)
    if code in _DAMAGED or any(sign in str(error) for sign in _DAMAGED_SIGNS):
        return StoreCorruptError(f"{path} is damaged ({said})", path)
    return StoreError(f"{path}: {said}")


_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))
_NO_ROOM = frozenset(
    (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
    )
)
_DAMAGED = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT))
_DAMAGED_SIGNS = ("no such table", "no such column", "Could not decode to UTF-8")
"""Damage that SQLite itself takes for something else."""
