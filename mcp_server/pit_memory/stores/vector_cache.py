"""The person's cache of vectors: no text is ever embedded twice, in whichever tree it stands.

One SQLite file for every store, keyed by (SHA-256 of the embedded text, fingerprint of the model).
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from pit_memory.errors import EmbedderError, StoreError
from pit_memory.stores.rebuilt_sqlite import RebuiltSqliteFile
from pit_memory.stores.sqlite import SqliteFile
from pit_memory.stores.vector_cache_schema import ensure_schema

MAX_BYTES: Final = 2_000_000_000
"""The cache is trimmed above this size: about 2.4 million vectors of 384 numbers."""
_TRIMMED_SHARE: Final = 0.9
"""A trim goes down to this part of the limit, so that the next one is far away."""
_KEPT_DAYS: Final = 7
"""What was used within these days is never trimmed: a fill of today may count on it."""
_TRIM_ROWS: Final = 5_000
"""Rows forgotten in one transaction: others wait for it."""

STORED: Final = np.float16
"""Half the disk of float32; no figure of three sets changes by it in four digits."""
_UNIT_TOLERANCE: Final = 0.01
"""How far a vector's length may be from 1; rounding to float16 moves it by less than 0.001."""

_ASKED: Final = """
WITH RECURSIVE asked (at) AS (
    SELECT 1 WHERE length(:hashes)
    UNION ALL SELECT at + 32 FROM asked WHERE at + 32 < length(:hashes)
)
"""
"""Hashes are asked for as one blob of 32 bytes each: `asked` holds where each of them begins."""
_THEIR_VECTORS: Final = """
FROM asked CROSS JOIN vectors
WHERE model = (SELECT id FROM models WHERE fingerprint = :fingerprint)
AND hash = substr(:hashes, at, 32)
"""
_SELECT_VECTORS: Final = f"{_ASKED} SELECT hash, vector {_THEIR_VECTORS}"
_SELECT_KNOWN: Final = f"{_ASKED} SELECT hash {_THEIR_VECTORS}"
_TOUCH: Final = f"""
{_ASKED} INSERT INTO uses (vector, day) SELECT id, :day {_THEIR_VECTORS}
ON CONFLICT (vector) DO UPDATE SET day = excluded.day WHERE excluded.day > day
"""
_SELECT_NEW: Final = """
SELECT hash FROM vectors WHERE id > :seen AND id <= :last
AND model = (SELECT id FROM models WHERE fingerprint = :fingerprint)
"""
_INSERT_MODEL: Final = (
    "INSERT INTO models (fingerprint, dimension) VALUES (?, ?) ON CONFLICT DO NOTHING"
)
_INSERT_VECTOR: Final = (
    "INSERT INTO vectors (model, hash, vector) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
)
_FORGET_USES: Final = "DELETE FROM uses WHERE vector NOT IN (SELECT id FROM vectors)"
_MODEL: Final = "SELECT id, dimension FROM models WHERE fingerprint = ?"


@dataclass(frozen=True, slots=True)
class CachedVectors:
    """Vectors and the hashes of their texts, row by row; in no particular order."""

    hashes: tuple[bytes, ...]
    vectors: NDArray[np.float32]
    """Shape (len(hashes), dimension), rows of unit length."""


@dataclass(frozen=True, slots=True)
class Written:
    """What came into the cache since a mark."""

    mark: str
    """Where to go on from next time."""
    hashes: frozenset[bytes] | None
    """None where the mark says nothing about this file: ask for everything that is missed."""


