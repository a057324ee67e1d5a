"""The records a document becomes: document, sections, chunks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pit_memory.core.documents.incident_record import Incident

KEPT_AS_FACT = "kept-as-fact"
"""The rule of a file that is no document since it is a fact: nothing is wrong with it, so it counts
as left out and not as a problem."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a user's file, as a value: reported together, never raised."""

    path: str
    """POSIX path relative to the source root."""
    line: int
    """1-based; 0 where the whole file is meant."""
    rule: str
    """Short stable name, such as `front-matter`, `encoding`, `unreadable`, `too-large`."""
    message: str
    """What is wrong and what to do, one line."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its own text, up to the line before the next heading of any level.

    The sections of a document cover each of its lines exactly once. Lines before the first heading,
    front matter included, are section 0 with level 0 and an empty heading and anchor; it exists
    only if there are such lines.
    """

    ordinal: int
    """0-based position in the document."""
    level: int
    """1 to 6; 0 for the lines before the first heading."""
    heading: str
    """Plain text of the heading: no markup, white space folded."""
    anchor: str
    """GitHub's anchor, unique in the document; empty for level 0, and for the first heading that
    has nothing GitHub keeps (an emoji, a comment): such a section is cited by its lines.
    """
    other_anchors: tuple[str, ...]
    """Further names that are accepted for it: custom ids, MkDocs and Hugo forms, places inside it;
    in the document each names one section, and none is a section's own anchor.
    """
    breadcrumb: tuple[str, ...]
    """Headings of the enclosing sections, outermost first, its own last; empty for level 0. An H1
    is in it also where it is the page's title: `core.documents.sections.trail` puts both together.
    """
    line_start: int
    """1-based, inclusive."""
    line_end: int
    """1-based, inclusive."""
    hash: str
    """First 8 hex digits of SHA-256 of its own lines, joined and ended by LF, as UTF-8."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is indexed: one section, or a part of a long one on line boundaries."""

    section: int
    """Ordinal of its section."""
    part: int
    """0-based position within the section."""
    line_start: int
    line_end: int
    text: str
    """The raw lines of the chunk, LF, without front matter."""
    embedding_text: str
    """Breadcrumb (page title first), newline, the body as a reader sees it: no link targets, HTML
    tags or emphasis.
    """
    language: str = "en"
    """ISO 639-1 code, of its section (`core.text.languages`)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines inside a document that have a name of their own."""

    name: str
    """As a ref names it behind `#`: `^id` for a block."""
    line_start: int
    """1-based, inclusive."""
    line_end: int


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A link from a document to a file of its source."""

    line: int
    """1-based."""
    target: str
    """As it is written, decoded: path or name, with `#heading` or `#^block`."""
    is_wikilink: bool


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a source, read and split; pure value, no file handle behind it."""

    path: str
    """POSIX path relative to the source root, as the file system spells it."""
    title: str
    """Front matter title, else first H1, else the file's name without its ending."""
    description: str
    """Front matter description; empty where there is none."""
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    kind: str
    """A row of core.kinds."""
    collection: str
    status: str
    """`published` or `draft`."""
    audience: str
    assignment: str | None
    """Scope of a fact; None for everything else."""
    content_hash: str
    """SHA-256 of the file's bytes, 64 hex digits."""
    line_count: int
    sections: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    front_matter: dict[str, object] = field(default_factory=dict)
    """The parsed front matter; empty where there is none or it is not a mapping."""
    date: str = ""
    """ISO 8601 date or time in UTC of what it tells; empty where that has none."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What else its kind is asked for, by name: kept in the catalogue, in no engine."""
    places: tuple[Place, ...] = ()
    """Named lines inside sections; not kept in the catalogue: who reads a file finds them anew."""
    links: tuple[DocumentLink, ...] = ()
    """Links to other files of its source, in order."""
    problems: tuple[Problem, ...] = ()
    incident: Incident | None = None
    """What an incident record says of its incident; None for every other kind."""
