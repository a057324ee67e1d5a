"""What is indexed: sections, the long ones cut where a block, list item or table row begins."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import ceil

from pit_memory.core.documents import Chunk, Section
from pit_memory.core.sections import ParsedMarkdown, trail
from pit_memory.core.tokens import estimate

CHUNK_TOKENS = 200
"""Estimated word pieces of a chunk's plain text: 128 to 256 retrieve equally well."""
EMBEDDED_CHARACTERS = 4_000
"""Longest embedded body: more than a model reads, and a bound for a line of a megabyte."""
CHILD_HEADINGS = 50
"""Headings that stand for an empty section: more than the model reads."""
_MEASURED_WHOLE = 1_600
"""Characters of a section that is measured whole first; longer ones are nearly always cut."""

_Span = tuple[int, int]
"""First and last line, 1-based, inclusive."""


def chunk(parsed: ParsedMarkdown, page_title: str) -> tuple[Chunk, ...]:
    """Cut a document's sections into chunks of about 200 estimated tokens, in order.

    Every line of the body is in exactly one chunk, but for blank lines before the
    first heading. A chunk is over the limit only where one line is.

    Args:
        parsed: the document.
        page_title: front matter title, else first H1, else the file's name; starts every embedded
            breadcrumb.
    """
    return tuple(
        part for section in parsed.sections for part in _section_chunks(parsed, section, page_title)
    )


def _section_chunks(parsed: ParsedMarkdown, section: Section, page_title: str) -> Iterator[Chunk]:
    start = section.line_start
    if section.level == 0:
        start = parsed.body_start
        if not any(map(str.strip, parsed.lines[start - 1 : section.line_end])):
            return
    breadcrumb = " > ".join(trail(page_title, section.breadcrumb))
    for part, (first, last) in enumerate(_spans(parsed, start, section.line_end)):
        body = _written(parsed.plain[first - 1 : last]) or _child_headings(parsed.sections, section)
        yield Chunk(
            section=section.ordinal,
            part=part,
            line_start=first,
            line_end=last,
            text="\n".join(parsed.lines[first - 1 : last]),
            embedding_text=f"{breadcrumb}\n{body[:EMBEDDED_CHARACTERS]}",
        )


def _spans(parsed: ParsedMarkdown, first: int, last: int) -> list[_Span]:
    """Cut a range of lines into spans of at most CHUNK_TOKENS, evenly filled."""
    text = _text(parsed, first, last)
    if len(text) <= CHUNK_TOKENS or (
        len(text) <= _MEASURED_WHOLE and estimate(text) <= CHUNK_TOKENS
    ):
        return [(first, last)]
    units = list(_units(parsed, first, last))
    total = sum(tokens for _, _, tokens in units)
    even = total / max(1, ceil(total / CHUNK_TOKENS))
    spans: list[_Span] = []
    start, end, filled = first, last, 0
    for unit_first, unit_last, tokens in units:
        if filled and (filled + tokens > CHUNK_TOKENS or filled >= even):
            spans.append((start, unit_first - 1))
            start, filled = unit_first, 0
        filled += tokens
        end = unit_last
    return [*spans, (start, end)]


def _units(parsed: ParsedMarkdown, first: int, last: int) -> Iterator[tuple[int, int, int]]:
    """What is kept whole: a block, list item or table row; of a long one its parts, then lines.

    Yields:
        First line, last line, estimated tokens.
    """
    cuts = parsed.cuts[bisect_right(parsed.cuts, first) : bisect_right(parsed.cuts, last)]
    for start, end in _between([first, *cuts], last):
        tokens = _tokens(parsed, start, end)
        if tokens <= CHUNK_TOKENS:
            yield start, end, tokens
            continue
        blank_before = [
            line for line in range(start + 1, end + 1) if not parsed.lines[line - 2].strip()
        ]
        for part_start, part_end in _between([start, *blank_before], end):
            part_tokens = _tokens(parsed, part_start, part_end)
            if part_tokens <= CHUNK_TOKENS:
                yield part_start, part_end, part_tokens
            else:
                yield from (
                    (line, line, _tokens(parsed, line, line))
                    for line in range(part_start, part_end + 1)
                )


def _between(starts: Sequence[int], last: int) -> Iterator[_Span]:
    for start, following in zip(starts, [*starts[1:], last + 1], strict=True):
        yield start, following - 1


def _tokens(parsed: ParsedMarkdown, first: int, last: int) -> int:
    return estimate(_text(parsed, first, last))


def _text(parsed: ParsedMarkdown, first: int, last: int) -> str:
    return "\n".join(parsed.plain[first - 1 : last])


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
