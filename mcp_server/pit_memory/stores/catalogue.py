"""The catalogue: every document, section and chunk of a store in one SQLite file.

It is the log that the followers (keyword index, vectors) read: each write transaction advances the
generation, and `changes_since` says what a follower that stands at a generation has to bring in.
Safe to use from several threads and processes at once.
"""

import json
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pit_memory.core.documents import Chunk, Document, Section
from pit_memory.core.freshness import SeenFile
from pit_memory.core.legs import SearchFilters
from pit_memory.stores.catalogue_filters import matching_ids
from pit_memory.stores.catalogue_schema import ensure_schema
from pit_memory.stores.catalogue_writer import CatalogueWriter
from pit_memory.stores.rows import (
    DOCUMENT_COLUMNS,
    SECTION_COLUMNS,
    Changes,
    ChunkPlace,
    ChunkRow,
    Counts,
    DocumentRow,
    LeftOutRow,
    ProblemRow,
    SourceRow,
    WholeDocument,
    document_row,
    section_row,
    texts_of_json,
)
from pit_memory.stores.sqlite import BUSY_SECONDS, SqliteFile

_REMEMBERED_FILTERS = 16
"""Answers of `matching_documents` that are kept while the generation stands."""
_CHUNK_COLUMNS = "id, document, section, part, line_start, line_end, text, embed_hash"
_AMONG = "IN (SELECT value FROM json_each(?1))"


