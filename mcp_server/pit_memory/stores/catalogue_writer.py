"""What can be written into the catalogue within one transaction."""

# ruff: noqa: S608 -- statements are put together from constants, values are always bound

import hashlib
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from pit_memory.core.documents.documents import Document, Problem
from pit_memory.core.documents.incident_record import Incident, folded_service
from pit_memory.core.documents.vault_links import link_name, path_and_place
from pit_memory.stores.catalogue_reader import AMONG, json_list
from pit_memory.stores.rows import (
    KnownFile,
    SourceRow,
    json_of_fields,
    json_of_incident,
    json_of_texts,
)

_PUT_DOCUMENT = """
INSERT INTO documents (
    source, path, title, description, tags, aliases, kind, collection, status, audience,
    assignment, date, until, services, incident, fields, content_hash, line_count, section_count,
    chunk_count, size, mtime_ns, ctime_ns, generation
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (source, path) DO UPDATE SET
    title = excluded.title, description = excluded.description, tags = excluded.tags,
    aliases = excluded.aliases, kind = excluded.kind, collection = excluded.collection,
    status = excluded.status, audience = excluded.audience, assignment = excluded.assignment,
    date = excluded.date, until = excluded.until, services = excluded.services,
    incident = excluded.incident, fields = excluded.fields, content_hash = excluded.content_hash,
    line_count = excluded.line_count, section_count = excluded.section_count,
    chunk_count = excluded.chunk_count,
    size = excluded.size, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns,
    generation = excluded.generation
RETURNING id
"""
_DESCRIBED = (
    "title, description, tags, aliases, kind, collection, status, audience, assignment, "
    "date, until, services, incident, fields, content_hash, line_count, section_count, chunk_count"
)


