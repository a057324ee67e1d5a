"""What is indexed: sections, the long ones cut where a block, list item or table row begins."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import ceil
from typing import Protocol

from pit_memory.core.documents.documents import Chunk, Section
from pit_memory.core.documents.sections import trail
from pit_memory.core.text.languages import languages_of
from pit_memory.core.tokens import estimate

CHUNK_TOKENS = 200
"""Estimated word pieces of a chunk's plain text: 128 to 256 retrieve equally well."""
EMBEDDED_CHARACTERS = 4_000
"""Longest embedded body: more than a model reads, and a bound for a line of a megabyte."""
CHILD_HEADINGS = 50
"""Headings that stand for an empty section: more than the model reads."""

_Span = tuple[int, int]
"""First and last line, 1-based, inclusive."""


class Sectioned(Protocol):
    """A document that was split into sections, whatever its format."""

    @property
    def lines(self) -> Sequence[str]:
        """Its lines as they are shown; index 0 is line 1."""

    @property
    def plain(self) -> Sequence[str]:
        """The same lines as a reader sees them; those of headings are empty."""

    @property
    def cuts(self) -> Sequence[int]:
        """Lines at which a long text may be cut, 1-based."""

    @property
    def body_start(self) -> int:
        """1-based first line that is text."""

    @property
    def sections(self) -> Sequence[Section]:
        """In order; they cover each line once."""


def chunk(parsed: Sectioned, page_title: str) -> tuple[Chunk, ...]:
    """Cut a document's sections into chunks of about 200 estimated tokens, in order.

    Every line of the body is in exactly one chunk, but for blank lines before the first heading.

    Args:
        parsed: the document.
        page_title: front matter title, else first H1, else the file's name; starts every embedded
            breadcrumb.
    """
    sizes = list(accumulate(map(len, parsed.plain), initial=0))
    starts = [(section, _first_line(parsed, section)) for section in parsed.sections]
    written = [(section, start) for section, start in starts if start]
    languages = languages_of(
        ["\n".join(parsed.plain[start - 1 : section.line_end]) for section, start in written]
    )
    return tuple(
        part
        for (section, start), language in zip(written, languages, strict=True)
        for part in _section_chunks(parsed, sizes, section, start, page_title, language)
    )


def _first_line(parsed: Sectioned, section: Section) -> int:
    """First line of a section's text, after front matter; 0 for blank lines above all headings."""
    if section.level:
        return section.line_start
    start = max(section.line_start, parsed.body_start)
    return start if any(map(str.strip, parsed.lines[start - 1 : section.line_end])) else 0


def _section_chunks(
    parsed: Sectioned,
    sizes: Sequence[int],
    section: Section,
    start: int,
    page_title: str,
    language: str,
) -> Iterator[Chunk]:
    breadcrumb = " > ".join(trail(page_title, section.breadcrumb))
    for part, (first, last) in enumerate(_spans(parsed, sizes, start, section.line_end)):
        body = _written(parsed.plain[first - 1 : last]) or _child_headings(parsed.sections, section)
        yield Chunk(
            section=section.ordinal,
            part=part,
            line_start=first,
            line_end=last,
            text="\n".join(parsed.lines[first - 1 : last]),
            embedding_text=f"{breadcrumb}\n{body[:EMBEDDED_CHARACTERS]}",
            language=language,
        )


def _spans(parsed: Sectioned, sizes: Sequence[int], first: int, last: int) -> list[_Span]:
    """Cut a range of lines into spans of about CHUNK_TOKENS, evenly filled.

    The range is measured once, and its parts by their share of its characters: one in a hundred
    chunks of real documents is over the limit by more than a tenth.
    """
    tokens = estimate("\n".join(parsed.plain[first - 1 : last]))
    if tokens <= CHUNK_TOKENS:
        return [(first, last)]
    size = sizes[last] - sizes[first - 1]
    limit = size * CHUNK_TOKENS / tokens
    even = size / ceil(tokens / CHUNK_TOKENS)
    spans: list[_Span] = []
    start, end = first, first - 1
    for unit_start, unit_end in _units(parsed, sizes, limit, first, last):
        filled = sizes[end] - sizes[start - 1]
        together = sizes[unit_end] - sizes[start - 1]
        if 0 < filled < together and (filled >= even or together > limit):
            spans.append((start, end))
            start = unit_start
        end = unit_end
    return [*spans, (start, end)]


def _units(
    parsed: Sectioned, sizes: Sequence[int], limit: float, first: int, last: int
) -> Iterator[_Span]:
    """What is kept whole: a block, list item or table row; of a long one its parts, then lines."""
    cuts = parsed.cuts[bisect_right(parsed.cuts, first) : bisect_right(parsed.cuts, last)]
    for start, end in _between([first, *cuts], last):
        if sizes[end] - sizes[start - 1] <= limit:
            yield start, end
            continue
        after_blank = [n for n in range(start + 1, end + 1) if not parsed.lines[n - 2].strip()]
        for part_start, part_end in _between([start, *after_blank], end):
            if sizes[part_end] - sizes[part_start - 1] <= limit:
                yield part_start, part_end
            else:
                yield from ((line, line) for line in range(part_start, part_end + 1))


def _between(starts: Sequence[int], last: int) -> Iterator[_Span]:
    for start, following in zip(starts, [*starts[1:], last + 1], strict=True):
        yield start, following - 1


def _written(plain: Sequence[str]) -> str:
    return "\n".join([line for line in plain if line and not line.isspace()])


def _child_headings(sections: Sequence[Section], parent: Section) -> str:
    """Headings one step below a section that has no text of its own."""
    headings: list[str] = []
    for ordinal in range(parent.ordinal + 1, len(sections)):
        section = sections[ordinal]
        if section.level <= parent.level or len(headings) == CHILD_HEADINGS:
            break
        if len(section.breadcrumb) == len(parent.breadcrumb) + 1:
            headings.append(section.heading)
    return "\n".join(headings)
