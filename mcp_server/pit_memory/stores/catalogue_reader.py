"""What a search, a citation and the vectors ask of the catalogue."""

# ruff: noqa: S608 -- statements are put together from constants, values are always bound

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import TypeVar

from pit_memory.core.documents.documents import DocumentLink, Section
from pit_memory.core.indexing.vector_server import PointPlace
from pit_memory.core.search.legs import SearchFilters
from pit_memory.errors import StoreCorruptError
from pit_memory.stores.catalogue_filters import folded_tags, matching_ids
from pit_memory.stores.rows import (
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    PLACE_COLUMNS,
    SECTION_COLUMNS,
    ChunkPlace,
    ChunkRow,
    Columns,
    DocumentRow,
    document_row,
    fields_of_json,
    section_row,
    texts_of_json,
)
from pit_memory.stores.sqlite import SqliteFile

AMONG = "IN (SELECT value FROM json_each(?1))"
"""Takes any number of ids or texts as one value: a JSON list."""
_TABLES = (
    ("chunks", CHUNK_COLUMNS),
    ("sections", SECTION_COLUMNS),
    ("documents", DOCUMENT_COLUMNS),
)
_WHOLE_CHUNK = ", ".join(
    f"{table}.{column}" for table, columns in _TABLES for column in columns.split(", ")
)
"""A chunk with its section and document: in one statement, so that all are of one moment."""
_SECTION = len(CHUNK_COLUMNS.split(", "))
_DOCUMENT = _SECTION + len(SECTION_COLUMNS.split(", "))
"""Where the columns of each begin."""
_REMEMBERED_FILTERS = 16
"""Answers of `matching_documents` that are kept while the generation stands."""

T = TypeVar("T")


