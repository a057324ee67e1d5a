"""Documents of formats other than markdown: marked text, and what the file says of itself."""

from dataclasses import dataclass

from pit_memory.core.documents.chunks import chunk
from pit_memory.core.documents.documents import Document, Problem
from pit_memory.core.documents.marked_text import MarkedText
from pit_memory.core.text.identity import content_hash
from pit_memory.sources.formats import RawFile


@dataclass(frozen=True, slots=True)
class Described:
    """What a file says of itself."""

    title: str
    description: str = ""
    tags: tuple[str, ...] = ()
    date: str = ""
    """ISO 8601."""


def document_of(
    raw: RawFile, text: MarkedText, described: Described, problems: tuple[Problem, ...] = ()
) -> Document:
    """The document of a file that was taken apart."""
    return Document(
        path=raw.path,
        title=described.title,
        description=described.description,
        tags=described.tags,
        aliases=(),
        kind=raw.kind,
        collection=raw.collection,
        status="published",
        audience="team",
        assignment=None,
        content_hash=content_hash(raw.data),
        line_count=len(text.lines),
        sections=text.sections,
        chunks=chunk(text, described.title),
        date=described.date,
        problems=problems,
    )
