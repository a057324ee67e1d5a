"""What the catalogue answers: rows as records."""

from dataclasses import dataclass

from pit_memory.core.documents import Section


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as it was when it was last read."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
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
    """Seconds since the epoch, of the last look that wrote; 0 before the first."""
    complete: bool
    """False while files that a look saw wait to be indexed."""


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
    content_hash: str
    size: int
    mtime_ns: int
    line_count: int
    generation: int
    """Generation of the write that last changed it."""


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
    embed_hash: bytes
    """SHA-256 (32 bytes) of the text that is embedded; key of the vector cache."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a follower has to bring in to reach `generation`. Bringing it in twice is harmless."""

    generation: int
    """Where the follower is afterwards."""
    changed: tuple[int, ...]
    """Document ids, new or changed; whatever the follower held of them is replaced."""
    removed: tuple[int, ...]
    """Document ids that are gone."""


@dataclass(frozen=True, slots=True)
class LeftOutRow:
    """A file that isn't indexed, and why."""

    source: str
    path: str
    reason: str


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