class CatalogueReader:
    """Questions of a search. Rows become records while SQLite's errors are still mapped."""

    def __init__(self, file: SqliteFile) -> None:
        """Read a file that has the tables."""
        self._file = file
        self._matching: dict[SearchFilters, frozenset[int] | None] = {}
        self._matching_generation = -1

    def generation(self) -> int:
        """Number of the last write that followers must see; grows also when a store is renewed."""
        with self._file.connection() as connection:
            (generation,) = connection.execute("SELECT generation FROM state").fetchone()
            return int(generation)

    def chunks(self, ids: Collection[int]) -> dict[int, ChunkRow]:
        """The chunks that still exist, by id."""
        return {row.id: row for row in self._chunk_rows(f"id {AMONG}", json_list(ids))}

    def chunks_of(self, document: int) -> tuple[ChunkRow, ...]:
        """All chunks of a document, in order."""
        return tuple(self._chunk_rows("document = ?1", document))

    def texts(self, ids: Collection[int]) -> dict[int, str]:
        """The raw text of those of the chunks that still exist, by id."""
        return dict(
            self._select(tuple, f"SELECT id, text FROM chunks WHERE id {AMONG}", json_list(ids))
        )

    def places(self, ids: Collection[int]) -> list[ChunkPlace]:
        """Where those of the chunks stand that still exist, in no order."""
        return self._select(
            ChunkPlace._make,
            f"SELECT {PLACE_COLUMNS} FROM chunks "
            "JOIN sections ON sections.document = chunks.document AND ordinal = section "
            f"JOIN documents ON documents.id = chunks.document WHERE chunks.id {AMONG}",
            json_list(ids),
        )

    def documents(self, ids: Collection[int]) -> dict[int, DocumentRow]:
        """The documents that still exist, by id."""
        rows = self._select(
            document_row,
            f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id {AMONG}",
            json_list(ids),
        )
        return {row.id: row for row in rows}

    def document(self, source: str, path: str) -> DocumentRow | None:
        """The document at a path of a source."""
        rows = self._select(
            document_row,
            f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE source = ? AND path = ?",
            source,
            path,
        )
        return rows[0] if rows else None

    def documents_passing(self, filters: SearchFilters) -> list[DocumentRow]:
        """The documents that pass the filters, in no order.

        Raises:
            UsageError: a path filter is a glob that can't be compiled.
        """
        with self.snapshot() as connection:
            ids = matching_ids(connection, filters)
            condition = "1" if ids is None else f"id {AMONG}"
            values = () if ids is None else (json_list(ids),)
            rows = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE {condition}", values
            )
            return [document_row(row) for row in rows]

    def paths_and_tags(self, filters: SearchFilters) -> tuple[frozenset[str], frozenset[str]]:
        """The paths of the documents that pass the filters, and their tags as tags compare."""
        with self.snapshot() as connection:
            ids = matching_ids(connection, filters)
            rows = connection.execute("SELECT id, path, tags FROM documents").fetchall()
        kept = [row for row in rows if ids is None or row[0] in ids]
        tags = (tag for row in kept for tag in texts_of_json(row[2]))
        return frozenset(row[1] for row in kept), frozenset(folded_tags(tags))

    def paths(self, source: str | None = None) -> dict[int, tuple[str, str]]:
        """(source, path) of every document, or of those of one source, by document id."""
        rows = self._select(
            tuple,
            "SELECT id, source, path FROM documents WHERE source = coalesce(?, source)",
            source,
        )
        return {row_id: (name, path) for row_id, name, path in rows}

    def fields_of(self, source: str) -> list[tuple[str, Mapping[str, str], str]]:
        """(path, fields, status) of those documents of a source that have fields."""
        return self._select(
            lambda row: (row[0], fields_of_json(row[1]), row[2]),
            "SELECT path, fields, status FROM documents WHERE source = ? AND fields != '{}'",
            source,
        )

    def sections_of(self, document: int) -> tuple[Section, ...]:
        """The sections of a document, in order."""
        return tuple(
            self._select(
                section_row,
                f"SELECT {SECTION_COLUMNS} FROM sections WHERE document = ? ORDER BY ordinal",
                document,
            )
        )

    def sections_with_hash(self, section_hash: str) -> tuple[tuple[DocumentRow, Section], ...]:
        """Where a section's text is now, by document and line: finds what moved."""
        rows = self._select(
            lambda row: (row[0], section_row(row[1:])),
            f"SELECT document, {SECTION_COLUMNS} FROM sections WHERE hash = ? "
            "ORDER BY document, ordinal",
            section_hash,
        )
        documents = self.documents({row_id for row_id, _ in rows})
        return tuple((documents[row_id], found) for row_id, found in rows if row_id in documents)

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
        return self._select(
            tuple,
            "SELECT id, document, embed_hash FROM chunks "
            f"WHERE ?1 IS NULL OR document {AMONG} ORDER BY id",
            None if documents is None else json_list(documents),
        )

    def links(self, source: str, name: str | None = None) -> list[tuple[int, str, DocumentLink]]:
        """(document, its path, link) of a source's links, by path and line.

        Args:
            source: name of the source.
            name: only links that may lead to files of this name (`vault_links.link_name`).
        """
        return self._select(
            lambda row: (row[0], row[1], DocumentLink(row[2], row[3], bool(row[4]))),
            "SELECT document, path, line, target, is_wikilink FROM links "
            "JOIN documents ON documents.id = document "
            "WHERE source = ?1 AND name = coalesce(?2, name) ORDER BY path, line, links.rowid",
            source,
            name,
        )

    def used_hashes(self, hashes: Collection[bytes]) -> set[bytes]:
        """Those of some embed hashes that a text of the catalogue has."""
        with self._file.connection() as connection:
            question = "SELECT 1 FROM chunks WHERE embed_hash = ? LIMIT 1"
            return {key for key in hashes if connection.execute(question, (key,)).fetchone()}

    def documents_with_hashes(self, hashes: Collection[bytes]) -> list[int]:
        """Ids of the documents that hold a text with one of some embed hashes, ascending."""
        question = "SELECT DISTINCT document FROM chunks WHERE embed_hash = ?"
        with self._file.connection() as connection:
            rows = [row for key in hashes for row in connection.execute(question, (key,))]
        return sorted({document for (document,) in rows})

    def chunks_at(self, places: Collection[PointPlace]) -> dict[PointPlace, list[tuple[int, int]]]:
        """(document id, chunk id) of the chunks that stand at some places with that very text."""
        question = (
            "SELECT source, path, section, part, embed_hash, document, chunks.id FROM chunks "
            "JOIN documents ON documents.id = document WHERE embed_hash = ?"
        )
        found: dict[PointPlace, list[tuple[int, int]]] = {place: [] for place in places}
        with self._file.connection() as connection:
            for key in {place.hash for place in places}:
                for *place, document, chunk in connection.execute(question, (key,)):
                    if (at := PointPlace(*place)) in found:
                        found[at].append((document, chunk))
        return found

    def chunks_since(self, generation: int) -> int:
        """How many chunks the documents have that changed after a generation."""
        (chunks,) = self._select(
            lambda row: int(row[0]),
            "SELECT total(chunk_count) FROM documents WHERE generation > ?",
            generation,
        )
        return chunks

    def texts_to_embed(self, hashes: Collection[bytes]) -> dict[bytes, str]:
        """The text behind each embed hash that the catalogue still holds."""
        marks = ", ".join("?" * len(hashes))
        rows: list[tuple[bytes, str]] = self._select(
            tuple,
            f"SELECT embed_hash, embedding_text FROM chunks WHERE embed_hash IN ({marks})",
            *hashes,
        )
        return dict(rows)

    def _chunk_rows(self, condition: str, value: object) -> list[ChunkRow]:
        documents: dict[int, DocumentRow] = {}

        def row(columns: Columns) -> ChunkRow:
            row_id, document, _, *rest = columns[:_SECTION]
            if columns[_SECTION] is None or columns[_DOCUMENT] is None:
                message = f"{self._file.path} is damaged (chunk {row_id} has no section)"
                raise StoreCorruptError(message, self._file.path)
            if document not in documents:
                documents[document] = document_row(columns[_DOCUMENT:])
            return ChunkRow(
                row_id, documents[document], section_row(columns[_SECTION:_DOCUMENT]), *rest
            )

        return self._select(
            row,
            f"SELECT {_WHOLE_CHUNK} FROM chunks "
            "LEFT JOIN sections ON sections.document = chunks.document AND ordinal = section "
            "LEFT JOIN documents ON documents.id = chunks.document "
            f"WHERE chunks.{condition} ORDER BY chunks.id",
            value,
        )

    def snapshot(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection whose reads all see one moment."""
        return self._file.snapshot()

    def _select(self, make: Callable[[Columns], T], sql: str, *values: object) -> list[T]:
        with self._file.connection() as connection:
            return [make(row) for row in connection.execute(sql, values)]


def json_list(values: Collection[object]) -> str:
    """The value for AMONG."""
    return json.dumps([*values])
