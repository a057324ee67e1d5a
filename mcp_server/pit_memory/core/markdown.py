"""Markdown to structure: the one owner of pyromark, a CommonMark parser that gives byte ranges.

What GitHub adds to CommonMark is on: tables, footnotes, strikethrough, task lists, alerts. What other dialects add is off,
since it would read everyone else's ordinary text differently; their names for headings are found afterwards.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

import pyromark

from pit_memory.core.decoding import lines_of
from pit_memory.core.front_matter import FrontMatterBlock, locate_front_matter
from pit_memory.core.html_text import comment_text, html_names, without_tags

BlockKind = Literal["paragraph", "heading", "fence", "code", "table", "list", "quote", "html", "footnote", "rule"]

_PARSER = pyromark.Markdown(
    options=pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_GFM
)
_BLOCK_KINDS: dict[str, BlockKind] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "CodeBlock": "fence",
    "Table": "table",
    "List": "list",
    "BlockQuote": "quote",
    "HtmlBlock": "html",
    "FootnoteDefinition": "footnote",
}
_CUTS = frozenset(_BLOCK_KINDS) | {"Item", "TableRow"}
_NOTED_ENDS = frozenset({"TableCell", "Image", "CodeBlock", "HtmlBlock"})
_ADMONITION_OR_TAB = ("!!!", "???", "===")
"""Python-Markdown's openers: the indented text after them is prose, which CommonMark takes for code."""
_WIKILINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_INLINE_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"()]*\")?\)")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as CommonMark sees it."""

    level: int
    line_start: int
    """1-based; a setext heading starts with its text."""
    line_end: int
    text: str
    """As GitHub renders it: no markup, no HTML, no images; attribute braces, which GitHub shows, are still there."""
    images: str
    """Alternative texts of its images."""
    comment: str
    """What its HTML comments say; empty where it has none."""
    nested: bool
    """Inside a list item, quote or footnote: GitHub gives it an anchor, but it opens no section."""


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block of the document."""

    kind: BlockKind
    line_start: int
    line_end: int
    """1-based, inclusive, without trailing blank lines."""
    info: str = ""
    """Info string of a fence, kind of a GitHub alert (`note`, `tip`, ...); empty for every other kind."""


@dataclass(frozen=True, slots=True)
class Markdown:
    """The structure of one document."""

    lines: tuple[str, ...]
    front_matter: FrontMatterBlock | None
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    """Top-level blocks in order; front matter is none of them."""
    plain: tuple[str, ...]
    """Each line as a reader sees it: no link targets, HTML tags, emphasis or table bars; code stays as it is."""
    cuts: tuple[int, ...]
    """Lines at which a block, list item or table row begins, ascending: where a long text may be cut."""
    html_names: tuple[tuple[int, str], ...]
    """(line, `id` or `name` of an HTML tag there), in order."""


def parse(text: str) -> Markdown:
    """Parse a document.

    Args:
        text: LF line ends (`core.decoding.decode`).
    """
    lines = tuple(lines_of(text))
    front_matter = locate_front_matter(lines)
    walk = _Walk(lines, front_matter.line_end if front_matter else 0)
    walk.run()
    return Markdown(
        lines,
        front_matter,
        tuple(walk.headings),
        tuple(walk.blocks),
        tuple(walk.plain),
        tuple(walk.cuts),
        tuple(walk.html_names),
    )


