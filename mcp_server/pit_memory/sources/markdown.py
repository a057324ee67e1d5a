"""The reader of markdown files: bytes to Document, front matter included."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from pit_memory.core.documents.chunks import chunk
from pit_memory.core.documents.documents import Chunk, Document, DocumentLink, Place, Problem
from pit_memory.core.documents.incident_record import Incident
from pit_memory.core.documents.links import links_within
from pit_memory.core.documents.obsidian import read_note
from pit_memory.core.documents.sections import ParsedMarkdown, split
from pit_memory.core.incidents.incident_reading import read_incident
from pit_memory.core.search.runbooks import RUNBOOK
from pit_memory.core.serving.access import AUDIENCES
from pit_memory.core.source import stands_for_folder
from pit_memory.core.text.decoding import Decoded, decode, lines_of
from pit_memory.core.text.identity import content_hash
from pit_memory.core.text.percent import percent_decode
from pit_memory.sources.formats import Contents, RawFile
from pit_memory.sources.front_matter import FrontMatter, read_front_matter

_TRUE = ("true", "yes", "on")


def read(raw: RawFile) -> Contents:
    """Take a markdown file apart, in the dialect of its source."""
    decoded = decode(raw.data)
    is_note = raw.dialect == "obsidian"
    document = _note(raw, decoded) if is_note else document_of_text(raw, decoded)
    return Contents(document, lines_of(decoded.text))


def _note(raw: RawFile, decoded: Decoded) -> Document:
    """A note of Obsidian: with its tags and blocks, without its comments."""
    note = read_note(decoded.text)
    return document_of_text(
        raw, decoded, parsed_as=note.parsed, shown=note.shown, tags=note.tags, places=note.places
    )


def _links(parsed: ParsedMarkdown) -> Iterator[DocumentLink]:
    """The links of a text to files here, and the wikilinks to its own places."""
    for link in links_within(parsed):
        if not link.is_local:
            continue
        if link.kind == "wikilink":
            # In a table the sign before the shown text is escaped: `[[page\|text]]`.
            yield DocumentLink(link.line, link.target.removesuffix("\\"), True)
        elif link.kind == "link" and not link.target.startswith("#"):
            yield DocumentLink(link.line, percent_decode(link.target), False)


def document_of_text(
    raw: RawFile,
    decoded: Decoded,
    *,
    parsed_as: str | None = None,
    shown: str | None = None,
    tags: tuple[str, ...] = (),
    places: tuple[Place, ...] = (),
) -> Document:
    """The document of a markdown text.

    Args:
        raw: the file.
        decoded: its text.
        parsed_as: what of the text is parsed, line by line; None for all of it.
        shown: likewise what is shown.
        tags: those in the text, beside those of the front matter.
        places: named lines in it.
    """
    path, collection = raw.path, raw.collection
    parsed = split(decoded.text, read=parsed_as, shown=shown, places=places)
    front = FrontMatter({})
    if parsed.front_matter_lines:
        front = read_front_matter(parsed.front_matter_text, parsed.front_matter_format)
    problems = [
        Problem(path, problem.line, "front-matter", problem.message) for problem in front.problems
    ]
    if decoded.problem:
        problems.insert(0, Problem(path, 0, "encoding", decoded.problem))
    # An entry of push memory says in its description what it is about.
    entry_title = _text(front.values.get("description")) if collection == "memory" else ""
    title = entry_title or _title(path, parsed, front.values)
    incident = None
    if raw.kind == "incident":
        incident = read_incident(path, title, front.values, parsed)
    searched = _search_hints(front.values)
    chunks = () if searched.get("exclude") is True else chunk(parsed, title)
    return Document(
        path=path,
        title=title,
        description=_text(front.values.get("description")),
        tags=tuple(dict.fromkeys((*_tags(front.values), *tags))),
        aliases=_names(front.values, "aliases", "alias"),
        kind=raw.kind,
        collection=collection,
        status="draft" if _is_true(front.values.get("draft")) else "published",
        audience=_audience(front.values),
        assignment=None,
        content_hash=content_hash(raw.data),
        line_count=parsed.line_count,
        sections=parsed.sections,
        chunks=_with_record(chunks, parsed, title, incident) if incident else chunks,
        front_matter=dict(front.values),
        places=places,
        links=tuple(_links(parsed)),
        problems=tuple(problems),
        date=incident.date if incident else "",
        fields=_boost(searched),
        incident=incident,
    )


def _search_hints(values: Mapping[str, object]) -> Mapping[str, object]:
    """What Material for MkDocs is told of a page: `search:` with `exclude` and `boost`."""
    hints = values.get("search")
    return {str(key): value for key, value in hints.items()} if isinstance(hints, dict) else {}


def _boost(hints: Mapping[str, object]) -> dict[str, str]:
    boost = hints.get("boost")
    known = isinstance(boost, int | float) and not isinstance(boost, bool) and boost != 1
    return {"boost": str(boost)} if known else {}


def _with_record(
    chunks: tuple[Chunk, ...], parsed: ParsedMarkdown, title: str, incident: Incident
) -> tuple[Chunk, ...]:
    """The chunks, and before them the front matter of an incident where that tells something."""
    if not parsed.front_matter_lines:
        return chunks
    first, last = parsed.front_matter_lines
    points = (incident.symptom, incident.cause, incident.resolution)
    told = [point.text for point in points if point and first <= point.line <= last]
    if not told and chunks:
        return chunks
    text = "\n".join(parsed.lines[first - 1 : last])
    record = Chunk(0, 0, first, last, text, "\n".join((title, *told)))
    moved = (replace(one, part=one.part + 1) if one.section == 0 else one for one in chunks)
    return (record, *moved)


def _title(path: str, parsed: ParsedMarkdown, values: Mapping[str, object]) -> str:
    name = PurePosixPath(path)
    folder = name.parent.name
    named = folder if folder and stands_for_folder(name.stem) else name.stem
    return _text(values.get("title")) or parsed.h1 or named


def _text(value: object) -> str:
    """A scalar as one line of text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())


def _tags(values: Mapping[str, object]) -> tuple[str, ...]:
    """Its tags; a page whose front matter calls it a runbook is tagged so."""
    types = {_text(values.get(key)).casefold() for key in ("type", "kind", "doc_type")}
    names = _names(values, "tags", "tag")
    return tuple(dict.fromkeys((*names, RUNBOOK))) if RUNBOOK in types else names


def _names(values: Mapping[str, object], *keys: str) -> tuple[str, ...]:
    """Tags or aliases, once each: from a list, or text with commas or white space."""
    given = next((values[key] for key in keys if values.get(key)), ())
    if isinstance(given, str):
        given = given.split(",") if "," in given or keys[0] == "aliases" else given.split()
    if not isinstance(given, list | tuple):
        given = [given]
    names = (_text(name).removeprefix("#") for name in given)
    return tuple(dict.fromkeys(name for name in names if name))


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in _TRUE)


def _audience(values: Mapping[str, object]) -> str:
    audience = values.get("audience")
    return audience if isinstance(audience, str) and audience in AUDIENCES else AUDIENCES[0]
