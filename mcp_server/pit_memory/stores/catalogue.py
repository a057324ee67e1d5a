"""The catalogue: every document, section and chunk of a store in one SQLite file.

It is the log that the followers (keyword index, vectors) read: each write transaction advances the
generation, and `changes_since` says what a follower that stands at a generation has to bring in.
Safe to use from several threads and processes at once.
"""

# ruff: noqa: S608 -- statements are put together from constants, values are always bound

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pit_memory.core.documents.documents import KEPT_AS_FACT, Chunk, Document
from pit_memory.core.documents.freshness import SeenFile
from pit_memory.errors import StoreCorruptError
from pit_memory.stores.catalogue_reader import AMONG, CatalogueReader, json_list
from pit_memory.stores.catalogue_schema import ensure_schema
from pit_memory.stores.catalogue_writer import CatalogueWriter
from pit_memory.stores.rows import (
    DOCUMENT_COLUMNS,
    SECTION_COLUMNS,
    Changes,
    Columns,
    Counts,
    FollowerRow,
    ProblemRow,
    SourceRow,
    WholeDocument,
    document_row,
    section_row,
)
from pit_memory.stores.sqlite import BUSY_SECONDS, SqliteFile

_SOURCE_COLUMNS = "name, collection, root, device, looked_at, reads_as"


