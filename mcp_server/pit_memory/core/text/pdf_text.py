"""The text of a PDF's pages as lines: words joined over line ends, columns one after another."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from pit_memory.core.text.decoding import with_lf

_LIGATURES = str.maketrans(
    {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st"}
)
_SOFT_HYPHEN = re.compile(r"[\ufffe\x02\u00ad]\n?")
"""What the library makes of a hyphen at the end of a line, the line's end included."""
_HYPHEN = re.compile(r"([^\W\d_]+)[-\u2010]\n[ \t]*([a-z\u00df-\u00ff][^\W\d_]*)(\S*)[ \t]*\n?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_REFERENCES = re.compile(
    r"\s*(?:\d+\.?\s+|[ivxlc]+\.\s+)?"
    r"(references|bibliography|works cited|literature cited|references and notes)\s*:?\s*",
    re.IGNORECASE,
)
_AFTER_REFERENCES = re.compile(
    r"\s*(?:[a-z0-9]\.?\s+)?(?:appendix|appendices|supplement(?:ary)?)\b.{0,80}",
    re.IGNORECASE,
)
REFERENCES = "References"
"""Heading of the pages that list what a document cites: they name everything and say little."""

_GUTTER = (0.35, 0.65)
"""Where between two columns white space is looked for, as parts of the width."""
_CROSSING_SHARE = 0.2
"""Of the rows: more of them over the gutter, and there is none."""
_COLUMN_ROWS = 4
"""Fewer on one side are no column."""
_SWITCH_SHARE = 0.5
"""Of the rows: where the writer changes sides more often, it wrote row by row."""


class Row(NamedTuple):
    """A piece of a line, as the file places it."""

    left: float
    bottom: float
    right: float
    top: float


def words_of(pages: Iterable[str]) -> frozenset[str]:
    """Every word of a document, lower case, compounds whole: what tells a hyphen from a break."""
    return frozenset(word.lower() for page in pages for word in _WORD.findall(page))


def clean_lines(text: str, words: frozenset[str]) -> list[str]:
    """The lines of a page; a word that a line end divides stands whole on the first line.

    Args:
        text: as the library gives it.
        words: of the whole document.
    """
    text = with_lf(text).translate(_LIGATURES)
    text = _SOFT_HYPHEN.sub("-\n", text)
    text = _HYPHEN.sub(lambda found: _joined(found, words), text)
    text = _CONTROL.sub("", text)
    lines = [" ".join(line.split()) for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def _joined(found: re.Match[str], words: frozenset[str]) -> str:
    first, second, rest = found.groups()
    is_compound = f"{first}-{second}".lower() in words and f"{first}{second}".lower() not in words
    return f"{first}{'-' if is_compound else ''}{second}{rest}\n"


def reading_order(rows: Sequence[Row], width: float) -> list[int] | None:
    """The order in which to read the rows of a page of two columns that was written across them.

    Args:
        rows: in the order of the file.
        width: of the page.

    Returns:
        Numbers of the rows; None where the order of the file is right.
    """
    gutter = _gutter(rows, width)
    if gutter is None:
        return None
    sides = [0 if row.right <= gutter else 1 if row.left >= gutter else 2 for row in rows]
    beside = [side for side in sides if side < 2]
    switches = sum(a != b for a, b in pairwise(beside))
    if switches < _SWITCH_SHARE * len(beside):
        return None
    order: list[int] = []
    columns: tuple[list[int], list[int]] = ([], [])
    for number in sorted(range(len(rows)), key=lambda it: (-rows[it].top, rows[it].left)):
        side = sides[number]
        if side < 2:
            columns[side].append(number)
            continue
        order += [*columns[0], *columns[1], number]
        columns = [], []
    return [*order, *columns[0], *columns[1]]


def _gutter(rows: Sequence[Row], width: float) -> float | None:
    """The middle of the white space between two columns."""
    best: tuple[int, float, float] | None = None
    steps = 31
    for step in range(steps):
        x = width * (_GUTTER[0] + (_GUTTER[1] - _GUTTER[0]) * step / (steps - 1))
        crossing = sum(row.left < x < row.right for row in rows)
        left = sum(row.right <= x for row in rows)
        right = sum(row.left >= x for row in rows)
        if min(left, right) < _COLUMN_ROWS or crossing > _CROSSING_SHARE * len(rows):
            continue
        found = crossing, abs(x - width / 2), x
        best = found if best is None else min(best, found)
    return best[2] if best else None


def reference_pages(pages: Sequence[Sequence[str]]) -> range:
    """The pages that only list references, by number from 0; empty where there are none.

    The page on which the list begins counts where little stands above it.
    """
    begin = None
    for number in range(len(pages) - 1, len(pages) * 2 // 5 - 1, -1):
        for at, line in enumerate(pages[number]):
            if _REFERENCES.fullmatch(line):
                begin = number if at <= len(pages[number]) // 4 else number + 1
        if begin is not None:
            break
    if begin is None:
        return range(0)
    for number in range(begin, len(pages)):
        if any(_AFTER_REFERENCES.fullmatch(line) for line in pages[number]):
            return range(begin, number)
    return range(begin, len(pages))
