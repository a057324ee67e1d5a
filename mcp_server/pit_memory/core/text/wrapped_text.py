"""Prose that was cut into lines at a column: which lines are one text, and its sentences."""

import re
from collections.abc import Callable, Iterator, Sequence

from pit_memory.core.text.prose import paragraphs

_WIDTHS = (40, 160)
"""Characters of the longest line: shorter ones are lines of their own, longer ones not cut."""
_WIDTH_BEFORE_CAPITAL = 60
"""Lines that begin with a capital or a digit are often on their own: items without a mark."""
_FULL = 0.6
"""Of the width, that a line and the next one's first word exceed: a PDF's lines are uneven."""
_FULL_BEFORE_CAPITAL = 0.9
_LETTERS = 0.8
"""Letters and blanks of a line of prose; code, logs and figures have fewer."""
_LONGEST_SENTENCE = 600
"""Characters; what is longer without a full stop is a list or a table without its marks."""

_ITEM = re.compile(r"\A\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?")
_OPENING = r"[\"'\u201c\u201e\u201a\u2018\u00ab\u00bb(\[*_`]*"
_PROSE = re.compile(rf"{_OPENING}\w")
"""Neither a quotation's or heading's mark nor markup."""
_LABEL = re.compile(r"\[[^\]]*\]:|[\w-]+:\s|(?:\*\*|__)[^*_]*(?::(?:\*\*|__)|(?:\*\*|__):)")
"""What begins a line of its own: the definition of a link, a key or a label in bold."""
_NO_LETTER = re.compile(r"[^\w ]|[\d_]")
_CELLS_OR_CODE = re.compile(r" \| | [=:!]?=+ |//\s|[{}]\Z")
_HARD_BREAK = re.compile(r"(?: {2}|\\|<br\s*/?>\s*)\r?\Z")
_CLOSING = r"[\"'\u201d\u201c\u2019\u00bb)\]*_]*"
_STOP = re.compile(rf"[.!?…]{_CLOSING}(?=\s+\W*[^\W\d_a-z]|\Z)|[\u3002\uff01\uff1f]{_CLOSING}")
_NO_STOP = re.compile(
    r"\b(?:\w|\d\d|bzw|ca|cf|Dr|Fig|Mrs?|Ms|Nr|No|Prof|St|vgl|vs)\Z", re.IGNORECASE
)
"""Before the point of an initial, a day of the month, an abbreviation."""
_UNSPACED = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
"""Chinese and Japanese, which have no blanks between words."""


def wrapped_texts(
    lines: Sequence[str],
    is_wanted: Callable[[range], bool] = lambda paragraph: True,  # noqa: ARG005
) -> Iterator[range]:
    """Which lines are one wrapped text: of each, two or more, their indexes in order.

    A text goes from line to line of a paragraph or list item as long as no line ends a sentence.
    Headings, rows of tables, code, quotations' marks and lines that are plainly whole are in none.

    Args:
        lines: of a text.
        is_wanted: tells whether a paragraph, by the indexes of its lines, is worth a look.
    """
    for paragraph in paragraphs(lines):
        first = paragraph.line - 1
        kept = paragraph.text.split("\n")
        if len(kept) == 1 or not is_wanted(range(first, first + len(kept))):
            continue
        start = 0
        for at, continues in enumerate([*_continuing(kept), False], start=1):
            if not continues:
                if at - start > 1:
                    yield range(first + start, first + at)
                start = at


def wrapped_sentences(lines: Sequence[str]) -> Sequence[tuple[int, str]]:
    """The sentences of a wrapped text, each with the index of the line where it begins.

    Args:
        lines: of one text.

    Returns:
        Sentences on one line; empty where one is too long to be a sentence.
    """
    text = ""
    begins: list[int] = []
    for line in map(str.strip, lines):
        unspaced = _UNSPACED.match(text[-1:]) and _UNSPACED.match(line)
        text += "" if not text or unspaced else " "
        begins.append(len(text))
        text += line
    stops = [found.end() for found in _STOP.finditer(text) if _is_stop(text, found)]
    sentences = []
    start = 0
    for end in [*stops, len(text)]:
        if sentence := text[start:end].strip():
            at = end - len(text[start:end].lstrip())
            sentences.append((sum(begin <= at for begin in begins) - 1, sentence))
        start = end
    return [] if any(len(it) > _LONGEST_SENTENCE for _, it in sentences) else sentences


def _continuing(lines: Sequence[str]) -> list[bool]:
    """Of each line of a paragraph but the first, whether it goes on with the line before it."""
    width = max(len(line.rstrip()) for line in lines)
    if not _WIDTHS[0] <= width <= _WIDTHS[1]:
        return [False] * (len(lines) - 1)
    capitals = [_begins_with_capital(line) for line in lines]
    if len(lines) > 2 and all(capitals) and not any(map(_STOP.search, lines)):
        return [False] * (len(lines) - 1)
    is_item = _ITEM.match(lines[0]) is not None
    prose = [_may_be_prose(line, is_item=is_item) for line in lines]
    return [
        prose[at - 1]
        and prose[at]
        and not _LABEL.match(lines[at].strip())
        and not _ends(lines[at - 1])
        and _is_full(lines[at - 1].rstrip(), lines[at], width, before_capital=capitals[at])
        and _is_of_letters(f"{lines[at - 1].strip()} {lines[at].strip()}")
        for at in range(1, len(lines))
    ]


def _begins_with_capital(line: str) -> bool:
    """Whether the first letter or digit is a capital or a digit."""
    first = next((it for it in _ITEM.sub("", line) if it.isalnum()), "")
    return first.isupper() or first.isdigit()


def _may_be_prose(line: str, *, is_item: bool) -> bool:
    text = line.strip()
    indent = line[: -len(line.lstrip())]
    if not is_item and (len(indent) >= 4 or "\t" in indent):
        return False
    is_begun = _PROSE.match(_ITEM.sub("", text)) is not None
    return is_begun and _CELLS_OR_CODE.search(text) is None


def _is_of_letters(text: str) -> bool:
    return len(_NO_LETTER.findall(text)) <= (1 - _LETTERS) * len(text)


def _ends(line: str) -> bool:
    """Whether a line ends a sentence, or was ended by its writer."""
    text = line.rstrip()
    ends = (found for found in _STOP.finditer(text) if found.end() == len(text))
    return _HARD_BREAK.search(line) is not None or any(_is_stop(text, it) for it in ends)


def _is_stop(text: str, found: re.Match[str]) -> bool:
    return text[found.start()] != "." or _NO_STOP.search(text[: found.start()]) is None


def _is_full(line: str, following: str, width: int, *, before_capital: bool) -> bool:
    """Whether the next line's first word would not have stood on this one."""
    least, share = (_WIDTH_BEFORE_CAPITAL, _FULL_BEFORE_CAPITAL) if before_capital else (0, _FULL)
    return width >= least and len(line) + 1 + len(following.split(None, 1)[0]) > share * width
