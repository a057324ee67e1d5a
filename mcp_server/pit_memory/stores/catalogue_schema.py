"""The tables of the catalogue."""

import sqlite3
import time

from pit_memory.errors import StoreNewerError
from pit_memory.stores.sqlite import SqliteFile

SCHEMA_VERSION = 4
"""SQLite's `user_version`. There are no migrations: another layout gets another `stores-v<N>`."""

_TABLES = """
CREATE TABLE state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    generation INTEGER NOT NULL,            -- number of the last write that followers must see
    writes INTEGER NOT NULL,                -- counts every write, what followers don't see too
    sync_started_ns INTEGER NOT NULL        -- when the last sync began to list, since the epoch
);

CREATE TABLE sources (
    name TEXT PRIMARY KEY,
    collection TEXT NOT NULL,
    root TEXT NOT NULL,
    device INTEGER NOT NULL,
    reads_as TEXT NOT NULL,                 -- what its files are taken for, see core.source
    looked_at REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    tags TEXT NOT NULL,                     -- JSON list
    aliases TEXT NOT NULL,                  -- JSON list
    kind TEXT NOT NULL,
    collection TEXT NOT NULL,
    status TEXT NOT NULL,
    audience TEXT NOT NULL,
    assignment TEXT,
    date TEXT NOT NULL,                     -- ISO 8601, of what it tells; empty where it has none
    until TEXT NOT NULL,                    -- of an incident, its last day; else empty
    services TEXT NOT NULL,                 -- of an incident, JSON list of folded names
    incident TEXT NOT NULL,                 -- the whole record as JSON; empty for other kinds
    fields TEXT NOT NULL,                   -- JSON object of texts
    content_hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    line_count INTEGER NOT NULL,
    section_count INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    UNIQUE (source, path)
);
CREATE INDEX documents_by_generation ON documents (generation);
CREATE INDEX documents_by_stamps        -- a look at all files reads this and not the table
    ON documents (source, path, size, mtime_ns, ctime_ns);

CREATE TABLE sections (
    document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    level INTEGER NOT NULL,
    heading TEXT NOT NULL,
    anchor TEXT NOT NULL,
    other_anchors TEXT NOT NULL,            -- JSON list
    breadcrumb TEXT NOT NULL,               -- JSON list
    line_start INTEGER NOT NULL,
    line_end INTEGER NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (document, ordinal)
) WITHOUT ROWID;
CREATE INDEX sections_by_hash ON sections (hash);

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again
    document INTEGER NOT NULL,
    section INTEGER NOT NULL,
    part INTEGER NOT NULL,
    line_start INTEGER NOT NULL,
    line_end INTEGER NOT NULL,
    embed_hash BLOB NOT NULL,               -- SHA-256 of embedding_text, 32 bytes
    text TEXT NOT NULL,
    embedding_text TEXT NOT NULL,
    language TEXT NOT NULL                  -- ISO 639-1
);
CREATE INDEX chunks_by_document ON chunks (document, embed_hash);
CREATE INDEX chunks_by_embed_hash ON chunks (embed_hash);

CREATE TABLE links (                        -- from documents to files of their source
    document INTEGER NOT NULL,
    line INTEGER NOT NULL,
    target TEXT NOT NULL,                   -- as it is written, decoded
    is_wikilink INTEGER NOT NULL,
    name TEXT NOT NULL                      -- what links to one file have in common
);
CREATE INDEX links_by_document ON links (document);
CREATE INDEX links_by_name ON links (name);

CREATE TABLE deletions (                    -- what followers have to forget
    document INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL
);
CREATE INDEX deletions_by_generation ON deletions (generation);

CREATE TABLE unreadable (                   -- files that could not be read: not tried at each look
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    PRIMARY KEY (source, path)
) WITHOUT ROWID;

CREATE TABLE problems (
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    rule TEXT NOT NULL,
    message TEXT NOT NULL
);
CREATE INDEX problems_by_file ON problems (source, path);

CREATE TABLE followers (
    name TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    directory TEXT NOT NULL,
    recorded_at REAL NOT NULL
) WITHOUT ROWID;
"""


_FIRST_GENERATION = "INSERT INTO state VALUES (1, ?, 0, 0)"
_FIRST_IDS = "INSERT INTO sqlite_sequence VALUES ('documents', ?), ('chunks', ?)"
_IDS_PER_MILLISECOND = 1_000


def ensure_schema(file: SqliteFile) -> None:
    """Make the tables where the file is new.

    Raises:
        StoreNewerError: a newer version wrote the file.
    """
    with file.connection() as connection:
        version = _version(connection)
    if version == SCHEMA_VERSION:
        return
    if version > SCHEMA_VERSION:
        message = (
            f"{file.path} has layout {version}, this pit-memory knows {SCHEMA_VERSION}: a newer "
            "version wrote it; update pit-memory, or remove the file: it is built again from the "
            "documents"
        )
        raise StoreNewerError(message)
    with file.transaction() as connection:
        if _version(connection) == SCHEMA_VERSION:  # another process made them meanwhile
            return
        for statement in _TABLES.split(";\n"):
            connection.execute(statement)
        # Generations and ids go on growing when a damaged catalogue is begun anew: whatever a
        # process has kept of the old one can't be taken for the new one's.
        now = time.time_ns() // 1_000_000
        first_id = now * _IDS_PER_MILLISECOND
        connection.execute(_FIRST_GENERATION, (now,))
        connection.execute(_FIRST_IDS, (first_id, first_id))
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
