"""Passages: the lines of a document that a citation names, and where cited text is now."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile

from pit_memory.core.documents.citations import LONGEST_ANCHOR, Ref, section_ref
from pit_memory.core.documents.documents import Document, Place, Section
from pit_memory.core.documents.sections import find_section, trail
from pit_memory.core.text.identity import section_hash

_DEEPEST = 6
"""Level of a heading."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a document, 1-based and inclusive."""

    document: Document
    first: int
    last: int
    hash: str
    """As citations write it, of exactly these lines."""
    section: Section | None
    """The section that these lines are, or that is around a named place; None for a whole file or
    other lines of it."""
    place: str = ""
    """Name of the place inside the section that these lines are; empty for the section itself."""

    @property
    def breadcrumb(self) -> tuple[str, ...]:
        """Page title first, then headings."""
        return trail(self.document.title, self.section.breadcrumb if self.section else ())

    @property
    def ref(self) -> Ref:
        """Its citation, without a source."""
        path = self.document.path
        if self.place:
            return Ref(path, anchor=self.place, hash=self.hash)
        if self.section and self.section.anchor:
            return section_ref(path, self.section.anchor, (self.first, self.last), self.hash)
        if (self.first, self.last) == (1, self.document.line_count):
            return Ref(path, hash=self.hash)
        return Ref(path, lines=(self.first, self.last), hash=self.hash)


def passage_at(document: Document, lines: Sequence[str], cited: Ref) -> Passage | None:
    """What stands at the place that a ref names; None where the document has no such place.

    Args:
        document: the document as it is now.
        lines: all of its lines, without their ends.
        cited: an anchor in any of its names, a page, lines (cut at the end of the file), or none of
            them for the whole file.
    """
    if anchor := cited.anchor or (f"p{cited.page}" if cited.page else ""):
        for place in document.places:
            if place.name == anchor:
                return _of_place(document, lines, place)
        section = find_section(document.sections, anchor)
        return _of_section(document, section) if section else None
    first, last = cited.lines or (1, max(1, len(lines)))
    if cited.lines and first > len(lines):
        return None
    return _of_lines(document, lines, first, min(last, max(1, len(lines))))


def passage_taken_in(
    document: Document, lines: Sequence[str], cited: Ref, anchor: str
) -> tuple[Passage, bool] | None:
    """Where a text that a section took in from another document is now, and whether it is the same.

    Its headings lie at other levels there, and may have other anchors.

    Args:
        document: the document as it is now.
        lines: all of its lines, without their ends.
        cited: a ref of the other document.
        anchor: of the section; None is returned where there is none of that name any more.
    """
    top = find_section(document.sections, anchor)
    if top is None:
        return None
    after = document.sections[top.ordinal + 1 :]
    inside = [top, *takewhile(lambda section: section.level > top.level, after)]
    for section in inside:
        if cited.hash and cited.hash in _hashes_elsewhere(section, lines):
            return _of_section(document, section), True
    pattern = re.compile(rf"{re.escape(cited.anchor or anchor)}(-\d+)?")
    found = next((section for section in inside if pattern.fullmatch(section.anchor)), top)
    return _of_section(document, found), not cited.hash


def passage_with_hash(document: Document, lines: Sequence[str], cited: Ref) -> Passage | None:
    """Where in the document the cited text is now: a section, or as many lines as were cited."""
    for section in document.sections:
        if section.hash == cited.hash:
            return _of_section(document, section)
    for place in document.places:
        if place.name == cited.anchor:
            moved = _of_place(document, lines, place)
            if moved.hash == cited.hash:
                return moved
    if cited.lines:
        count = cited.lines[1] - cited.lines[0]
        for first in range(1, len(lines) - count + 1):
            if section_hash(lines[first - 1 : first + count]) == cited.hash:
                return _of_lines(document, lines, first, first + count)
    return None


def sections_below(passage: Passage) -> tuple[Section, ...]:
    """The sections one level inside the passage's section that have a name to cite."""
    inside = passage.section.breadcrumb if passage.section else ()
    if not inside or passage.section is None or passage.place:
        return ()
    following = passage.document.sections[passage.section.ordinal + 1 :]
    below = []
    for section in following:
        if section.breadcrumb[: len(inside)] != inside or section.level <= passage.section.level:
            break
        if len(section.breadcrumb) == len(inside) + 1 and len(section.anchor) <= LONGEST_ANCHOR:
            below.append(section)
    return tuple(below)


def nearest_anchors(document: Document, wanted: str, count: int) -> tuple[str, ...]:
    """The document's anchors that a mistyped one may have meant, nearest first; else its first."""
    names: dict[str, str] = {}
    for section in document.sections:
        for name in (section.anchor, *section.other_anchors, section.heading.casefold()):
            if name and len(name) <= LONGEST_ANCHOR:
                names.setdefault(name, section.anchor or name)
    near = get_close_matches(wanted.casefold(), names, 2 * count, cutoff=0.5)
    found = dict.fromkeys(names[name] for name in near) or dict.fromkeys(names.values())
    return tuple(found)[:count]


def _hashes_elsewhere(section: Section, lines: Sequence[str]) -> Iterator[str]:
    """The hashes that a section would have at any level, between others or as the last one."""
    heading, *rest = lines[section.line_start - 1 : section.line_end]
    while rest and not rest[-1].strip():
        rest.pop()
    for level in range(1, _DEEPEST + 1):
        shifted = f"{'#' * level} {heading.lstrip('# ')}"
        for end in ([], [""]):
            yield section_hash([shifted, *rest, *end])


def _of_place(document: Document, lines: Sequence[str], place: Place) -> Passage:
    first, last = place.line_start, place.line_end
    hash_ = section_hash(lines[first - 1 : last])
    around = next((s for s in document.sections if s.line_start <= first <= s.line_end), None)
    return Passage(document, first, last, hash_, around, place.name)


def _of_section(document: Document, section: Section) -> Passage:
    return Passage(document, section.line_start, section.line_end, section.hash, section)


def _of_lines(document: Document, lines: Sequence[str], first: int, last: int) -> Passage:
    for section in document.sections:
        if (section.line_start, section.line_end) == (first, last):
            return _of_section(document, section)
    return Passage(document, first, last, section_hash(lines[first - 1 : last]), None)