class Catalogue(CatalogueReader):
    """One SQLite file; any method may raise StoreBusyError, StoreCorruptError, StorageFullError."""

    def __init__(self, file: SqliteFile) -> None:
        """Use `open`."""
        super().__init__(file)
        self._known: dict[str, tuple[int, dict[str, SeenFile]]] = {}
        """By source: the number of writes it was read at, and the files."""

    @classmethod
    def open(
        cls, path: Path, *, busy_seconds: float = BUSY_SECONDS, must_exist: bool = False
    ) -> "Catalogue":
        """Open the catalogue.

        Args:
            path: the SQLite file; its folder exists.
            busy_seconds: how long a write waits for the writes of others.
            must_exist: take a file that isn't there for damaged instead of making it.

        Raises:
            StoreNewerError: written by a newer version.
        """
        file = SqliteFile(path, busy_seconds=busy_seconds, must_exist=must_exist)
        try:
            ensure_schema(file)
        except BaseException:
            file.close()
            raise
        file.must_exist = True  # whoever removes it replaces it: no later connection makes it again
        return cls(file)

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return self._file.path

    def close(self) -> None:
        """Close every connection; the object can't be used afterwards."""
        self._file.close()

    @contextmanager
    def write(self) -> Iterator[CatalogueWriter]:
        """One write transaction; committed at the end of the block, rolled back on an error."""
        with self._file.transaction() as connection:
            yield CatalogueWriter(connection)

    def check(self) -> None:
        """Read every page. Raises StoreCorruptError where one is damaged."""
        (said,) = self._select(lambda row: str(row[0]), "PRAGMA quick_check(1)")
        if said != "ok":
            message = f"{self.path} is damaged ({said})"
            raise StoreCorruptError(message, self.path)

    def vacuum(self) -> None:
        """Write the file anew, without what was deleted."""
        with self._file.connection() as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # The log

    def changes_since(self, generation: int, *, limit: int | None = None) -> Changes:
        """What a follower that stands at `generation` has to bring in.

        Args:
            generation: where the follower stands; 0 for one that has nothing.
            limit: about how many changed documents at most; writes are never divided, so that a
                follower may stop anywhere and go on from the generation it has reached.
        """
        with self.snapshot() as connection:
            (upto,) = connection.execute("SELECT generation FROM state").fetchone()
            if limit is not None:
                cut = connection.execute(
                    "SELECT generation FROM documents WHERE generation > ? "
                    "ORDER BY generation LIMIT 1 OFFSET ?",
                    (generation, limit - 1),
                ).fetchone()
                upto = cut[0] if cut else upto
            changed = connection.execute(
                "SELECT id FROM documents WHERE generation > ? AND generation <= ? ORDER BY id",
                (generation, upto),
            ).fetchall()
            removed = connection.execute(
                "SELECT document FROM deletions WHERE generation > ? AND generation <= ?",
                (generation, upto),
            ).fetchall()
            (left,) = connection.execute(
                "SELECT count(*) FROM documents WHERE generation > ?", (upto,)
            ).fetchone()
        return Changes(upto, tuple(row[0] for row in changed), tuple(r[0] for r in removed), left)

    def whole_documents(self, ids: Collection[int]) -> list[WholeDocument]:
        """Those of the documents that still exist, with all that is kept of them."""
        wanted = (json_list(sorted(ids)),)
        with self.snapshot() as connection:
            rows = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id {AMONG}", wanted
            )
            documents = [document_row(row) for row in rows]
            rows = connection.execute(
                f"SELECT document, {SECTION_COLUMNS} FROM sections WHERE document {AMONG} "
                "ORDER BY document, ordinal",
                wanted,
            )
            sections = {
                row_id: tuple(section_row(row[1:]) for row in rows_of)
                for row_id, rows_of in groupby(rows, itemgetter(0))
            }
            rows = connection.execute(
                "SELECT document, id, section, part, line_start, line_end, text, embedding_text, "
                "language "
                f"FROM chunks WHERE document {AMONG} ORDER BY document, id",
                wanted,
            )
            chunks = {row_id: [*rows_of] for row_id, rows_of in groupby(rows, itemgetter(0))}
        return [
            WholeDocument(
                id=row.id,
                source=row.source,
                document=Document(
                    path=row.path,
                    title=row.title,
                    description=row.description,
                    tags=row.tags,
                    aliases=row.aliases,
                    kind=row.kind,
                    collection=row.collection,
                    status=row.status,
                    audience=row.audience,
                    assignment=row.assignment,
                    date=row.date,
                    fields=row.fields,
                    incident=row.incident,
                    content_hash=row.content_hash,
                    line_count=row.line_count,
                    sections=sections.get(row.id, ()),
                    chunks=tuple(Chunk(*part[2:]) for part in chunks.get(row.id, ())),
                ),
                chunk_ids=tuple(part[1] for part in chunks.get(row.id, ())),
            )
            for row in documents
        ]

    def follower(self, name: str) -> tuple[int, str]:
        """(generation, directory) that a follower recorded; (0, "") where it never did."""
        rows: list[tuple[int, str]] = self._select(
            tuple, "SELECT generation, directory FROM followers WHERE name = ?", name
        )
        return rows[0] if rows else (0, "")

    def set_follower(self, name: str, generation: int, directory: str = "") -> None:
        """Record how far a follower has come."""
        with self._file.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO followers VALUES (?, ?, ?, ?)",
                (name, generation, directory, time.time()),
            )

    def followers(self) -> tuple[FollowerRow, ...]:
        """All followers by name."""
        return tuple(
            self._select(
                FollowerRow._make,
                "SELECT name, generation, directory, recorded_at FROM followers ORDER BY name",
            )
        )

    def forget_follower(self, name: str) -> None:
        """Forget a follower; should it come back, it begins at 0."""
        with self._file.transaction() as connection:
            connection.execute("DELETE FROM followers WHERE name = ?", (name,))

    # What a look and `status` ask

    def known_files(self, source: str) -> Mapping[str, SeenFile]:
        """Every file of a source that was read, as it was then: documents and unreadable files.

        Kept until somebody writes: a process that lives longer looks often.
        """
        with self.snapshot() as connection:
            (writes,) = connection.execute("SELECT writes FROM state").fetchone()
            at, known = self._known.get(source, (None, {}))
            if at != writes:
                rows = connection.execute(
                    "SELECT path, size, mtime_ns, ctime_ns FROM documents WHERE source = ?1 "
                    "UNION ALL "
                    "SELECT path, size, mtime_ns, ctime_ns FROM unreadable WHERE source = ?1",
                    (source,),
                )
                known = {row[0]: SeenFile._make(row) for row in rows}
                self._known[source] = writes, known
        return known

    def content_hashes(self, source: str, paths: Collection[str]) -> dict[str, str]:
        """The SHA-256 of the bytes of those paths that are documents."""
        rows: list[tuple[str, str]] = self._select(
            tuple,
            f"SELECT path, content_hash FROM documents WHERE source = ?2 AND path {AMONG}",
            json_list(paths),
            source,
        )
        return dict(rows)

    def source(self, name: str) -> SourceRow | None:
        """A source as the last look left it; None before its first look."""
        rows = self._select(
            _source_of_row, f"SELECT {_SOURCE_COLUMNS} FROM sources WHERE name = ?", name
        )
        return rows[0] if rows else None

    def sources(self) -> tuple[SourceRow, ...]:
        """All sources by name."""
        return tuple(
            self._select(_source_of_row, f"SELECT {_SOURCE_COLUMNS} FROM sources ORDER BY name")
        )

    def problems(self, source: str | None = None) -> tuple[ProblemRow, ...]:
        """What is wrong in the files of a source, or of all, by path and line."""
        return tuple(
            self._select(
                lambda row: ProblemRow(*row),
                "SELECT source, path, line, rule, message FROM problems "
                "WHERE source = coalesce(?, source) AND rule != ? "
                "ORDER BY source, path, line, rowid",
                source,
                KEPT_AS_FACT,
            )
        )

    def kept_as_facts(self, source: str) -> list[str]:
        """Paths of the files among a source's documents that are facts instead."""
        return self._select(
            lambda row: str(row[0]),
            "SELECT path FROM problems WHERE source = ? AND rule = ? ORDER BY path",
            source,
            KEPT_AS_FACT,
        )

    def outline(self) -> list[tuple[str, str, int]]:
        """Path, title and number of sections of the project's own documents."""
        return self._select(
            tuple,
            "SELECT path, title, section_count FROM documents "
            "WHERE source = '' AND collection = 'docs' ORDER BY path",
        )

    def imported_records(self, source: str) -> list[tuple[str, str, str]]:
        """(path, id where it came from, when that changed) of a source's imported incidents."""
        return self._select(
            tuple,
            "SELECT path, incident ->> 'source', incident ->> 'updated' FROM documents "
            "WHERE source = ? AND incident != '' AND incident ->> 'source' != ''",
            source,
        )

    def incident_services(self, audiences: Collection[str]) -> frozenset[str]:
        """The services, folded, that records of some audiences name; of all where none is given."""
        rows = self._select(
            lambda row: str(row[0]),
            "SELECT DISTINCT named.value FROM documents, json_each(documents.services) AS named "
            f"WHERE collection = 'incidents' AND (?2 = 0 OR audience {AMONG})",
            json_list(audiences),
            len(audiences),
        )
        return frozenset(rows)

    def incident_counts(self, audiences: Collection[str]) -> tuple[int, int]:
        """(records, those without a date) of some audiences; of all where none is given."""
        (counts,) = self._select(
            lambda row: (int(row[0]), int(row[1])),
            "SELECT count(*), total(date = '') FROM documents "
            f"WHERE collection = 'incidents' AND (?2 = 0 OR audience {AMONG})",
            json_list(audiences),
            len(audiences),
        )
        return counts

    def counts(self, source: str | None = None) -> Counts:
        """How much the store, or one of its sources, holds."""
        (counts,) = self._select(
            lambda row: Counts(*map(int, row)),
            "SELECT count(*), total(section_count), total(chunk_count) FROM documents "
            "WHERE source = coalesce(?, source)",
            source,
        )
        return counts

    def documents_in(self, collection: str) -> int:
        """How many documents a collection has, of all sources."""
        (count,) = self._select(
            lambda row: int(row[0]),
            "SELECT count(*) FROM documents WHERE collection = ?",
            collection,
        )
        return count

    def sync_started_ns(self) -> int:
        """When the last sync began to list, in ns since the epoch; 0 before the first."""
        (started,) = self._select(lambda row: int(row[0]), "SELECT sync_started_ns FROM state")
        return started


def _source_of_row(row: Columns) -> SourceRow:
    return SourceRow(*row)