class CatalogueWriter:
    """One write transaction; keep it short, others wait for it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute("UPDATE state SET writes = writes + 1")

    @cached_property
    def generation(self) -> int:
        """Number of this write; taken when something is written that followers must see."""
        (generation,) = self._connection.execute(
            "UPDATE state SET generation = generation + 1 RETURNING generation"
        ).fetchone()
        return int(generation)

    def put_document(
        self, source: str, document: Document, file: KnownFile, *, force: bool = False
    ) -> bool:
        """Insert or replace a document by its path; its id stays for life.

        Args:
            source: name of its source.
            document: what the file holds.
            file: its stamps, taken before it was read.
            force: replace sections and chunks though the same document is there.

        Returns:
            False where the same document was there already: only its stamps are recorded.
        """
        described = _described(document)
        if not force and self._described_as(source, document.path) == described:
            self.touch(source, (file,))
            return False
        (row_id,) = self._connection.execute(
            _PUT_DOCUMENT,
            (source, document.path, *described, *_stamps(file), self.generation),
        ).fetchone()
        self._delete_parts(row_id)
        self._insert_sections(row_id, document)
        self._insert_links(row_id, document)
        self._insert_chunks(row_id, document)
        self._forget_troubles(source, document.path)
        self._insert_problems(source, document.problems)
        return True

    def holds(self, source: str, document: Document) -> bool:
        """Tell whether the same document is there, whatever its stamps."""
        return self._described_as(source, document.path) == _described(document)

    def written_at(self, source: str, paths: Collection[str]) -> dict[str, int]:
        """Those of the paths that are known, by the generation that wrote them.

        It is 0 for a file that could not be read.
        """
        rows = self._connection.execute(
            f"SELECT path, generation FROM documents WHERE source = ?2 AND path {AMONG} UNION ALL "
            f"SELECT path, 0 FROM unreadable WHERE source = ?2 AND path {AMONG}",
            (json_list(paths), source),
        )
        return dict(rows.fetchall())

    def rename_document(
        self, source: str, old_path: str, document: Document, file: KnownFile
    ) -> None:
        """Move a document whose bytes are the same: its chunks, and so its vectors, stay.

        It is there at the old path, and nothing is at the new one.
        """
        assignments = ", ".join(f"{column} = ?" for column in _DESCRIBED.split(", "))
        self._connection.execute(
            f"UPDATE documents SET path = ?, {assignments}, size = ?, mtime_ns = ?, ctime_ns = ?, "
            "generation = ? WHERE source = ? AND path = ?",
            (
                document.path,
                *_described(document),
                *_stamps(file),
                self.generation,
                source,
                old_path,
            ),
        )
        self._forget_troubles(source, old_path)
        self._insert_problems(source, document.problems)

    def touch(self, source: str, files: Iterable[KnownFile]) -> None:
        """Record new stamps of files whose bytes are the same; followers see no change."""
        self._connection.executemany(
            "UPDATE documents SET size = ?, mtime_ns = ?, ctime_ns = ? "
            "WHERE source = ? AND path = ? AND content_hash = ?",
            [(*_stamps(file), source, file.path, file.content_hash) for file in files],
        )

    def put_unreadable(self, source: str, file: KnownFile, problem: Problem) -> None:
        """Record a file that can't be read; what was indexed of it is forgotten."""
        self.remove(source, (file.path,))
        self._connection.execute(
            "INSERT INTO unreadable VALUES (?, ?, ?, ?, ?)", (source, file.path, *_stamps(file))
        )
        self._insert_problems(source, (problem,))

    def remove(self, source: str, paths: Iterable[str]) -> None:
        """Forget files and what is known of them."""
        for path in paths:
            self._forget_troubles(source, path)
            row = self._connection.execute(
                "DELETE FROM documents WHERE source = ? AND path = ? RETURNING id", (source, path)
            ).fetchone()
            if row:
                self._forget_content(row[0])

    def remove_source(self, source: str) -> None:
        """Forget a source with all its documents."""
        rows = self._connection.execute(
            "DELETE FROM documents WHERE source = ? RETURNING id", (source,)
        ).fetchall()
        for (row_id,) in rows:
            self._forget_content(row_id)
        for table in ("unreadable", "problems"):
            self._connection.execute(f"DELETE FROM {table} WHERE source = ?", (source,))
        self._connection.execute("DELETE FROM sources WHERE name = ?", (source,))

    def set_source(self, row: SourceRow) -> None:
        """Record what a look saw of a source."""
        self._connection.execute(
            "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?)",
            (row.name, row.collection, row.root, row.device, row.reads_as, row.looked_at),
        )

    def doubt(self, source: str) -> None:
        """Have every document of a source read again by the looks that follow."""
        self._connection.execute("UPDATE documents SET ctime_ns = 0 WHERE source = ?", (source,))

    def set_sync_started(self, at_ns: int) -> None:
        """Record when a sync began to list: files that changed before are its business."""
        self._connection.execute("UPDATE state SET sync_started_ns = ?", (at_ns,))

    def _described_as(self, source: str, path: str) -> tuple[object, ...] | None:
        row: tuple[object, ...] | None = self._connection.execute(
            f"SELECT {_DESCRIBED} FROM documents WHERE source = ? AND path = ?", (source, path)
        ).fetchone()
        return row

    def _insert_sections(self, row_id: int, document: Document) -> None:
        self._connection.executemany(
            "INSERT INTO sections VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    row_id,
                    section.ordinal,
                    section.level,
                    section.heading,
                    section.anchor,
                    json_of_texts(section.other_anchors),
                    json_of_texts(section.breadcrumb),
                    section.line_start,
                    section.line_end,
                    section.hash,
                )
                for section in document.sections
            ],
        )

    def _insert_chunks(self, row_id: int, document: Document) -> None:
        self._connection.executemany(
            "INSERT INTO chunks (document, section, part, line_start, line_end, embed_hash, "
            "text, embedding_text, language) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    row_id,
                    chunk.section,
                    chunk.part,
                    chunk.line_start,
                    chunk.line_end,
                    hashlib.sha256(chunk.embedding_text.encode()).digest(),
                    chunk.text,
                    chunk.embedding_text,
                    chunk.language,
                )
                for chunk in document.chunks
            ],
        )

    def _insert_links(self, row_id: int, document: Document) -> None:
        self._connection.executemany(
            "INSERT INTO links VALUES (?, ?, ?, ?, ?)",
            [
                (
                    row_id,
                    link.line,
                    link.target,
                    link.is_wikilink,
                    link_name(path_and_place(link)[0]),
                )
                for link in document.links
            ],
        )

    def _insert_problems(self, source: str, problems: Sequence[Problem]) -> None:
        self._connection.executemany(
            "INSERT INTO problems VALUES (?, ?, ?, ?, ?)",
            [(source, at.path, at.line, at.rule, at.message) for at in problems],
        )

    def _forget_troubles(self, source: str, path: str) -> None:
        for table in ("problems", "unreadable"):
            self._connection.execute(
                f"DELETE FROM {table} WHERE source = ? AND path = ?", (source, path)
            )

    def _delete_parts(self, row_id: int) -> None:
        for table in ("sections", "chunks", "links"):
            self._connection.execute(f"DELETE FROM {table} WHERE document = ?", (row_id,))

    def _forget_content(self, row_id: int) -> None:
        self._delete_parts(row_id)
        self._connection.execute("INSERT INTO deletions VALUES (?, ?)", (row_id, self.generation))


def _described(document: Document) -> tuple[object, ...]:
    """The values of _DESCRIBED."""
    incident = document.incident or Incident()
    return (
        document.title,
        document.description,
        json_of_texts(document.tags),
        json_of_texts(document.aliases),
        document.kind,
        document.collection,
        document.status,
        document.audience,
        document.assignment,
        document.date,
        incident.until,
        json_of_texts([folded_service(name) for name in incident.services]),
        json_of_incident(document.incident),
        json_of_fields(document.fields),
        document.content_hash,
        document.line_count,
        len(document.sections),
        len(document.chunks),
    )


def _stamps(file: KnownFile) -> tuple[int, int, int]:
    return file.size, file.mtime_ns, file.ctime_ns
