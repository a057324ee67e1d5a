"""Paragraphs of markdown as a writer sees them: what stands together, and what leads it in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_OPENS_ITEM_OR_ROW = re.compile(r"[\s>]*(?:[-*+]\s|\d+[.)]\s|\|)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, list item, table row or heading, outside of code blocks."""

    line: int
    """1-based line it starts at."""
    text: str
    """Its lines, joined by LF."""
    lead: str
    """Text of the paragraph directly above this item or row, no blank line between; else empty."""


def paragraphs(lines: Sequence[str]) -> Iterator[Paragraph]:
    """Split the lines of a markdown file into paragraphs; front matter is one like any other."""
    lead = ""
    open_at, kept = 0, list[str]()
    in_item = False
    for number, line in [*_outside_fences(lines), (len(lines) + 1, "")]:
        starts_item = _OPENS_ITEM_OR_ROW.match(line) is not None
        heading = _HEADING.match(line) is not None
        if kept and (not line.strip() or starts_item or heading):
            text = "\n".join(kept)
            yield Paragraph(open_at, text, lead if in_item else "")
            lead = text if starts_item and not in_item else lead
            kept = []
        if not line.strip() or heading:
            lead = ""
        if line.strip():
            if not kept:
                open_at, in_item = number, starts_item
            kept.append(line)


def _outside_fences(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Numbered lines; code blocks are blank lines."""
    fence = ""
    for number, line in enumerate(lines, start=1):
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if closes else fence
            yield number, ""
        elif mark and "`" not in line[mark.end() :]:
            fence = mark[1]
            yield number, ""
        else:
            yield number, line