class VectorCache:
    """One SQLite file, shared by every store, process and thread of a person.

    A damaged file is set aside and begun anew, which costs embedding and is said by `notes`.
    Methods may raise StoreBusyError and StorageFullError.
    """

    def __init__(self, file: RebuiltSqliteFile) -> None:
        self._file = file

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the cache, made first where there is none.

        Raises:
            StoreNewerError: written by a newer version.
            StoreBusyError, StorageFullError: it can't be opened now.
        """
        return cls(RebuiltSqliteFile(path, ensure_schema))

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    def close(self) -> None:
        """Close every connection; the object can't be used afterwards."""
        self._file.close()

    def notes(self) -> tuple[str, ...]:
        """What was found damaged and is embedded again, one line each."""
        return self._file.notes()

    # ---- vectors -----------------------------------------------------------------------------

    def read(self, fingerprint: str, hashes: Sequence[bytes]) -> CachedVectors:
        """The vectors of those texts that have one of this model.

        A row that isn't a unit vector is forgotten, so that its text is embedded again.
        """

        def select(file: SqliteFile) -> tuple[int, list[tuple[bytes, bytes]]]:
            with file.connection() as connection:
                model = connection.execute(_MODEL, (fingerprint,)).fetchone()
                if model is None:
                    return 0, []
                asked = {"fingerprint": fingerprint, "hashes": b"".join(hashes)}
                return int(model[1]), connection.execute(_SELECT_VECTORS, asked).fetchall()

        dimension, rows = self._file.use(select)
        size = dimension * np.dtype(STORED).itemsize
        whole = [(key, blob) for key, blob in rows if len(blob) == size]
        vectors = np.frombuffer(b"".join(blob for _, blob in whole), dtype=STORED)
        vectors = vectors.reshape(-1, dimension or 1).astype(np.float32)
        lengths = np.linalg.norm(vectors, axis=1)
        sound = np.abs(lengths - 1) <= _UNIT_TOLERANCE  # False for NaN too
        found = tuple(key for (key, _), good in zip(whole, sound, strict=True) if good)
        if len(found) < len(rows):
            self._forget(fingerprint, {key for key, _ in rows} - set(found))
        return CachedVectors(found, vectors[sound] / lengths[sound, np.newaxis])

    def missing(self, fingerprint: str, hashes: Iterable[bytes]) -> list[bytes]:
        """Those of some texts that have no vector of this model, each once, in their order."""
        asked = list(dict.fromkeys(hashes))
        values = {"fingerprint": fingerprint, "hashes": b"".join(asked)}

        def select(file: SqliteFile) -> set[bytes]:
            with file.connection() as connection:
                return {key for (key,) in connection.execute(_SELECT_KNOWN, values)}

        known = self._file.use(select)
        return [key for key in asked if key not in known]

    def written_since(self, fingerprint: str, mark: str) -> Written:
        """What any process wrote for a model since a mark; the empty mark is before everything."""

        def select(file: SqliteFile) -> Written:
            with file.connection() as connection:
                (life,) = connection.execute("SELECT life FROM state").fetchone()
                (last,) = connection.execute("SELECT ifnull(max(id), 0) FROM vectors").fetchone()
                seen = mark.removeprefix(f"{life}:")
                here = f"{life}:{last}"
                if seen == mark:  # another life of the file, or the empty mark
                    return Written(here, None)
                if int(seen) == last:
                    return Written(here, frozenset())
                new = {"fingerprint": fingerprint, "seen": int(seen), "last": last}
                rows = connection.execute(_SELECT_NEW, new)
                return Written(here, frozenset(key for (key,) in rows))

        return self._file.use(select)

    def write(
        self, fingerprint: str, hashes: Sequence[bytes], vectors: NDArray[np.float32], day: int
    ) -> int:
        """Keep vectors under the hashes of their texts; return how many are new.

        Args:
            fingerprint: of the model that made them.
            hashes: SHA-256 of each text.
            vectors: shape (len(hashes), dimension).
            day: days since the epoch, for trimming.

        Raises:
            EmbedderError: a row is zero, not finite or not of unit length; nothing is kept.
            StoreError: the model's vectors have another dimension; nothing is kept.
        """
        lengths = np.linalg.norm(vectors, axis=1)
        wrong = np.flatnonzero(~(np.abs(lengths - 1) <= _UNIT_TOLERANCE))
        if wrong.size:
            raise EmbedderError(
                f"vector {wrong[0]} of {len(hashes)} has length {lengths[wrong[0]]} instead of 1; "
                "it is not kept"
            )
        dimension = vectors.shape[1]
        blobs = [row.tobytes() for row in vectors.astype(STORED)]

        def insert(file: SqliteFile) -> int:
            with file.transaction() as connection:
                connection.execute(_INSERT_MODEL, (fingerprint, dimension))
                number, known_dimension = connection.execute(_MODEL, (fingerprint,)).fetchone()
                if known_dimension != dimension:
                    raise StoreError(
                        f"{self.path} holds vectors of {known_dimension} numbers for "
                        f"{fingerprint}, not of {dimension}: another model needs another "
                        "fingerprint"
                    )
                before = connection.total_changes
                rows = [(number, key, blob) for key, blob in zip(hashes, blobs, strict=True)]
                connection.executemany(_INSERT_VECTOR, rows)
                new = connection.total_changes - before
                _touch(connection, fingerprint, hashes, day)
                return new

        return self._file.use(insert)

    # ---- last use and size -------------------------------------------------------------------

    def touch(self, fingerprint: str, hashes: Sequence[bytes], day: int) -> None:
        """Record that vectors are in use on a day: a trim takes those that were not longest."""

        def update(file: SqliteFile) -> None:
            with file.transaction() as connection:
                _touch(connection, fingerprint, hashes, day)

        self._file.use(update)

    def forget(self, hashes: Iterable[bytes]) -> int:
        """Forget the vectors of some texts, of every model; return how many there were."""
        values = [(key,) for key in hashes]

        def delete(file: SqliteFile) -> int:
            with file.transaction() as connection:
                before = connection.total_changes
                connection.executemany("DELETE FROM vectors WHERE hash = ?", values)
                gone = connection.total_changes - before
                if gone:
                    connection.execute(_FORGET_USES)
                return gone

        return self._file.use(delete)

    def trim(self, day: int, max_bytes: int = MAX_BYTES) -> int:
        """Forget what was not used for longest until the file is well below a size.

        Nothing of the last seven days is forgotten, so no fill loses what it counts on.

        Args:
            day: today, in days since the epoch.
            max_bytes: where trimming begins.

        Returns:
            Vectors forgotten.
        """

        def forget(file: SqliteFile) -> int:
            with file.transaction() as connection:
                return _forget_oldest(connection, day - _KEPT_DAYS)

        forgotten = 0
        if self._file.use(_used_bytes) > max_bytes:
            while self._file.use(_used_bytes) > max_bytes * _TRIMMED_SHARE:
                gone = self._file.use(forget)
                forgotten += gone
                if not gone:
                    break
        return forgotten

    # ---- speed -------------------------------------------------------------------------------

    def rate(self, fingerprint: str) -> float | None:
        """Texts a second that this machine last embedded with a model; None before the first."""

        def select(file: SqliteFile) -> float | None:
            with file.connection() as connection:
                row = connection.execute(
                    "SELECT texts_per_second FROM models WHERE fingerprint = ?", (fingerprint,)
                ).fetchone()
            return None if row is None else row[0]

        return self._file.use(select)

    def set_rate(self, fingerprint: str, texts_per_second: float) -> None:
        """Record how fast a model embeds here; every process estimates the time left from it."""

        def update(file: SqliteFile) -> None:
            with file.transaction() as connection:
                connection.execute(
                    "UPDATE models SET texts_per_second = ? WHERE fingerprint = ?",
                    (texts_per_second, fingerprint),
                )

        self._file.use(update)

    def _forget(self, fingerprint: str, hashes: set[bytes]) -> None:
        def delete(file: SqliteFile) -> None:
            with file.transaction() as connection:
                (model, _) = connection.execute(_MODEL, (fingerprint,)).fetchone()
                connection.executemany(
                    "DELETE FROM vectors WHERE model = ? AND hash = ?",
                    [(model, key) for key in hashes],
                )

        self._file.use(delete)


def _touch(
    connection: sqlite3.Connection, fingerprint: str, hashes: Sequence[bytes], day: int
) -> None:
    values = {"fingerprint": fingerprint, "hashes": b"".join(hashes), "day": day}
    connection.execute(_TOUCH, values)


def _forget_oldest(connection: sqlite3.Connection, before_day: int) -> int:
    oldest = connection.execute(
        "SELECT vector FROM uses WHERE day < ? ORDER BY day LIMIT ?", (before_day, _TRIM_ROWS)
    ).fetchall()
    connection.executemany("DELETE FROM vectors WHERE id = ?", oldest)
    connection.executemany("DELETE FROM uses WHERE vector = ?", oldest)
    return len(oldest)


def _used_bytes(file: SqliteFile) -> int:
    """Bytes of the pages that hold something; freed pages stay in the file and are used again."""
    with file.connection() as connection:
        pages, free, size = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)
