"""What Obsidian adds to markdown: comments, block ids, tags in the text, callouts.

Sources: Obsidian's help pages on its flavour of markdown, on tags and on links to blocks.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pit_memory.core.documents.documents import Place
from pit_memory.core.front_matter.block import locate_front_matter
from pit_memory.core.text.masks import with_gaps

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_COMMENT = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|%%.*?(?:%%|\Z)", re.DOTALL)
_BLOCK_ID = re.compile(r"(?:^|(?<=\s))\^([A-Za-z0-9-]+)[ \t]*$")
_CALLOUT = re.compile(r"^([ \t]*(?:>[ \t]*)+)(\[![^\]\n]+\][+-]?)")
_TAG = re.compile(
    r"`[^`\n]*`|(?<!\S)#([^\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]+)"
)
_NOT_LINE_END = re.compile(r"[^\n]")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_ENDS_BLOCK = re.compile(r"[ \t]*(?:#{1,6}[ \t]|[-*+][ \t]|\d+[.)][ \t]|>|\|)")


@dataclass(frozen=True, slots=True)
class ObsidianNote:
    """What a note says beside its markdown."""

    parsed: str
    """The text to parse: without comments, block ids and marks of callouts; every line stays on its
    line."""
    shown: str
    """The text to show: as the file has it, a comment in a line as an ellipsis; line by line."""
    tags: tuple[str, ...]
    """Of the text, without `#`; once each."""
    places: tuple[Place, ...]
    """Blocks that can be cited, by `^id`."""


def read_note(text: str) -> ObsidianNote:
    """Take a note apart.

    Args:
        text: of the file, LF.
    """
    lines = text.split("\n")
    front_matter = locate_front_matter(lines)
    skip = front_matter.line_end if front_matter else 0
    code = _code_lines(lines, skip) if "```" in text or "~~~" in text else frozenset()
    shown = text
    if "%%" in text:
        lines = _without_comments(lines, skip, code)
        shown = with_gaps(text, "\n".join(lines))
    places = tuple(_places(lines, skip, code)) if "^" in text else ()
    tags = dict.fromkeys(_tags(lines, skip, code)) if "#" in text else {}
    for number in range(skip, len(lines)):
        line = lines[number]
        if number not in code and ("^" in line or "[!" in line or "![[" in line):
            lines[number] = _plain_line(line)
    return ObsidianNote("\n".join(lines), shown, tuple(tags), places)


def _code_lines(lines: Sequence[str], skip: int) -> frozenset[int]:
    """Numbers of the lines in fences, 0-based, their delimiters included."""
    found = []
    fence = ""
    for number in range(skip, len(lines)):
        marked = _FENCE.match(lines[number])
        if fence:
            found.append(number)
            if marked and marked[1].startswith(fence):
                fence = ""
        elif marked:
            found.append(number)
            fence = marked[1]
    return frozenset(found)


def _without_comments(lines: list[str], skip: int, code: frozenset[int]) -> list[str]:
    """The lines with comments as blanks; code is left alone, and no comment begins in it."""
    kept = ["" if number in code or number < skip else line for number, line in enumerate(lines)]
    text = _COMMENT.sub(
        lambda found: found[0] if found[1] else _NOT_LINE_END.sub(" ", found[0]), "\n".join(kept)
    )
    shown = text.split("\n")
    return [
        lines[number] if number in code or number < skip else line
        for number, line in enumerate(shown)
    ]


def _plain_line(line: str) -> str:
    line = _BLOCK_ID.sub(lambda found: " " * len(found[0]), line)
    line = _CALLOUT.sub(lambda found: found[1] + " " * len(found[2]), line)
    return line.replace("![[", " [[")


def _tags(lines: Sequence[str], skip: int, code: frozenset[int]) -> Iterator[str]:
    for number in range(skip, len(lines)):
        line = lines[number]
        if "#" not in line or number in code:
            continue
        for found in _TAG.finditer(line):
            tag = (found[1] or "").strip("/")
            if tag and not tag.isdigit():
                yield tag


def _places(lines: Sequence[str], skip: int, code: frozenset[int]) -> Iterator[Place]:
    """The block that each id names: the lines it stands behind, or those above it."""
    for number in range(skip, len(lines)):
        if "^" not in lines[number] or number in code:
            continue
        if found := _BLOCK_ID.search(lines[number]):
            stands_alone = not lines[number][: found.start()].strip()
            last = _last_written(lines, number, skip) if stands_alone else number
            first = _block_start(lines, last, skip, code)
            yield Place(f"^{found[1]}", first + 1, number + 1)


def _last_written(lines: Sequence[str], number: int, skip: int) -> int:
    above = number - 1
    while above > skip and not lines[above].strip():
        above -= 1
    return max(above, skip)


def _block_start(lines: Sequence[str], last: int, skip: int, code: frozenset[int]) -> int:
    """The first line of the paragraph, item, table, quote or fence that a line belongs to."""
    if last in code:
        run = sorted(code)
        at = bisect_left(run, last)
        while at and run[at - 1] == run[at] - 1:
            at -= 1
        return run[at]
    first = last
    if _LIST_ITEM.match(lines[last]):
        return last
    while first > skip and lines[first - 1].strip() and (first - 1) not in code:
        if _LIST_ITEM.match(lines[first - 1]):
            return first - 1
        same_kind = lines[first][:1] in {">", "|"} and lines[first - 1][:1] == lines[first][:1]
        if _ENDS_BLOCK.match(lines[first - 1]) and not same_kind:
            return first
        first -= 1
    return first
