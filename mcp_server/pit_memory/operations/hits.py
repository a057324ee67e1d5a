"""Sections that were found, made into hits: read from the catalogue, checked against the files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.answers import Band, Hit, SnippetLine
from pit_memory.core.citations import Ref, format_ref
from pit_memory.core.confidence import Support
from pit_memory.core.coverage import named_share
from pit_memory.core.fusion import Fused
from pit_memory.core.safe_text import safe_line
from pit_memory.core.sections import trail
from pit_memory.core.snippets import best_lines
from pit_memory.core.words import field_texts
from pit_memory.operations.gathering import Findings, Place
from pit_memory.operations.searched_store import SearchedStore
from pit_memory.stores.rows import ChunkRow


@dataclass(frozen=True, slots=True)
class ReadSection:
    """A section that was found, with the text of the chunk it was found by."""

    place: Place
    score: float
    chunk: ChunkRow
    support: Support
    root: str
    """Absolute root of its source; empty where no look has recorded it."""

    @property
    def name(self) -> str:
        """What notes call its file."""
        document = self.chunk.document
        return format_ref(Ref(document.path, document.source or None))

    def is_current(self) -> bool:
        """Tell whether the file still has the size and time it was indexed with."""
        document = self.chunk.document
        try:
            status = Path(self.root, document.path).stat()
        except OSError:
            return not self.root
        return (status.st_size, status.st_mtime_ns) == (document.size, document.mtime_ns)


def read_sections(
    stores: Sequence[SearchedStore], findings: Findings, ranked: Sequence[Fused[Place]]
) -> list[ReadSection]:
    """Read ranked sections in their order; those that are gone meanwhile are left out."""
    texts: dict[Place, tuple[ChunkRow, str]] = {}
    for number, searched in enumerate(stores):
        catalogue = searched.store.catalogue
        chunks = {
            findings.found[fused.place].chunk: fused.place
            for fused in ranked
            if fused.place.store == number
        }
        roots = {source.name: source.root for source in catalogue.sources()}
        for chunk, row in catalogue.chunks(chunks).items():
            texts[chunks[chunk]] = row, roots.get(row.document.source, "")
    return [
        ReadSection(fused.place, fused.score, row, _support(findings, fused.place, row), root)
        for fused in ranked
        if fused.place in texts
        for row, root in (texts[fused.place],)
    ]


def hit_of(read: ReadSection, findings: Findings, band: Band) -> Hit:
    """The hit to show for a section, its snippet's lines best first."""
    document, section = read.chunk.document, read.chunk.section
    asked = findings.idf[read.place.store]
    return Hit(
        ref=section_ref(read.chunk),
        source=document.source,
        path=document.path,
        anchor=section.anchor,
        title=safe_line(document.title),
        breadcrumb=tuple(map(safe_line, trail(document.title, section.breadcrumb))),
        lines=(section.line_start, section.line_end),
        collection=document.collection,
        kind=document.kind,
        status=document.status,
        band=band,
        url=None,
        snippet=best_lines(tuple(_body(read.chunk)), asked, findings.query.literals),
    )


def section_ref(chunk: ChunkRow) -> str:
    """The citation of a chunk's section; lines stand for what has no heading."""
    document, section = chunk.document, chunk.section
    return format_ref(
        Ref(
            path=document.path,
            source=document.source or None,
            anchor=section.anchor or None,
            lines=None if section.anchor else (section.line_start, section.line_end),
            hash=section.hash,
        )
    )


def _body(chunk: ChunkRow) -> Iterator[SnippetLine]:
    """The chunk's lines without the section's heading, which the breadcrumb already says."""
    heading = chunk.section.line_start if chunk.section.level else 0
    for line, text in enumerate(chunk.text.split("\n"), start=chunk.line_start):
        if line != heading:
            yield SnippetLine(line, text)


def _support(findings: Findings, place: Place, chunk: ChunkRow) -> Support:
    asked = findings.idf[place.store]
    held = frozenset(field_texts(chunk.text).stems.split())
    meaning = findings.evidence.meaning
    return Support(
        named=named_share(held, asked),
        words=len(held & asked.keys()),
        cosine=None if meaning is None else meaning.get(place, 0.0),
    )