class _Walk:
    """One pass over the parser's events. Lines are 0-based inside, 1-based in what it gives out."""

    def __init__(self, lines: Sequence[str], skip: int) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.plain = [""] * len(lines)
        self.cuts: list[int] = []
        self.html_names: list[tuple[int, str]] = []
        self._lines = lines
        self._body = "\n".join(lines[skip:])
        encoded = self._body.encode().split(b"\n")
        self._starts = list(accumulate((len(line) + 1 for line in encoded), initial=0))
        self._skip = skip
        self._top_end = 0
        self._images = 0
        self._pieces: list[str] = []
        self._plainly = True
        self._heading: _OpenHeading | None = None
        self._html: list[tuple[int, str]] = []
        self._code: Literal["no", "code", "prose"] = "no"
        self._paragraph_line = -1

    def run(self) -> None:
        """Read all events. This loop is most of the cost of parsing, so the frequent ones are dealt with in it."""
        pieces = self._pieces
        line, start, end = self._skip, 0, -1
        for event, span in _PARSER.events_with_range(self._body):
            if event.__class__ is str:
                self._mark(event, span["start"])
                continue
            ((kind, value),) = event.items()
            if kind == "End":
                if value.__class__ is not str or value in _NOTED_ENDS:
                    self._close(value)
                continue
            offset = span["start"]
            if not start <= offset < end:
                if pieces:
                    self._put(line, "".join(pieces))
                    pieces.clear()
                line, start, end = self._line_at(offset)
            if kind == "Text" or kind == "Code":
                if self._plainly:
                    pieces.append(value)
                else:
                    self._text(line, value)
            elif kind == "Start":
                if value.__class__ is not str:
                    if "Link" not in value:
                        self._open(next(iter(value)), value, line, span)
                elif value in _CUTS:
                    self._open(value, value, line, span)
            else:
                self._other(kind, value, line)
        if pieces:
            self._put(line, "".join(pieces))

    def _line_at(self, offset: int) -> tuple[int, int, int]:
        """Line of a byte offset of the body, and the offsets at which it starts and ends."""
        index = bisect_right(self._starts, offset) - 1
        return index + self._skip, self._starts[index], self._starts[index + 1]

    def _line_before(self, offset: int) -> int:
        """Line of the last written character before a byte offset; trailing blank lines don't count."""
        line = bisect_right(self._starts, offset - 1) - 1 + self._skip
        while line > self._skip and not self._lines[line].strip():
            line -= 1
        return line

    def _text(self, line: int, text: str) -> None:
        """Text inside of code, a heading or both a heading and an image in it."""
        if self._code != "no":
            for index, part in enumerate(text.split("\n")):
                if part:
                    self._put(line + index, _without_inline_markup(part) if self._code == "prose" else part)
            return
        self._pieces.append(text)
        if self._heading is not None:
            (self._heading.images if self._images else self._heading.text).append(text)

    def _put(self, line: int, text: str) -> None:
        if "[[" in text and self._code != "code":
            text = _WIKILINK.sub(r"\1", text)
        earlier = self.plain[line]
        self.plain[line] = f"{earlier} {text}" if earlier else text

    def _mark(self, mark: str, offset: int) -> None:
        if mark == "Rule":
            line = self._line_at(offset)[0]
            self._cut(line)
            if offset >= self._top_end:
                self.blocks.append(Block("rule", line + 1, line + 1))
        elif self._heading is not None:
            self._heading.text.append("\n")

    def _open(self, name: str, tag: Any, line: int, span: Any) -> None:
        if name == "Image":
            self._images += 1
            return
        self._cut(line)
        if name not in _BLOCK_KINDS:
            return
        nested = span["start"] < self._top_end
        last_line = self._line_before(span["end"])
        if name == "Paragraph":
            self._paragraph_line = line
        elif name == "Heading":
            self._heading = _OpenHeading(int(tag["Heading"]["level"][1]), line, last_line, nested)
            self._plainly = False
        elif name == "CodeBlock":
            self._code = self._code_kind(tag["CodeBlock"])
            self._plainly = False
        if name != "Paragraph" and self._code != "prose":
            self._paragraph_line = -1
        if not nested:
            self._top_end = span["end"]
            kind, info = _kind_and_info(name, tag)
            self.blocks.append(Block(kind, line + 1, last_line + 1, info))

    def _close(self, tag: Any) -> None:
        if tag == "TableCell":
            self._pieces.append(" ")
        elif tag == "Image":
            self._images -= 1
        elif tag == "CodeBlock":
            self._code, self._plainly = "no", True
        elif tag == "HtmlBlock":
            self._close_html()
        elif self._heading is not None:
            self.headings.append(self._heading.closed())
            self._heading, self._plainly = None, True

    def _other(self, kind: str, value: Any, line: int) -> None:
        if kind == "InlineHtml":
            self._inline_html(value, line)
        elif kind == "Html":
            self._html.append((line, value))
        elif kind == "FootnoteReference" and self._heading is not None:
            self._heading.text.append(value)

    def _inline_html(self, html: str, line: int) -> None:
        if "=" in html:
            self.html_names.extend((line + 1, name) for name in html_names(html))
        if html.startswith("<br"):
            self._pieces.append(" ")
        elif self._heading is not None:
            self._heading.comments.append(comment_text(html))

    def _close_html(self) -> None:
        if not self._html:
            return
        first = self._html[0][0]
        html = "".join(text for _, text in self._html)
        self._html = []
        for index, text in enumerate(without_tags(html).split("\n")):
            if text:
                self.plain[first + index] = text
        if "=" in html:
            for index, text in enumerate(html.split("\n")):
                self.html_names.extend((first + index + 1, name) for name in html_names(text))

    def _code_kind(self, kind: Any) -> Literal["code", "prose"]:
        opened_by = self._lines[self._paragraph_line].lstrip() if self._paragraph_line >= 0 else ""
        return "prose" if kind == "Indented" and opened_by.startswith(_ADMONITION_OR_TAB) else "code"

    def _cut(self, line: int) -> None:
        if not self.cuts or self.cuts[-1] != line + 1:
            self.cuts.append(line + 1)


class _OpenHeading:
    """A heading whose end has not been read yet."""

    def __init__(self, level: int, line_start: int, line_end: int, nested: bool) -> None:
        self.level, self.line_start, self.line_end, self.nested = level, line_start, line_end, nested
        self.text: list[str] = []
        self.images: list[str] = []
        self.comments: list[str] = []

    def closed(self) -> Heading:
        return Heading(
            self.level,
            self.line_start + 1,
            self.line_end + 1,
            "".join(self.text),
            " ".join(self.images),
            " ".join(filter(None, self.comments)),
            self.nested,
        )


def _kind_and_info(name: str, tag: Any) -> tuple[BlockKind, str]:
    if name == "CodeBlock":
        kind = tag["CodeBlock"]
        return ("code", "") if kind == "Indented" else ("fence", kind["Fenced"])
    if name == "BlockQuote":
        return "quote", (tag["BlockQuote"] or "").lower()
    return _BLOCK_KINDS[name], ""


def _without_inline_markup(text: str) -> str:
    return _EMPHASIS.sub("", _INLINE_LINK.sub(r"\1", text))
