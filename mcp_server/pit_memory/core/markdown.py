"""Markdown to structure: the one owner of pyromark, a CommonMark parser that gives byte ranges.

What GitHub adds to CommonMark is on: tables, footnotes, strikethrough, task lists, alerts. What
other dialects add is off, since it would read everyone else's ordinary text differently; their
names for headings are found afterwards.
"""

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import pyromark

from pit_memory.core.front_matter.block import FrontMatterBlock, locate_front_matter
from pit_memory.core.records import NamedTuple
from pit_memory.core.text.decoding import lines_of, with_lf
from pit_memory.core.text.html_text import comment_text, html_names, without_tags
from pit_memory.core.text.plain_text import without_inline_markup, without_wikilinks

TYPE_CHECKING = False  # `typing` itself costs a hook more than it may
if TYPE_CHECKING:
    from typing import Any, Literal

    BlockKind = Literal[
        "paragraph",
        "heading",
        "fence",
        "code",
        "table",
        "list",
        "quote",
        "html",
        "footnote",
        "rule",
    ]
    MarkdownEvent = dict[str, Any]
    """What the parser yields: one key, `Start`, `End`, `Text`; breaks and rules are strings."""
    ByteRange = dict[str, int]
    """`start` and `end` in the UTF-8 bytes of the text."""
    _Tag = str | dict[str, Any]

_PARSER_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_GFM
)
_PARSER = pyromark.Markdown(options=_PARSER_OPTIONS)
_LINK_PARSER = pyromark.Markdown(options=_PARSER_OPTIONS | pyromark.Options.ENABLE_WIKILINKS)
"""Wikilinks read as links; as they'd be text to GitHub, `_PARSER` leaves them alone."""
_BLOCK_KINDS: "dict[str, BlockKind]" = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "CodeBlock": "fence",
    "Table": "table",
    "List": "list",
    "BlockQuote": "quote",
    "HtmlBlock": "html",
    "FootnoteDefinition": "footnote",
}
_LINK_TAGS = frozenset({"Link", "Image"})
_NOTED_ENDS = frozenset({"TableCell", "Image", "CodeBlock", "HtmlBlock"})
_CUTS = frozenset(_BLOCK_KINDS) | {"Item", "TableRow"}
_ADMONITION_OR_TAB = ("!!!", "???", "===")
"""Python-Markdown's openers: the indented text after them is prose, and code to CommonMark."""


class Heading(NamedTuple):
    """A heading as CommonMark sees it."""

    level: int
    line_start: int
    """1-based; a setext heading starts with its text."""
    line_end: int
    text: str
    """As GitHub renders it: no markup, no HTML, no images; attribute braces are still there."""
    images: str
    """Alternative texts of its images."""
    comment: str
    """What its HTML comments say; empty where it has none."""
    nested: bool
    """Inside a list item, quote or footnote: GitHub gives it an anchor, it opens no section."""


class Block(NamedTuple):
    """A top-level block of the document."""

    kind: "BlockKind"
    line_start: int
    line_end: int
    """1-based, inclusive, without trailing blank lines."""
    info: str = ""
    """Info string of a fence, kind of a GitHub alert (`note`, `tip`, ...); else empty."""


class Markdown(NamedTuple):
    """The structure of one document."""

    lines: tuple[str, ...]
    front_matter: FrontMatterBlock | None
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    """Top-level blocks in order; front matter is none of them."""
    plain: tuple[str, ...]
    """Each line as a reader sees it: no link targets, HTML tags, emphasis or table bars."""
    cuts: tuple[int, ...]
    """Lines at which a block, list item or table row begins: where a long text may be cut."""
    html_names: tuple[tuple[int, str], ...]
    """(line, `id` or `name` of an HTML tag there), in order."""
    links: "tuple[LinkEvent, ...]"
    """In order; wikilinks, which are text to GitHub, are not among them (`link_events`)."""


def parse(text: str) -> Markdown:
    """Parse a document."""
    lines = tuple(lines_of(with_lf(text)))
    front_matter = locate_front_matter(lines)
    walk = _Walk(lines, front_matter.line_end if front_matter else 0)
    walk.run()
    return Markdown(
        lines=lines,
        front_matter=front_matter,
        headings=tuple(walk.headings),
        blocks=tuple(walk.blocks),
        plain=tuple(walk.plain),
        cuts=tuple(dict.fromkeys(walk.cuts)),
        html_names=tuple(walk.html_names),
        links=tuple(walk.links),
    )


class LinkEvent(NamedTuple):
    """A link or an image, or a piece of HTML, which may hold some."""

    form: "Literal['inline', 'reference', 'wikilink', 'html']"
    is_image: bool
    target: str
    """Where it leads: entities and escapes resolved; of HTML the whole piece."""
    line: int
    """1-based line of the document that it begins at."""
    start: int
    end: int
    """Its place in the UTF-8 bytes of the body."""