class Catalogue:
    """One SQLite file; any method may raise StoreBusyError, StoreCorruptError, StorageFullError."""

    def __init__(self, file: SqliteFile) -> None:
        """Use a file that has the tables; `open` makes them."""
        self._file = file
        self._matching: dict[SearchFilters, frozenset[int] | None] = {}
        self._matching_generation = -1

    @classmethod
    def open(cls, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> "Catalogue":
        """Open the catalogue, made first where there is none.

        Args:
            path: the SQLite file; its folder exists.
            busy_seconds: how long a write waits for the writes of others.

        Raises:
            StoreNewerError: written by a newer version.
        """
        file = SqliteFile(path, busy_seconds=busy_seconds)
        try:
            ensure_schema(file)
        except BaseException:
            file.close()
            raise
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

    # The log

    def generation(self) -> int:
        """Number of the last write that followers must see; 0 in a new catalogue."""
        with self._file.connection() as connection:
            (generation,) = connection.execute("SELECT generation FROM state").fetchone()
        return int(generation)

    def changes_since(self, generation: int, *, limit: int | None = None) -> Changes:
        """What a follower that stands at `generation` has to bring in.

        Args:
            generation: where the follower stands; 0 for one that has nothing.
            limit: about how many changed documents at most; writes are never divided, so that a
                follower may stop anywhere and go on from the generation it has reached.
        """
        with self._file.connection() as connection:
            connection.execute("BEGIN")  # one snapshot for all four questions
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
            connection.execute("COMMIT")
        return Changes(upto, tuple(row[0] for row in changed), tuple(r[0] for r in removed), left)

    def whole_documents(self, ids: Collection[int]) -> Iterator[WholeDocument]:
        """Those of the documents that still exist, with all that is kept of them."""
        wanted = json.dumps(sorted(ids))
        with self._file.connection() as connection:
            connection.execute("BEGIN")  # documents, sections and chunks of one moment
            rows = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id {_AMONG}", (wanted,)
            ).fetchall()
            section_rows = connection.execute(
                f"SELECT document, {SECTION_COLUMNS} FROM sections WHERE document {_AMONG} "
                "ORDER BY document, ordinal",
                (wanted,),
            ).fetchall()
            chunk_rows = connection.execute(
                "SELECT document, id, section, part, line_start, line_end, text, embedding_text "
                f"FROM chunks WHERE document {_AMONG} ORDER BY document, id",
                (wanted,),
            ).fetchall()
            connection.execute("COMMIT")
        sections = {
            row_id: tuple(section_row(row[1:]) for row in rows_of)
            for row_id, rows_of in groupby(section_rows, itemgetter(0))
        }
        chunks = {row_id: list(rows_of) for row_id, rows_of in groupby(chunk_rows, itemgetter(0))}
        for row in map(document_row, rows):
            parts = chunks.get(row.id, [])
            document = Document(
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
                content_hash=row.content_hash,
                line_count=row.line_count,
                sections=sections.get(row.id, ()),
                chunks=tuple(Chunk(*part[2:]) for part in parts),
            )
            yield WholeDocument(row.id, row.source, document, tuple(part[1] for part in parts))

    # What a search asks

    def chunks(self, ids: Collection[int]) -> dict[int, ChunkRow]:
        """The chunks that still exist, by id."""
        return {row.id: row for row in self._chunk_rows(f"id {_AMONG}", json.dumps([*ids]))}

    def places(self, ids: Collection[int]) -> list[ChunkPlace]:
        """Where those of the chunks stand that still exist, in no order."""
        with self._file.connection() as connection:
            rows = connection.execute(
                "SELECT chunks.id, chunks.document, ordinal, path, heading, title FROM chunks "
                "JOIN sections ON sections.document = chunks.document AND ordinal = section "
                f"JOIN documents ON documents.id = chunks.document WHERE chunks.id {_AMONG}",
                (json.dumps([*ids]),),
            ).fetchall()
        return [ChunkPlace._make(row) for row in rows]

    def chunks_of(self, document: int) -> tuple[ChunkRow, ...]:
        """All chunks of a document, in order."""
        return tuple(self._chunk_rows("document = ?", document))

    def documents(self, ids: Collection[int]) -> dict[int, DocumentRow]:
        """The documents that still exist, by id."""
        with self._file.connection() as connection:
            rows = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id {_AMONG}",
                (json.dumps([*ids]),),
            ).fetchall()
        return {row[0]: document_row(row) for row in rows}

    def document(self, source: str, path: str) -> DocumentRow | None:
        """The document at a path of a source."""
        with self._file.connection() as connection:
            row = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE source = ? AND path = ?",
                (source, path),
            ).fetchone()
        return document_row(row) if row else None

    def paths(self, source: str | None = None) -> dict[int, tuple[str, str]]:
        """(source, path) of every document, or of those of one source, by document id."""
        with self._file.connection() as connection:
            rows = connection.execute(
                "SELECT id, source, path FROM documents WHERE source = coalesce(?, source)",
                (source,),
            ).fetchall()
        return {row_id: (name, path) for row_id, name, path in rows}

    def sections_of(self, document: int) -> tuple[Section, ...]:
        """The sections of a document, in order."""
        with self._file.connection() as connection:
            rows = connection.execute(
                f"SELECT {SECTION_COLUMNS} FROM sections WHERE document = ? ORDER BY ordinal",
                (document,),
            ).fetchall()
        return tuple(map(section_row, rows))

    def sections_with_hash(self, section_hash: str) -> tuple[tuple[DocumentRow, Section], ...]:
        """Where a section's text is now, by document and line: finds what moved."""
        with self._file.connection() as connection:
            rows = connection.execute(
                f"SELECT document, {SECTION_COLUMNS} FROM sections WHERE hash = ? "
                "ORDER BY document, ordinal",
                (section_hash,),
            ).fetchall()
        documents = self.documents({row[0] for row in rows})
        return tuple(
            (documents[row[0]], section_row(row[1:])) for row in rows if row[0] in documents
        )

    def matching_documents(self, filters: SearchFilters) -> frozenset[int] | None:
        """Ids of the documents that pass the filters; None where every document does.

        Raises:
            UsageError: a path filter is a glob that can't be compiled.
        """
        generation = self.generation()
        if generation != self._matching_generation or len(self._matching) >= _REMEMBERED_FILTERS:
            self._matching, self._matching_generation = {}, generation
        remembered = self._matching  # another thread may begin a new one meanwhile
        if filters not in remembered:
            with self._file.connection() as connection:
                remembered[filters] = matching_ids(connection, filters)
        return remembered[filters]

    def embed_hashes(
        self, documents: Collection[int] | None = None
    ) -> list[tuple[int, int, bytes]]:
        """(chunk id, document id, embed hash) of all chunks, or of some documents', by chunk id."""
        with self._file.connection() as connection:
            return connection.execute(
                "SELECT id, document, embed_hash FROM chunks "
                f"WHERE ?1 IS NULL OR document {_AMONG} ORDER BY id",
                (None if documents is None else json.dumps([*documents]),),
            ).fetchall()

    def texts_to_embed(self, hashes: Collection[bytes]) -> dict[bytes, str]:
        """The text behind each embed hash that the catalogue still holds."""
        marks = ", ".join("?" * len(hashes))
        with self._file.connection() as connection:
            return dict(
                connection.execute(
                    f"SELECT embed_hash, embedding_text FROM chunks WHERE embed_hash IN ({marks})",
                    tuple(hashes),
                ).fetchall()
            )

    # What a look and `status` ask

    def known_files(self, source: str) -> dict[str, SeenFile]:
        """Every file of a source that was read, as it was then: documents and unreadable files."""
        with self._file.connection() as connection:
            rows = connection.execute(
                "SELECT path, size, mtime_ns, ctime_ns FROM documents WHERE source = ?1 UNION ALL "
                "SELECT path, size, mtime_ns, ctime_ns FROM unreadable WHERE source = ?1",
                (source,),
            ).fetchall()
        return {row[0]: SeenFile._make(row) for row in rows}

    def content_hashes(self, source: str, paths: Collection[str]) -> dict[str, str]:
        """The SHA-256 of the bytes of those paths that are documents."""
        with self._file.connection() as connection:
            return dict(
                connection.execute(
                    f"SELECT path, content_hash FROM documents WHERE source = ?2 AND path {_AMONG}",
                    (json.dumps([*paths]), source),
                ).fetchall()
            )

    def source(self, name: str) -> SourceRow | None:
        """A source as the last look left it; None before its first look."""
        return next((row for row in self.sources() if row.name == name), None)

    def sources(self) -> tuple[SourceRow, ...]:
        """All sources by name."""
        with self._file.connection() as connection:
            rows = connection.execute(
                "SELECT name, collection, root, device, looked_at FROM sources ORDER BY name"
            ).fetchall()
        return tuple(SourceRow(*row) for row in rows)

    def problems(self, source: str | None = None) -> tuple[ProblemRow, ...]:
        """What is wrong in the files of a source, or of all, by path and line."""
        with self._file.connection() as connection:
            rows = connection.execute(
                "SELECT source, path, line, rule, message FROM problems "
                "WHERE source = coalesce(?, source) ORDER BY source, path, line, rowid",
                (source,),
            ).fetchall()
        return tuple(ProblemRow(*row) for row in rows)

    def left_out(self, source: str | None = None) -> tuple[LeftOutRow, ...]:
        """Files that aren't indexed, by reason, of a source or of all."""
        with self._file.connection() as connection:
            rows = connection.execute(
                "SELECT source, reason, count, examples FROM left_out "
                "WHERE source = coalesce(?, source) ORDER BY source, reason",
                (source,),
            ).fetchall()
        return tuple(
            LeftOutRow(name, reason, count, texts_of_json(examples))
            for name, reason, count, examples in rows
        )

    def outline(self) -> list[tuple[str, str, int]]:
        """Path, title and number of sections of the project's own documents."""
        with self._file.connection() as connection:
            return connection.execute(
                "SELECT path, title, section_count FROM documents "
                "WHERE source = '' AND collection = 'docs' ORDER BY path"
            ).fetchall()

    def counts(self, source: str | None = None) -> Counts:
        """How much the store, or one of its sources, holds."""
        with self._file.connection() as connection:
            row = connection.execute(
                "SELECT count(*), total(section_count), total(chunk_count) FROM documents "
                "WHERE source = coalesce(?, source)",
                (source,),
            ).fetchone()
        return Counts(*map(int, row))

    def sync_started_ns(self) -> int:
        """When the last sync began to list, in ns since the epoch; 0 before the first."""
        with self._file.connection() as connection:
            (started,) = connection.execute("SELECT sync_started_ns FROM state").fetchone()
        return int(started)

    # Followers

    def follower(self, name: str) -> tuple[int, str]:
        """(generation, directory) that a follower recorded; (0, "") where it never did."""
        with self._file.connection() as connection:
            row = connection.execute(
                "SELECT generation, directory FROM followers WHERE name = ?", (name,)
            ).fetchone()
        return (row[0], row[1]) if row else (0, "")

    def set_follower(self, name: str, generation: int, directory: str = "") -> None:
        """Record how far a follower has come."""
        with self._file.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO followers VALUES (?, ?, ?, ?)",
                (name, generation, directory, time.time()),
            )

    def _chunk_rows(self, condition: str, value: object) -> Iterator[ChunkRow]:
        with self._file.connection() as connection:
            connection.execute("BEGIN")  # chunks, sections and documents of one moment
            rows = connection.execute(
                f"SELECT {_CHUNK_COLUMNS} FROM chunks WHERE {condition} ORDER BY id", (value,)
            ).fetchall()
            section_rows = connection.execute(
                f"SELECT document, {SECTION_COLUMNS} FROM sections WHERE (document, ordinal) IN "
                f"(SELECT document, section FROM chunks WHERE {condition})",
                (value,),
            ).fetchall()
            document_rows = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id {_AMONG}",
                (json.dumps(list({row[1] for row in rows})),),
            ).fetchall()
            connection.execute("COMMIT")
        documents = {row[0]: document_row(row) for row in document_rows}
        sections = {row[:2]: section_row(row[1:]) for row in section_rows}
        for row_id, document, section, *rest in rows:
            yield ChunkRow(row_id, documents[document], sections[document, section], *rest)
