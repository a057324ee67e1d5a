"""Looking something up in section indexes, in an answer small enough for any context."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pit_memory.core.tokens import estimate

ANSWER_TOKENS = 400
"""What an answer may cost."""

_MORE_TOKENS = 20
"""Kept free for the line that says how much was cut."""


@dataclass(frozen=True, slots=True)
class IndexedSection:
    """A section as an index knows it."""

    path: str
    """Relative to the project."""
    heading: str
    anchor: str
    summary: str
    lines: tuple[int, int] | None = None
    """First and last line in the file, 1-based; None where nobody asked, or it is gone."""

    @property
    def ref(self) -> str:
        """The citation, pasteable."""
        return f"{self.path}#{self.anchor}"


def find_sections(sections: Iterable[IndexedSection], words: str) -> tuple[IndexedSection, ...]:
    """Find sections by words, those with more of them, and in the heading, first.

    Args:
        sections: where to look.
        words: separated by white space; each may be a part of a word, in any case.

    Returns:
        Sections with every word; where there is none, those with any.
    """
    wanted = words.casefold().split()
    scored: list[tuple[int, int, IndexedSection]] = []
    for section in sections:
        heading = f"{section.path} {section.heading}".casefold()
        text = f"{heading} {section.summary}".casefold()
        found = sum(word in text for word in wanted)
        if found:
            scored.append((found, sum(word in heading for word in wanted), section))
    scored.sort(key=lambda row: row[:2], reverse=True)
    best = len(wanted) if scored and scored[0][0] == len(wanted) else 1
    return tuple(section for found, _, section in scored if found >= best)


def lookup_text(sections: Sequence[IndexedSection]) -> str:
    """Write sections as an answer of at most 400 tokens.

    Sections of one file stand under its path, others each with theirs. With summaries where all
    fit, or where even without them not all would; the last line says how many were cut.
    """
    one_file = len({section.path for section in sections}) == 1
    head = [sections[0].path] if one_file else []
    full = [_line(section, one_file=one_file, summary=True) for section in sections]
    bare = [_line(section, one_file=one_file, summary=False) for section in sections]
    if not _fits([*head, *full]) and _fits([*head, *bare]):
        return "\n".join([*head, *bare])
    return "\n".join(_cut(head, full))


def _line(section: IndexedSection, *, one_file: bool, summary: bool) -> str:
    place = f"  #{section.anchor}" if one_file else section.ref
    if section.lines:
        place += f"  L{section.lines[0]}-{section.lines[1]}"
    said = f": {section.summary}" if summary and section.summary else ""
    return f"{place}  {section.heading}{said}"


def _fits(lines: Sequence[str], room: int = ANSWER_TOKENS) -> bool:
    return estimate("\n".join(lines)) <= room


def _cut(head: Sequence[str], lines: Sequence[str]) -> list[str]:
    kept = [*head]
    for index, line in enumerate(lines):
        last = index == len(lines) - 1
        if not _fits([*kept, line], ANSWER_TOKENS if last else ANSWER_TOKENS - _MORE_TOKENS):
            return [*kept, f"... {len(lines) - index} more; narrow it with --grep WORDS"]
        kept.append(line)
    return kept