def link_events(lines: Sequence[str], skip: int) -> Iterator[LinkEvent]:
    """Links and images of a document, wikilinks among them, in order; code holds none.

    Args:
        lines: of the document.
        skip: how many of them are front matter.
    """
    body = "\n".join(lines[skip:])
    line_ends = _line_ends(body)
    events: Iterator[tuple[Any, ByteRange]]
    events = _LINK_PARSER.events_with_range(body)  # type: ignore[assignment]
    for event, place in events:
        if "Text" in event or "End" in event:  # nine of ten
            continue
        line = bisect_right(line_ends, place["start"]) + skip + 1
        if "Start" in event:
            tag = event["Start"]
            is_link = tag.__class__ is dict and tag.keys() & _LINK_TAGS
            if is_link and (link := _link(tag, line, place)):
                yield link
        elif "InlineHtml" in event:
            yield _html(event["InlineHtml"], line, place)
        elif "Html" in event:
            yield _html(event["Html"], line, place)


def _link(tag: "dict[str, Any]", line: int, place: "ByteRange") -> LinkEvent | None:
    """The event of a link or an image; None for an address that is its own text."""
    ((name, link),) = tag.items()
    form = _link_form(link["link_type"])
    if form is None:
        return None
    return LinkEvent(form, name == "Image", link["dest_url"], line, place["start"], place["end"])


def _html(text: str, line: int, place: "ByteRange") -> LinkEvent:
    return LinkEvent("html", False, text, line, place["start"], place["end"])


def _link_form(kind: "_Tag") -> "Literal['inline', 'reference', 'wikilink'] | None":
    """The form of a link; None for an address that is its own text."""
    if isinstance(kind, dict):
        return "wikilink"
    if kind == "Inline":
        return "inline"
    return "reference" if kind in {"Reference", "Collapsed", "Shortcut"} else None


def _events(body: str) -> "Iterator[tuple[MarkdownEvent, ByteRange]]":
    """The parser's own events of a text without front matter, with their places."""
    return _PARSER.events_with_range(body)  # type: ignore[return-value]


def _line_ends(body: str) -> list[int]:
    """Byte offset of each line's end.

    For tabs the parser makes up white space, even beyond the last byte: the last line has no end.
    """
    ends = list(accumulate(map(len, body.encode().splitlines(keepends=True))))
    ends[-1:] = [sys.maxsize]
    return ends


