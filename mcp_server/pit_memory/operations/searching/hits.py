"""Sections that were found, made into hits: read from the catalogue, checked against the files."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pit_memory.core.answers.answers import Band, Hit, SnippetLine
from pit_memory.core.answers.confidence import Support
from pit_memory.core.answers.snippets import Asked, best_lines, named_lines, shortened
from pit_memory.core.documents.citations import Ref, format_ref, section_ref
from pit_memory.core.documents.incident_record import Incident
from pit_memory.core.documents.sections import trail
from pit_memory.core.search.coverage import named_share
from pit_memory.core.search.fusion import Fused
from pit_memory.core.search.queries import Query
from pit_memory.core.text.safe_text import safe_line, safe_name
from pit_memory.operations.searching.gathering import Findings
from pit_memory.operations.searching.searched_store import SearchedStore, SectionCard
from pit_memory.stores.rows import ChunkRow
from pit_memory.workspace.files import reason

_CHANGED = "its file just changed or vanished"


@dataclass(frozen=True, slots=True)
class ReadSection:
    """A section that was found, with the text of the chunk it was found by."""

    card: SectionCard
    score: float
    chunk: ChunkRow
    root: str
    """Absolute root of its source; empty where no look has recorded it."""
    asked: Asked
    """The question, as the words of this section's store weigh it."""
    named: frozenset[str]
    """Stems of the question in the chunk and in what the page says of itself."""

    @property
    def ref(self) -> Ref:
        """Its citation; lines stand for what has no heading."""
        document, section = self.chunk.document, self.chunk.section
        lines = section.line_start, section.line_end
        source = document.source or None
        return section_ref(document.path, section.anchor, lines, section.hash, source)

    @property
    def file_name(self) -> str:
        """What notes call its file."""
        return format_ref(Ref(self.chunk.document.path, self.chunk.document.source or None))

    def support(self, cosine: float | None, words: float | None = None) -> Support:
        """How well it stands behind an answer.

        Args:
            cosine: of the best chunk; None where the meaning leg did not run.
            words: BM25 of the best chunk; None where the words leg did not run.
        """
        mass = sum(self.asked.idf.values())
        matched = words / mass if words and mass else words
        return Support(named_share(self.named, self.asked.idf), len(self.named), cosine, matched)

    def staleness(self) -> str:
        """Why its file is not as it was indexed; empty where it still has that size and time."""
        document = self.chunk.document
        try:
            status = os.stat(f"{self.root}/{document.path}")  # noqa: PTH116 -- a Path costs as much
        except (FileNotFoundError, NotADirectoryError):
            return _CHANGED if self.root else ""
        except OSError as error:
            return f"its file can't be read ({reason(error)})" if self.root else ""
        is_current = (status.st_size, status.st_mtime_ns) == (document.size, document.mtime_ns)
        return "" if is_current else _CHANGED


def read_chunks(
    findings: Findings, ranked: Sequence[Fused[SectionCard]]
) -> Iterator[tuple[Fused[SectionCard], ChunkRow]]:
    """The chunk that each section was found by, in order; without those that are gone meanwhile."""
    rows: dict[SearchedStore, dict[int, ChunkRow]] = {}
    for searched in {fused.place.store for fused in ranked}:
        wanted = [findings.chunks[it.place] for it in ranked if it.place.store is searched]
        rows[searched] = searched.store.catalogue.chunks(wanted)
    for fused in ranked:
        if row := rows[fused.place.store].get(findings.chunks[fused.place]):
            yield fused, row


def read_sections(findings: Findings, ranked: Sequence[Fused[SectionCard]]) -> list[ReadSection]:
    """Read ranked sections in their order; those that are gone meanwhile are left out."""
    roots = {searched: searched.roots() for searched in {fused.place.store for fused in ranked}}
    sections = []
    asked_of = {
        searched: Asked(idf, findings.query.language) for searched, idf in findings.idf.items()
    }
    for fused, chunk in read_chunks(findings, ranked):
        searched = fused.place.store
        root = roots[searched].get(chunk.document.source, "")
        asked = asked_of[searched]
        named = asked.named_in(f"{_about(chunk)}\n{chunk.text}")
        sections.append(ReadSection(fused.place, fused.score, chunk, root, asked, named))
    return sections


def _about(chunk: ChunkRow) -> str:
    """What a section's headings and its page say of it."""
    document = chunk.document
    named = (document.title, *chunk.section.breadcrumb, document.path, document.description)
    told = (line.text for line in story_lines(document.incident))
    said = document.incident.said if document.incident else ""
    return " ".join((*named, *document.tags, *document.aliases, *told, said))


def story_lines(incident: Incident | None) -> tuple[SnippetLine, ...]:
    """What a record tells, in the order of the story; empty where it tells nothing."""
    if incident is None:
        return ()
    points = (
        ("symptom", incident.symptom),
        ("cause", incident.cause),
        ("resolution", incident.resolution),
    )
    return tuple(
        SnippetLine(told.line, f"{name}: {shortened(told.text)}") for name, told in points if told
    )


def hit_of(read: ReadSection, query: Query, band: Band, copies: Sequence[str] = ()) -> Hit:
    """The hit to show for a section, its snippet's lines best first."""
    document, section = read.chunk.document, read.chunk.section
    heading = section.line_start if section.level else None  # the breadcrumb already says it
    lines = named_lines(read.chunk.text, read.chunk.line_start, read.asked)
    body = [line for line in lines if line.line != heading]
    return Hit(
        ref=format_ref(read.ref),
        source=document.source,
        path=document.path,
        anchor=section.anchor,
        title=safe_name(document.title),
        breadcrumb=tuple(map(safe_name, trail(document.title, section.breadcrumb))),
        lines=(section.line_start, section.line_end),
        collection=document.collection,
        kind=document.kind,
        status=document.status,
        band=band,
        url=None,
        snippet=story_lines(document.incident) or best_lines(body, read.asked, query.literals),
        copies=tuple(map(safe_line, copies)),
        incident=document.incident,
    )
