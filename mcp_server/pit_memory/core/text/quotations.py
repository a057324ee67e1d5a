"""Quotations: the same words, however white space, hyphens and marks stand between them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate

_NOT_COMPARED = re.compile(
    r"[\s\-\u00ad\u2010-\u2015\u2212*_`\\~#>|\[\]\"'\u2018-\u201f\u00ab\u00bb]+"
)
"""Marks that typesetting, line ends and markdown put between words, or take away."""
_LINK_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?:\s+\"[^\"]*\")?\)")
_GAP = re.compile(r"\s*(?:\[?(?:\.\.\.|\u2026)\]?)\s*")
_QUOTED = re.compile(r"\u201c([^\u201c\u201d]+)\u201d|\u00ab([^\u00ab\u00bb]+)\u00bb|\"([^\"]+)\"")
_ENDS = " \t\n.,;:!?"
LEAST_LETTERS = 12
"""A shorter quotation is a name or a word, and stands anywhere."""


def _squeezed(text: str) -> str:
    """A text as quotations compare: letters, digits and marks that carry meaning, in one case."""
    text = _LINK_TARGET.sub("]", text) if "](" in text else text
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _NOT_COMPARED.sub("", folded)


def parts_of(quotation: str) -> list[str]:
    """The squeezed parts of a quotation, which `...` may divide; empty ones are left out."""
    parts = (_squeezed(part.strip(_ENDS)) for part in _GAP.split(quotation))
    return [part for part in parts if part]


def holds(text: str, quotation: str) -> bool:
    """Tell whether a text holds a quotation, its parts in order."""
    where, at = _squeezed(text), 0
    for part in parts_of(quotation):
        found = where.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def find_lines(lines: Sequence[str], quotation: str) -> tuple[int, int] | None:
    """The first and last line, from 0, on which a quotation stands; None where it does not."""
    parts = parts_of(quotation)
    if not parts:
        return None
    pieces = [_squeezed(line) for line in lines]
    text = "".join(pieces)
    ends = list(accumulate(map(len, pieces)))
    first = text.find(parts[0])
    if first < 0:
        return None
    at = first + len(parts[0])
    for part in parts[1:]:
        found = text.find(part, at)
        if found < 0:
            return None
        at = found + len(part)
    return _line_of(ends, first), _line_of(ends, at - 1)


def quotations_in(text: str) -> Iterator[str]:
    """What stands in double quotation marks and is long enough to be told from a name."""
    for found in _QUOTED.finditer(text):
        said = next(filter(None, found.groups()))
        if len(_squeezed(said)) >= LEAST_LETTERS and " " in said.strip():
            yield said


def _line_of(ends: Sequence[int], at: int) -> int:
    return next(number for number, end in enumerate(ends) if at < end)