class _Walk:
    """One pass over the parser's events. Lines are 0-based inside, 1-based in what it gives out."""

    def __init__(self, lines: Sequence[str], skip: int) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.plain = [""] * len(lines)
        self.cuts: list[int] = []
        self.html_names: list[tuple[int, str]] = []
        self.links: list[LinkEvent] = []
        self._lines = lines
        self._skip = skip
        self._body = "\n".join(lines[skip:])
        self._line_ends = _line_ends(self._body)
        self._block_end = 0
        self._pieces: list[str] = []
        self._text_is_plain = True
        self._heading: _OpenHeading | None = None
        self._images = 0
        self._code: Literal["no", "code", "prose"] = "no"
        self._html: list[str] = []
        self._paragraph_line = -1

    def run(self) -> None:
        """Read all events; this loop is most of the cost of parsing, so plain text stays in it."""
        pieces, line_ends = self._pieces, self._line_ends
        line, line_end = self._skip - 1, 0
        for event, place in _events(self._body):
            if "End" in event:
                tag = event["End"]
                if tag.__class__ is dict or tag in _NOTED_ENDS:
                    self._close(tag, line)
                continue
            if place["start"] >= line_end:
                if pieces:
                    self._flush(line)
                while place["start"] >= line_end:
                    line += 1
                    line_end = line_ends[line - self._skip]
            if "Text" in event:
                if self._text_is_plain:
                    pieces.append(event["Text"])
                else:
                    self._special_text(event["Text"], line)
            elif "Start" in event:
                self._open(event["Start"], line, place)
            else:
                self._other(event, line, place)
        self._flush(line)

    def _flush(self, line: int) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        if text:
            self.plain[line] = without_wikilinks(text) if "[[" in text else text

    def _special_text(self, text: str, line: int) -> None:
        """Text of code, which may have many lines, or of a heading."""
        if self._code != "no":
            rows = text.removesuffix("\n").split("\n")
            if self._code == "prose":
                rows = [without_inline_markup(row) for row in rows]
            self.plain[line : line + len(rows)] = rows
            return
        self._pieces.append(text)
        if self._heading is not None:
            (self._heading.images if self._images else self._heading.text).append(text)

    def _open(self, tag: "_Tag", line: int, place: "ByteRange") -> None:
        name = tag if isinstance(tag, str) else next(iter(tag))
        if name not in _CUTS:
            if name in _LINK_TAGS and not isinstance(tag, str):
                self._images += name == "Image"
                if link := _link(tag, line + 1, place):
                    self.links.append(link)
            return
        if name == "CodeBlock":
            self._open_code(_value(tag, name))
        if self._code != "prose":
            self.cuts.append(line + 1)
            self._paragraph_line = line if name == "Paragraph" else -1
        if name not in _BLOCK_KINDS:
            return
        nested = place["start"] < self._block_end
        if nested and name != "Heading":
            return
        last_line = self._last_line(place)
        if name == "Heading":
            level = int(str(_value(_value(tag, name), "level")).removeprefix("H"))
            self._heading = _OpenHeading(level, line, last_line, nested)
            self._text_is_plain = False
        if not nested:
            self._block_end = place["end"]
            kind, info = _kind_and_info(tag)
            self.blocks.append(Block(kind, line + 1, last_line + 1, info))

    def _open_code(self, kind: "_Tag") -> None:
        opened_by = self._lines[self._paragraph_line].lstrip() if self._paragraph_line >= 0 else ""
        is_prose = kind == "Indented" and opened_by.startswith(_ADMONITION_OR_TAB)
        self._code = "prose" if is_prose else "code"
        self._text_is_plain = False

    def _close(self, tag: "_Tag", line: int) -> None:
        if tag == "TableCell":
            self._pieces.append(" ")
        elif tag == "Image":
            self._images -= 1
        elif tag == "CodeBlock":
            self._code, self._text_is_plain = "no", True
        elif tag == "HtmlBlock":
            self._close_html(line)
        elif self._heading is not None and "Heading" in tag:
            self.headings.append(self._heading.closed())
            self._heading, self._text_is_plain = None, True

    def _other(self, event: "MarkdownEvent | str", line: int, place: "ByteRange") -> None:
        if isinstance(event, str):
            if event == "Rule":
                self.cuts.append(line + 1)
                if place["start"] >= self._block_end:
                    self.blocks.append(Block("rule", line + 1, line + 1))
            elif self._heading is not None:
                self._heading.text.append("\n")
        elif "Code" in event:
            self._special_text(event["Code"], line)
        elif "InlineHtml" in event:
            self._inline_html(event["InlineHtml"], line)
            self.links.append(_html(event["InlineHtml"], line + 1, place))
        elif "Html" in event:
            self._html.append(event["Html"])
            self.links.append(_html(event["Html"], line + 1, place))
        elif "FootnoteReference" in event and self._heading is not None:
            self._heading.text.append(event["FootnoteReference"])

    def _inline_html(self, html: str, line: int) -> None:
        self._note_names(html, line)
        if html.startswith("<br"):
            self._pieces.append(" ")
        elif self._heading is not None:
            self._heading.comments.append(comment_text(html))

    def _close_html(self, last_line: int) -> None:
        """Take in an HTML block; the parser gives it line by line, `last_line` is its last."""
        html = "".join(self._html).removesuffix("\n")
        self._html.clear()
        first = last_line - html.count("\n")
        rows = without_tags(html).split("\n")
        self.plain[first : first + len(rows)] = rows
        if "=" in html:
            for index, row in enumerate(html.split("\n")):
                self._note_names(row, first + index)

    def _note_names(self, html: str, line: int) -> None:
        if "=" in html:
            self.html_names.extend((line + 1, name) for name in html_names(html))

    def _last_line(self, place: "ByteRange") -> int:
        """Line of the last written character of a range; trailing blank lines don't count."""
        line = bisect_right(self._line_ends, place["end"] - 1) + self._skip
        while line > self._skip and not self._lines[line].strip(" \t"):
            line -= 1
        return line


class _OpenHeading:
    """A heading whose end has not been read yet; lines are 0-based."""

    def __init__(self, level: int, line_start: int, line_end: int, nested: bool) -> None:
        self.level = level
        self.line_start = line_start
        self.line_end = line_end
        self.nested = nested
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


def _value(tag: "_Tag", name: str) -> "_Tag":
    """What a tag says besides its name."""
    return "" if isinstance(tag, str) else tag[name]


def _kind_and_info(tag: "_Tag") -> "tuple[BlockKind, str]":
    if isinstance(tag, str):
        return _BLOCK_KINDS[tag], ""
    ((name, value),) = tag.items()
    if name == "CodeBlock":
        return ("code", "") if value == "Indented" else ("fence", value["Fenced"])
    if name == "BlockQuote":
        return "quote", (value or "").lower()
    return _BLOCK_KINDS[name], ""
