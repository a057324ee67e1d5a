"""The tables of the vector cache."""

import sqlite3
from pathlib import Path
from secrets import token_hex

from pit_memory.errors import StoreNewerError

SCHEMA_VERSION = 1
"""SQLite's `user_version`. There are no migrations: another layout gets another file name."""

_TABLES = """
CREATE TABLE state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    life TEXT NOT NULL                      -- another one means another file: ids began anew
);
CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL,
    texts_per_second REAL                   -- as measured by the last fill on this machine
);
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- grows with time: what is above a mark is new
    model INTEGER NOT NULL,
    hash BLOB NOT NULL,                     -- SHA-256 of the embedded text, 32 bytes
    vector BLOB NOT NULL,                   -- float16, little endian
    UNIQUE (model, hash)
);
CREATE TABLE uses (                         -- apart, so that a use doesn't rewrite the vector
    vector INTEGER PRIMARY KEY,
    day INTEGER NOT NULL                    -- days since the epoch
);
CREATE INDEX uses_by_day ON uses (day);
"""


def ensure_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables where the file is new.

    Raises:
        StoreNewerError: a newer version wrote the file.
    """
    if _version(connection) == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")  # another process may be making them
    version = _version(connection)
    if version > SCHEMA_VERSION:
        connection.execute("ROLLBACK")
        raise StoreNewerError(
            f"{path} has layout {version}, this pit-memory knows {SCHEMA_VERSION}: a newer version "
            "wrote it; update pit-memory, or remove the file and texts are embedded again"
        )
    if version < SCHEMA_VERSION:
        for statement in _TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute("INSERT INTO state VALUES (1, ?)", (token_hex(8),))
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
