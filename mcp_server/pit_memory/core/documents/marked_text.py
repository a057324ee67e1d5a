"""Sections of documents that are no markdown: lines, and the places where sections begin."""

from collections.abc import Sequence
from dataclasses import dataclass

from pit_memory.core.documents.documents import Section
from pit_memory.core.text.identity import section_hash

PLAIN_LINES = 60
"""A section of plain text ends at the first blank line after so many: a ref names a screenful."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a section begins."""

    line: int
    """1-based; of its heading, where it has one."""
    level: int = 0
    """1 to 6; 0 for text without a heading."""
    heading: str = ""
    anchor: str = ""
    """Unique in the document; empty where the section is cited by its lines."""
    other_anchors: tuple[str, ...] = ()
    breadcrumb: tuple[str, ...] | None = None
    """None to make it from the headings above."""
    is_ours: bool = False
    """The heading's line is not in the file: the reader made it, so the hash leaves it out."""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A document, split; what chunks and hashes are made from (`chunks.Sectioned`)."""

    lines: tuple[str, ...]
    plain: tuple[str, ...]
    """The same lines; those of headings are empty."""
    cuts: tuple[int, ...]
    """Lines at which a long text may be cut: the starts of paragraphs."""
    body_start: int
    sections: tuple[Section, ...]


def split_at_marks(lines: Sequence[str], marks: Sequence[Mark]) -> MarkedText:
    """Split lines at the marks, which come in the order of their lines.

    Lines before the first mark are a section of their own; text without a heading is cut into parts
    of about PLAIN_LINES lines.
    """
    starts = list(marks)
    if lines and (not starts or starts[0].line > 1):
        starts.insert(0, Mark(1))
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    plain = list(lines)
    for number, mark in enumerate(starts):
        last = starts[number + 1].line - 1 if number + 1 < len(starts) else len(lines)
        if mark.level:
            plain[mark.line - 1] = ""
            while path and path[-1][0] >= mark.level:
                path.pop()
            path.append((mark.level, mark.heading))
        breadcrumb = mark.breadcrumb
        if breadcrumb is None:
            breadcrumb = tuple(heading for _, heading in path) if mark.level else ()
        parts = [(mark.line, last)] if mark.anchor else _parts(lines, mark.line, last)
        for first, end in parts:
            sections.append(
                Section(
                    ordinal=len(sections),
                    level=mark.level,
                    heading=mark.heading,
                    anchor=mark.anchor,
                    other_anchors=mark.other_anchors,
                    breadcrumb=breadcrumb,
                    line_start=first,
                    line_end=end,
                    hash=section_hash(lines[first - 1 + mark.is_ours : end]),
                )
            )
    cuts = [n for n in range(1, len(lines) + 1) if n == 1 or not lines[n - 2].strip()]
    return MarkedText(tuple(lines), tuple(plain), tuple(cuts), 1, tuple(sections))


def _parts(lines: Sequence[str], first: int, last: int) -> list[tuple[int, int]]:
    """Cut a text without headings at blank lines; a text without any, anywhere."""
    parts = []
    start = first
    for line in range(first, last):
        length = line - start + 1
        if length >= 2 * PLAIN_LINES or (length >= PLAIN_LINES and not lines[line - 1].strip()):
            parts.append((start, line))
            start = line + 1
    return [*parts, (start, last)]
