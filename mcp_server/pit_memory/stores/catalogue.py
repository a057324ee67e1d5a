"""The catalogue: every document, section and chunk of a store in one SQLite file.

It is the log that the followers (keyword index, vectors) read: each write transaction advances the
generation, and `changes_since` says what a follower that stands at a generation has to bring in.
Safe to use from several threads and processes at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from pit_memory.core.documents import Document, Section
from pit_memory.core.legs import SearchFilters
from pit_memory.stores.rows import (
    Changes,
    ChunkRow,
    Counts,
    DocumentRow,
    KnownFile,
    LeftOutRow,
    ProblemRow,
    SourceRow,
)


class Catalogue:
    """One SQLite file; every method may raise StoreBusyError, StoreCorruptError, StorageFullError."""

    @classmethod
    def open(cls, path: Path) -> "Catalogue":
        """Open the catalogue, made first where there is none.

        Raises:
            StoreNewerError: written by a newer version.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close every connection; the object can't be used afterwards."""
        raise NotImplementedError

    # ---- the log -----------------------------------------------------------------------------

    def generation(self) -> int:
        """Number of the last write transaction; 0 in a new catalogue."""
        raise NotImplementedError

    def changes_since(self, generation: int) -> Changes:
        """What a follower that stands at `generation` has to bring in."""
        raise NotImplementedError

    def documents_whole(
        self, ids: Iterable[int]
    ) -> Iterator[tuple[int, Document, tuple[int, ...]]]:
        """Each document that still exists, with its id and the ids of its chunks in their order.

        `Document.front_matter` and `.problems` are empty: the catalogue keeps what a search needs.
        """
        raise NotImplementedError

    # ---- what a search asks ------------------------------------------------------------------

    def chunks(self, ids: Sequence[int]) -> dict[int, ChunkRow]:
        """The chunks that still exist, by id."""
        raise NotImplementedError

    def chunks_of(self, document: int) -> tuple[ChunkRow, ...]:
        """All chunks of a document, in order."""
        raise NotImplementedError

    def documents(self, ids: Sequence[int]) -> dict[int, DocumentRow]:
        """The documents that still exist, by id."""
        raise NotImplementedError

    def document(self, source: str, path: str) -> DocumentRow | None:
        """The document at a path of a source."""
        raise NotImplementedError

    def paths(self, source: str | None = None) -> dict[int, tuple[str, str]]:
        """(source, path) of every document, or of one source, by document id."""
        raise NotImplementedError

    def sections_of(self, document: int) -> tuple[Section, ...]:
        """The sections of a document, in order."""
        raise NotImplementedError

    def sections_with_hash(self, section_hash: str) -> tuple[tuple[DocumentRow, Section], ...]:
        """Where a section's text is now: finds what moved."""
        raise NotImplementedError

    def matching_documents(self, filters: SearchFilters) -> frozenset[int] | None:
        """Ids of the documents that pass the filters; None where every document does."""
        raise NotImplementedError

    def texts_to_embed(self, hashes: Iterable[bytes]) -> dict[bytes, str]:
        """The text behind each embed hash that the catalogue still holds."""
        raise NotImplementedError

    def embed_hashes(self, documents: Iterable[int] | None = None) -> list[tuple[int, int, bytes]]:
        """(chunk id, document id, embed hash) of every chunk, or of some documents', by chunk id."""
        raise NotImplementedError

    # ---- what a look and `status` ask --------------------------------------------------------

    def known_files(self, source: str) -> dict[str, KnownFile]:
        """Every file of a source that was read, by path: documents and unreadable files."""
        raise NotImplementedError

    def source(self, name: str) -> SourceRow | None:
        """A source as the last look left it; None before its first look."""
        raise NotImplementedError

    def sources(self) -> tuple[SourceRow, ...]:
        """All sources by name."""
        raise NotImplementedError

    def problems(self, source: str | None = None) -> tuple[ProblemRow, ...]:
        """What is wrong in the files of a source, or of all, by path and line."""
        raise NotImplementedError

    def left_out(self, source: str | None = None) -> tuple[LeftOutRow, ...]:
        """Files that aren't indexed, with the reason, of a source or of all, by path."""
        raise NotImplementedError

    def counts(self, source: str | None = None) -> Counts:
        """How much the store, or one of its sources, holds."""
        raise NotImplementedError

    # ---- followers ---------------------------------------------------------------------------

    def follower(self, name: str) -> tuple[int, str]:
        """(generation, directory) that a follower recorded; (0, "") where it never did."""
        raise NotImplementedError

    def set_follower(self, name: str, generation: int, directory: str = "") -> None:
        """Record how far a follower has come."""
        raise NotImplementedError

    # ---- writing -----------------------------------------------------------------------------

    def write(self) -> AbstractContextManager["CatalogueWriter"]:
        """One write transaction; committed at the end of the block, rolled back on an error."""
        raise NotImplementedError


class CatalogueWriter(Protocol):
    """What can be written within one transaction; keep it short, others wait."""

    def put_document(self, source: str, document: Document, file: KnownFile) -> int:
        """Insert or replace a document by its path; returns its id, which it keeps for life."""

    def rename_document(
        self, old_path: str, source: str, document: Document, file: KnownFile
    ) -> int:
        """Move a document whose bytes are the same: its chunks, and so its vectors, stay."""

    def touch(self, source: str, files: Iterable[KnownFile]) -> None:
        """Record new times of files whose bytes are the same; the generation stays."""

    def remove(self, source: str, paths: Iterable[str]) -> None:
        """Forget documents, their problems included."""

    def set_left_out(self, source: str, reasons: Mapping[str, str]) -> None:
        """Replace the list of files of a source that aren't indexed: path to reason."""

    def set_source(self, row: SourceRow) -> None:
        """Record what a look saw of a source."""

    def remove_source(self, source: str) -> None:
        """Forget a source with all its documents."""
