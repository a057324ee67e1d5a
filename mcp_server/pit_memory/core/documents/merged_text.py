"""A draft put into a published document: as a new subsection, or in place of a section's text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pit_memory.core.documents.documents import Section
from pit_memory.core.documents.sections import ParsedMarkdown, split
from pit_memory.errors import UsageError

_DEEPEST = 6
"""Level of a heading."""
_ATX = re.compile(r"^(#{1,6})(?=[ \t])")


@dataclass(frozen=True, slots=True)
class Merged:
    """A document that has taken in a draft."""

    lines: tuple[str, ...]
    anchor: str
    """Of what the draft is there."""
    anchors: Mapping[str, str]
    """New anchor of each of the draft's own."""


def merge(
    document: ParsedMarkdown, section: Section, draft: ParsedMarkdown, title: str, *, replace: bool
) -> Merged:
    """Put a draft's text under a heading of a document.

    Args:
        document: it.
        section: the heading.
        draft: the draft; its front matter stays behind.
        title: names the new subsection; the draft's own level-1 heading goes.
        replace: in place of the section's own text, under its heading, not as a new subsection.

    Raises:
        UsageError: one of them has a block that never closes and would swallow what follows.
    """
    if replace:
        level, first = section.level, section.line_start
        before = [*document.lines[: _heading_end(document, section)], ""]
        rest = document.lines[section.line_end :]
    else:
        level, end = min(section.level + 1, _DEEPEST), _subtree_end(document, section)
        kept = _without_blank_end(document.lines[:end])
        first = len(kept) + 2
        before = [*kept, "", f"{'#' * level} {title}", ""]
        rest = document.lines[end:]
    body = _without_blank_end(_shifted(draft, level))
    lines = (*before, *body, *([""] if rest else []), *rest)
    last = len(before) + len(body)
    sections = split("\n".join(lines) + "\n").sections
    made = [each for each in sections if first <= each.line_start <= last]
    below = sum(each.line_start > len(document.lines) - len(rest) for each in document.sections)
    if not made or sum(each.line_start > last for each in sections) != below:
        message = (
            "the draft or the page has a code block or HTML comment that is never closed and would "
            "swallow what follows; close it"
        )
        raise UsageError(message)
    own = [each for each in draft.sections if each.level]
    has_title = bool(own) and own[0].level == 1
    pairs = zip(own, made if has_title else made[1:], strict=False)
    return Merged(lines, made[0].anchor, {one.anchor: other.anchor for one, other in pairs})


def _heading_end(document: ParsedMarkdown, section: Section) -> int:
    """1-based last line of a section's heading."""
    line = document.lines[section.line_start - 1]
    return section.line_start if _ATX.match(line.lstrip()) else section.line_start + 1


def _subtree_end(document: ParsedMarkdown, section: Section) -> int:
    """1-based last line of a section with all below it."""
    following = document.sections[section.ordinal + 1 :]
    last = section.line_end
    for below in following:
        if below.level <= section.level:
            break
        last = below.line_end
    return last


def _shifted(draft: ParsedMarkdown, level: int) -> list[str]:
    """The draft's lines below its title, its headings put below a level."""
    own = [each for each in draft.sections if each.level]
    title = own[0] if own and own[0].level == 1 else None
    first = _heading_end(draft, title) if title else draft.body_start - 1
    headings = {each.line_start: each for each in own if each is not title}
    least = min((each.level for each in headings.values()), default=level)
    lines = []
    skip = 0
    for number, line in enumerate(draft.lines[first:], first + 1):
        if number == skip:
            continue
        heading = headings.get(number)
        if heading is None:
            lines.append(line)
            continue
        marks = "#" * min(heading.level - least + level + 1, _DEEPEST)
        if _ATX.match(line.lstrip()):
            lines.append(_ATX.sub(marks, line.lstrip()))
        else:
            lines.append(f"{marks} {line.strip()}")
            skip = number + 1
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines


def _without_blank_end(lines: Sequence[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept
