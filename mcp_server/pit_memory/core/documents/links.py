"""The links of a document: where each leads, and where its target is written.

Inline links, reference links (their definition), images, wikilinks and embeds, and `href` and `src`
of HTML. Addresses that are their own text lead to the web and are left out.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from pit_memory.core.documents.sections import ParsedMarkdown
from pit_memory.core.front_matter.block import locate_front_matter
from pit_memory.core.markdown import LinkEvent, link_events
from pit_memory.core.text.decoding import lines_of
from pit_memory.core.text.percent import percent_decode

LinkKind = Literal["link", "image", "wikilink"]

_DEFINITION = re.compile(r" {0,3}\[(?P<label>(?:\\.|[^\[\]\\])+)\]:[ \t]*<?(?P<target>[^\s<>]+)")
_HTML_TARGET = re.compile(
    r"""<(?P<tag>a|img|source|video|audio)\b[^<>]*?\s(?:href|src)\s*=\s*["'](?P<target>[^"']+)["']""",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:|//)")
_PLACEHOLDER = re.compile(r"[{}<>$]|\*\*")
"""In a target that a template or a renderer fills in."""


class Written(NamedTuple):
    """Where the target of a link stands in the file."""

    line: int
    """1-based."""
    start: int
    end: int
    """Characters of that line, end excluded."""


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a document."""

    kind: LinkKind
    target: str
    """As the renderer reads it: escapes resolved, percent signs as they are."""
    line: int
    """1-based line that the link begins at."""
    written: Written | None
    """None where it isn't written as it is read (an escape, an entity), or wasn't asked for."""

    @property
    def path(self) -> str:
        """The path part, decoded; empty for a place in the document itself."""
        return percent_decode(self.target.partition("#")[0].partition("?")[0])

    @property
    def anchor(self) -> str:
        """The part behind `#`; empty where there is none."""
        return self.target.partition("#")[2]

    @property
    def is_local(self) -> bool:
        """Tell whether it names a file here; not for the web, mail and what a template fills in."""
        if self.kind != "wikilink" and _SCHEME.match(self.target):
            return False
        return bool(self.target) and (
            self.kind == "wikilink" or not _PLACEHOLDER.search(percent_decode(self.target))
        )


def links_of(text: str) -> tuple[Link, ...]:
    """The links of a markdown document with LF line ends, in order."""
    lines = lines_of(text)
    front_matter = locate_front_matter(lines)
    skip = front_matter.line_end if front_matter else 0
    body = "\n".join(lines[skip:])
    page = _Page(lines, skip, body.encode())
    definitions = _definitions(lines, skip) if "]:" in body else {}
    return tuple(
        link for event in link_events(lines, skip) for link in _links(event, page, definitions)
    )


def links_within(parsed: ParsedMarkdown) -> Iterator[Link]:
    """The links of a document that is parsed already, without where their targets are written."""
    skip = parsed.front_matter_lines[1] if parsed.front_matter_lines else 0
    has_wikilinks = any("[[" in line for line in parsed.lines)
    for event in link_events(parsed.lines, skip) if has_wikilinks else parsed.links:
        if event.form != "html":
            yield Link(_kind(event), event.target, event.line, None)
            continue
        for found in _HTML_TARGET.finditer(event.target):
            line = event.line + event.target.count("\n", 0, found.start("target"))
            yield Link(_html_kind(found["tag"]), found["target"], line, None)


def with_targets(lines: Sequence[str], targets: Mapping[Written, str]) -> list[str]:
    """Lines of a file with some targets replaced."""
    changed = list(lines)
    for place in sorted(targets, reverse=True):
        line = changed[place.line - 1]
        changed[place.line - 1] = line[: place.start] + targets[place] + line[place.end :]
    return changed


class _Page:
    """Byte offsets of a body to lines and characters of its file."""

    def __init__(self, lines: Sequence[str], skip: int, body: bytes) -> None:
        self.lines = lines
        self._skip = skip
        self._body = body
        self._starts = [0, *accumulate(len(line) for line in body.splitlines(keepends=True))]

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset) + self._skip

    def text(self, start: int, end: int) -> str:
        return self._body[start:end].decode()

    def written(self, start: int, text: str, at: int) -> Written:
        """The place of a part of the text that begins at a byte offset.

        Args:
            start: byte offset of the whole text.
            text: from there up to the part's end.
            at: character of the part's start in it.
        """
        line = self.line(start) + text.count("\n", 0, at)
        line_start = text.rfind("\n", 0, at) + 1
        column = at - line_start
        if not line_start:
            first = self._starts[self.line(start) - self._skip - 1]
            column += len(self._body[first:start].decode())
        return Written(line, column, column + len(text) - at)


def _links(event: LinkEvent, page: _Page, definitions: Mapping[str, Written]) -> Iterator[Link]:
    source = page.text(event.start, event.end)
    if event.form == "html":
        for found in _HTML_TARGET.finditer(source):
            at, end = found.span("target")
            place = page.written(event.start, source[:end], at)
            yield Link(_html_kind(found["tag"]), found["target"], place.line, place)
        return
    if event.form == "reference":
        labels = re.findall(r"\[((?:\\.|[^\[\]\\])*)\]", source)
        label = next((label for label in reversed(labels) if label), "")
        yield Link(_kind(event), event.target, event.line, definitions.get(_folded(label)))
        return
    opener = "[[" if event.form == "wikilink" else "]("
    at = source.find(event.target, source.rfind(opener) + 2) if event.target else -1
    place_of = page.written(event.start, source[: at + len(event.target)], at) if at > 0 else None
    yield Link(_kind(event), event.target, event.line, place_of)


def _kind(event: LinkEvent) -> LinkKind:
    if event.form == "wikilink":
        return "wikilink"
    return "image" if event.is_image else "link"


def _html_kind(tag: str) -> LinkKind:
    return "link" if tag.lower() == "a" else "image"


def _definitions(lines: Sequence[str], skip: int) -> dict[str, Written]:
    """Where the targets of reference links are defined; the first definition counts."""
    found: dict[str, Written] = {}
    for number, line in enumerate(lines[skip:], skip + 1):
        if definition := _DEFINITION.match(line):
            place = Written(number, *definition.span("target"))
            found.setdefault(_folded(definition["label"]), place)
    return found


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()
