"""What the catalogue answers: rows as records."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pit_memory.core.documents.documents import Document, Section
from pit_memory.core.documents.incident_record import Incident, incident_of_values, incident_values

Columns = Sequence[Any]
"""A row as SQLite gives it; the record's fields say what stands in it."""


class KnownFile(NamedTuple):
    """A file with the stamps it had before it was read."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    """0 where another change could bear the same time: it is read again at the next look."""
    content_hash: str
    """SHA-256 of its bytes; empty for a file that could not be read."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source as the last look left it."""

    name: str
    collection: str
    root: str
    device: int
    """Device number of the root; another one means another disk is mounted there."""
    looked_at: float
    """Seconds since the epoch of the last look that had something to write."""
    reads_as: str = ""
    """`core.source.Source.reads_as` at that look."""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document, without its sections."""

    id: int
    source: str
    path: str
    title: str
    description: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    kind: str
    collection: str
    status: str
    audience: str
    assignment: str | None
    date: str
    """ISO 8601, of what it tells; empty where it has none."""
    fields: Mapping[str, str]
    """What else its kind is asked for."""
    content_hash: str
    size: int
    mtime_ns: int
    ctime_ns: int
    """0 where the stamps can't tell whether it changed since."""
    line_count: int
    chunk_count: int
    generation: int
    """Number of the write that last changed it."""
    incident: Incident | None = None


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document with its sections and chunks: what a follower indexes."""

    id: int
    source: str
    document: Document
    """Without front matter and problems: the catalogue keeps what a search needs."""
    chunk_ids: tuple[int, ...]
    """In the order of `document.chunks`."""


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk with the section it is part of: what a hit is made from."""

    id: int
    """Never used again for another text."""
    document: DocumentRow
    section: Section
    part: int
    line_start: int
    line_end: int
    text: str
    """Raw lines, LF."""


class ChunkPlace(NamedTuple):
    """Where a chunk stands, without its text: a search asks this of each candidate."""

    id: int
    document: int
    section: int
    path: str
    heading: str
    title: str
    """Of the page."""
    date: str
    """Of the page, likewise."""
    tags: str
    """Of the page: a JSON list, see `texts_of_json`."""
    until: str
    """Last day of an incident; empty for other kinds and where unknown."""
    bare: int
    """1 for a heading without a line of its own below it."""
    language: str
    """Of its section, ISO 639-1."""
    hash: str
    """Of its section."""
    page_sections: int
    """How many the page has."""
    boost: float | None
    """What its front matter asks of the ranking: above 1 more, below 1 less."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a follower has to bring in to reach `generation`. Bringing it in twice is harmless."""

    generation: int
    """Where the follower is afterwards."""
    changed: tuple[int, ...]
    """Document ids, new or changed; whatever the follower held of them is replaced."""
    removed: tuple[int, ...]
    """Document ids that are gone."""
    left: int
    """Changed documents of later generations, which a limit held back."""

    @property
    def count(self) -> int:
        """How many documents they touch, those held back included."""
        return len(self.changed) + len(self.removed) + self.left


class FollowerRow(NamedTuple):
    """How far a follower has come."""

    name: str
    generation: int
    directory: str
    """Where it keeps what it made; empty where it needs none."""
    recorded_at: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """Something wrong in a file of a source."""

    source: str
    path: str
    line: int
    """1-based; 0 where the whole file is meant."""
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a store holds."""

    documents: int
    sections: int
    chunks: int


DOCUMENT_COLUMNS = (
    "id, source, path, title, description, tags, aliases, kind, collection, status, audience, "
    "assignment, date, fields, content_hash, size, mtime_ns, ctime_ns, line_count, chunk_count, "
    "generation, incident"
)
_FIELDS = DOCUMENT_COLUMNS.split(", ").index("fields")
CHUNK_COLUMNS = "id, document, section, part, line_start, line_end, text"
PLACE_COLUMNS = (
    "chunks.id, chunks.document, ordinal, path, heading, title, date, tags, until, "
    "level > 0 AND part = 0 AND instr(trim(text, char(10, 32)), char(10)) = 0, language, "
    "hash, section_count, CAST(json_extract(fields, '$.boost') AS REAL)"
)
SECTION_COLUMNS = (
    "ordinal, level, heading, anchor, other_anchors, breadcrumb, line_start, line_end, hash"
)


def document_row(columns: Columns) -> DocumentRow:
    """The record of a row of DOCUMENT_COLUMNS."""
    values = _with_texts(columns, 5, 6)
    values[_FIELDS] = fields_of_json(values[_FIELDS])
    values[-1] = _incident_of_json(values[-1])
    return DocumentRow(*values)


def section_row(columns: Columns) -> Section:
    """The record of a row of SECTION_COLUMNS."""
    return Section(*_with_texts(columns, 4, 5))


def json_of_texts(texts: Sequence[str]) -> str:
    """A list of texts as one column."""
    return json.dumps(texts, ensure_ascii=False) if texts else "[]"


def json_of_incident(incident: Incident | None) -> str:
    """An incident's record as one column; empty where there is none."""
    return json.dumps(incident_values(incident), ensure_ascii=False) if incident else ""


def _incident_of_json(column: str) -> Incident | None:
    return incident_of_values(json.loads(column)) if column else None


def texts_of_json(column: str) -> tuple[str, ...]:
    """The texts of a column. Raises JSONDecodeError where it isn't what `json_of_texts` wrote."""
    return () if column == "[]" else tuple(json.loads(column))


def json_of_fields(fields: Mapping[str, str]) -> str:
    """Fields as one column."""
    return json.dumps(dict(fields), ensure_ascii=False, sort_keys=True) if fields else "{}"


def fields_of_json(column: str) -> Mapping[str, str]:
    """The fields of a column. Raises JSONDecodeError where it isn't what `json_of_fields` wrote."""
    return {} if column == "{}" else dict(json.loads(column))


def _with_texts(columns: Columns, *places: int) -> list[Any]:
    values = list(columns)
    for place in places:
        values[place] = texts_of_json(values[place])
    return values
