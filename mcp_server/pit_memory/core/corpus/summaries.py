"""One line about each section: its first real sentence, from prose where there is any."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from pit_memory.core.documents.outline import Outline
from pit_memory.core.markdown import Block

MAX_CHARACTERS = 240
"""Of a summary: about 60 tokens, so that twenty of them are a cheap answer."""

_MIN_WORDS = 3
"""A sentence of fewer words is a label ("Note.", "Step 1."): taken only where nothing says more."""
_MIN_LETTERS_WITHOUT_SPACES = 8
"""The same for scripts that write no spaces between words."""
_NO_PROSE = re.compile(r"\s*(!!!|\?\?\?|===|:::|///|--8<--|\[TOC\]|\[\[_?TOC_?\]\]|\{[:%{<.#])")
"""Lines that are markup of a renderer: admonitions, tabs, includes, attribute lists, shortcodes."""
_OPENERS = ("!!!", "???", "===")
"""Of admonitions and tabs whose body is indented."""
_IMAGE = r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])"
_ONLY_IMAGES = re.compile(rf"\s*(?:\[?{_IMAGE}(?:\](?:\([^)]*\)|\[[^\]]*\]))?\s*)+")
"""Badges and pictures, each alone or as a link."""
_SENTENCE_END = re.compile(r"[.!?…]+[)\]\"'”’»*_]*(?=\s)|[。！？]+[」』）]*")  # noqa: RUF001 - Chinese and Japanese ends of sentences
_ABBREVIATIONS = frozenset(
    {"approx", "bzw", "cf", "d.h", "dr", "e.g", "excl", "fig", "i.e", "incl", "mr", "mrs", "ms"}
    | {"prof", "resp", "viz", "vgl", "vs", "z.b"}
)
"""Never the end of a sentence."""
_SOMETIMES_ENDS = frozenset(
    {"al", "ca", "ch", "co", "corp", "dept", "ed", "eq", "est", "etc", "evtl", "ex", "ggf", "inc"}
    | {"jr", "ltd", "max", "min", "misc", "no", "nos", "nr", "p", "pp", "ref", "refs", "sec", "sr"}
    | {"usw", "v", "ver", "vol"}
)
"""The end of a sentence only before a capital letter."""
_INITIALS = re.compile(r"[A-Za-z](?:\.[A-Za-z])*")
_MARKUP = re.compile(r"[`*]|!?\[([^\]]*)\]\([^)]*\)|<[^>]*>")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def summarise(parsed: Outline) -> tuple[str, ...]:
    """Summarise every section.

    Returns:
        One line for each section, at most 240 characters, cut between words and then ended by "…".
        An empty section takes its first child's; empty where that has none either.
    """
    own = [_summary(parsed, blocks) for blocks in _blocks_by_section(parsed)]
    for index in range(len(own) - 2, -1, -1):
        child = parsed.sections[index + 1]
        if not own[index] and child.level > parsed.sections[index].level > 0:
            own[index] = own[index + 1]
    return tuple(own)


def _blocks_by_section(parsed: Outline) -> Iterator[list[Block]]:
    blocks = list(reversed(parsed.blocks))
    for section in parsed.sections:
        own: list[Block] = []
        while blocks and blocks[-1].line_start <= section.line_end:
            own.append(blocks.pop())
        yield own


def _summary(parsed: Outline, blocks: Sequence[Block]) -> str:
    label = ""
    for text in _prose(parsed, blocks):
        for sentence in _sentences(text):
            if _says_something(sentence):
                return _shortened(sentence)
        label = label or text
    if label:
        return _shortened(label)
    for block in blocks:
        if block.kind == "table" and (cells := _header_cells(parsed.lines[block.line_start - 1])):
            return _shortened("Table: " + ", ".join(cells))
    for block in blocks:
        if block.kind in {"fence", "code"}:
            return _shortened("Code: " + (_language(block) or _first_line(parsed, block)))
    return ""


def _language(block: Block) -> str:
    return block.info.split()[0].strip("{}.,") if block.info.strip() else ""


def _first_line(parsed: Outline, block: Block) -> str:
    lines = parsed.plain[block.line_start - 1 : block.line_end]
    return next((" ".join(line.split()) for line in lines if line.strip()), "empty")


def _prose(parsed: Outline, blocks: Sequence[Block]) -> Iterator[str]:
    """Paragraphs, quotes, list items, HTML, bodies of admonitions, in the order of the file."""
    marker = False
    for block in blocks:
        if block.kind == "list":
            yield from _list_items(parsed, block)
        elif block.kind in {"paragraph", "quote"} or (marker and block.kind == "code"):
            yield from _text(parsed, block.line_start, block.line_end)
        elif block.kind == "html":
            for text in _text(parsed, block.line_start, block.line_end):
                yield _MARKUP.sub(r"\1", text)
        # The body of one admonition may be several blocks of indented text, code to CommonMark.
        first_line = parsed.lines[block.line_start - 1].lstrip()
        marker = first_line.startswith(_OPENERS) or (marker and block.kind == "code")


def _list_items(parsed: Outline, block: Block) -> Iterator[str]:
    first = bisect_left(parsed.cuts, block.line_start)
    last = bisect_right(parsed.cuts, block.line_end)
    starts = parsed.cuts[first:last]
    for start, following in zip(starts, [*starts[1:], block.line_end + 1], strict=True):
        yield from _text(parsed, start, following - 1)


def _text(parsed: Outline, line_start: int, line_end: int) -> Iterator[str]:
    """Lines as a reader sees them, joined; no text where only markup and badges are."""
    kept = [
        parsed.plain[line - 1]
        for line in range(line_start, line_end + 1)
        if not _NO_PROSE.match(parsed.lines[line - 1])
        and not _ONLY_IMAGES.fullmatch(parsed.lines[line - 1])
    ]
    text = " ".join(" ".join(kept).split())
    if any(char.isalnum() for char in text):
        yield text


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if _ends_sentence(text, start, end):
            yield text[start : end.end()].strip()
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def _ends_sentence(text: str, start: int, end: re.Match[str]) -> bool:
    mark = end.group()
    if mark[0] in "。！？":  # noqa: RUF001 - as above
        return True
    if text[: end.start()][-1:].isspace():  # an operator, such as `?.`
        return False
    following = text[end.end() :].lstrip()[:1]
    before_lower = following.islower() or following.isdigit()
    if mark.startswith(("..", "…")):
        return following.isupper()
    if not mark.startswith("."):
        return not following.islower()
    word = text[start : end.start()].rpartition(" ")[2].lstrip("([\"'“«").lower()
    if word in _ABBREVIATIONS or (word in _SOMETIMES_ENDS and before_lower):
        return False
    if _INITIALS.fullmatch(word):
        return False
    return not (word.isdigit() and text[start : end.start()].strip() == word)


def _says_something(sentence: str) -> bool:
    if len(sentence.split()) >= _MIN_WORDS:
        return any(char.isalpha() for char in sentence)
    letters = sum(char.isalpha() for char in sentence)
    return not sentence.isascii() and letters >= _MIN_LETTERS_WITHOUT_SPACES and " " not in sentence


def _header_cells(row: str) -> list[str]:
    cells = [_MARKUP.sub(r"\1", cell).strip() for cell in _CELL_BORDER.split(row)]
    return [cell for cell in cells if cell]


def _shortened(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    room = text[:MAX_CHARACTERS]
    words = room.rpartition(" ")[0] or room[:-1]
    return words.rstrip(" ,;:([{-–—") + "…"  # noqa: RUF001 - dashes as writers use them
