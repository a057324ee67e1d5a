"""The reader of web pages: their main text, headings with anchors; nothing in them ever runs.

Python's own parser, on a page without comments, scripts and declarations: what makes it slow on
hostile input is taken out first, in linear time.
"""

import codecs
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import PurePosixPath
from typing import Final

from pit_memory.core.documents.anchors import AnchorNumberer, github_slug
from pit_memory.core.documents.documents import Problem
from pit_memory.core.documents.marked_text import Mark, split_at_marks
from pit_memory.core.text.decoding import decode
from pit_memory.sources.described import Described, document_of
from pit_memory.sources.formats import Contents, RawFile

_NEVER_TEXT = "script|style|template|noscript|svg|math|iframe|object|select|button"
_CUT_OUT: Final = re.compile(
    rf"<!--.*?(?:-->|\Z)|<({_NEVER_TEXT})\b[^>]*>.*?(?:</\1\s*>|\Z)|<[!?][^>]*(?:>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_CHARSET: Final = re.compile(
    rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
_CHARSET_BYTES: Final = 4096
_AROUND: Final = frozenset({"nav", "header", "footer", "aside", "form", "menu", "dialog"})
"""Not the page's own text, unless it stands in its main part."""
_MAIN: Final = re.compile(r"<(main|article)\b|\brole\s*=\s*[\"']?main\b", re.IGNORECASE)
_BLOCKS: Final = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "caption",
            "center",
            "dd",
            "details",
        ),
        *("dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "menu", "nav"),
        *("ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "title"),
        *("tr", "ul"),
    )
)
_EMPTY: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_ANCHOR_SIGNS: Final = "\u00b6#\U0001f517\u200b "
"""What generators put behind a heading as a link to itself."""


def read(raw: RawFile) -> Contents:
    """Take a web page apart."""
    text, problem = _text(raw.data)
    page = _Page(has_main=_MAIN.search(text) is not None)
    cut, _, rest = text.rpartition(">")
    page.feed(_CUT_OUT.sub(" ", cut + ">" if cut else ""))
    page.close()
    page.end(rest if not rest.lstrip().startswith("<") else "")
    problems = [Problem(raw.path, 0, "encoding", problem)] if problem else []
    if not any(map(str.strip, page.lines)):
        problems.append(
            Problem(raw.path, 0, "no-text", "the page holds no text outside of scripts")
        )
    first = next((mark.heading for mark in page.marks if mark.level == 1), "")
    described = Described(
        title=page.title or first or PurePosixPath(raw.path).stem,
        description=page.description,
        tags=page.keywords,
    )
    document = document_of(raw, split_at_marks(page.lines, page.marks), described, tuple(problems))
    return Contents(document, page.lines)


def _text(data: bytes) -> tuple[str, str | None]:
    """The page as text: by its own word on the encoding, where it names one that is not UTF-8."""
    named = _CHARSET.search(data[:_CHARSET_BYTES])
    try:
        encoding = codecs.lookup(named[1].decode("ascii")).name if named else "utf-8"
    except LookupError:
        encoding = "utf-8"
    if encoding in {"utf-8", "ascii"} or b"\0" in data[:_CHARSET_BYTES]:
        decoded = decode(data)
        return decoded.text, decoded.problem
    try:
        return data.decode(encoding, errors="replace"), None
    except (LookupError, UnicodeError):  # a codec that is none for text
        decoded = decode(data)
        return decoded.text, decoded.problem


class _Page(HTMLParser):
    """Collects lines and headings."""

    def __init__(self, *, has_main: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.marks: list[Mark] = []
        self.title = ""
        self.description = ""
        self.keywords: tuple[str, ...] = ()
        self._has_main = has_main
        self._main = 0
        self._around = 0
        self._open: list[str] = []
        self._pieces: list[str] = []
        self._pre = 0
        self._heading: tuple[int, str] | None = None
        self._ids: list[str] = []
        self._numberer = AnchorNumberer()
        self._taken: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        given = {name: value or "" for name, value in attrs}
        if tag in _BLOCKS:
            self._flush()
        self._take_in_place(tag, given)
        if name := given.get("id") or (given.get("name") if tag == "a" else ""):
            self._ids.append(name)
        if tag in _EMPTY:
            return
        self._open.append(tag)
        if self._main or tag in {"main", "article"} or given.get("role") == "main":
            self._main += 1
        elif self._around or tag in _AROUND:
            self._around += 1
        self._pre += tag == "pre"
        if tag in _HEADINGS:
            self._heading = _HEADINGS[tag], given.get("id", "")

    def _take_in_place(self, tag: str, given: dict[str, str]) -> None:
        """What an element says by being there."""
        if tag == "meta":
            self._describe(given)
        elif tag == "br" and not self._pre:
            self._flush()
        elif tag == "br":
            self._pieces.append("\n")
        elif tag == "img":
            self._pieces.append(given.get("alt", ""))
        elif tag in {"td", "th"} and self._pieces:
            self._pieces.append(" | ")
        elif tag == "li":
            self._pieces.append("- ")

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those in it that were left open."""
        if tag not in self._open:
            return
        while self._open:
            closed = self._open.pop()
            if closed in _HEADINGS:
                self._close_heading()
            elif closed == "title":
                self.title = self.title or self._said()
            elif closed in _BLOCKS:
                self._flush(closed)
            self._pre -= closed == "pre"
            if self._main:
                self._main -= 1
            elif self._around:
                self._around -= 1
            if closed == tag:
                return

    def handle_data(self, data: str) -> None:
        """Take in text."""
        self._pieces.append(data)

    def end(self, rest: str) -> None:
        """Take in what follows the last tag."""
        self._pieces.append(rest)
        self._flush()

    def _shows(self) -> bool:
        """Whether text here is the page's own."""
        return bool(self._main) if self._has_main else not self._around

    def _said(self) -> str:
        text = " ".join("".join(self._pieces).split())
        self._pieces.clear()
        return text

    def _flush(self, block: str = "") -> None:
        """End the line at hand, which a block of text may be the end of."""
        if self._pre:
            rows = "".join(self._pieces).strip("\n").split("\n")
            self._pieces.clear()
        else:
            rows = [self._said()]
        if not any(row.strip(" -|") for row in rows) or not self._shows():
            return
        if self.lines and block not in {"li", "tr", "dt", "dd"}:
            self.lines.append("")
        self.lines += [row.rstrip() for row in rows]

    def _close_heading(self) -> None:
        level, own_id = self._heading or (1, "")
        self._heading = None
        heading = self._said().rstrip(_ANCHOR_SIGNS)
        if not heading or not self._shows():
            return
        if self.lines:
            self.lines.append("")
        self.lines.append(f"{'#' * level} {heading}")
        anchor, others = self._names(own_id, heading)
        self.marks.append(Mark(len(self.lines), level, heading, anchor, others))

    def _names(self, own_id: str, heading: str) -> tuple[str, tuple[str, ...]]:
        """The anchor of a heading: its id, else that of the element it opens, else as GitHub."""
        slug = self._numberer.number(github_slug(heading))
        given = [own_id, *reversed(self._ids[-2:])] if own_id or self._ids else []
        self._ids.clear()
        free = [name for name in dict.fromkeys((*given, slug)) if name and name not in self._taken]
        self._taken.update(free)
        return (free[0], tuple(free[1:])) if free else ("", ())

    def _describe(self, given: dict[str, str]) -> None:
        name = (given.get("name") or given.get("property", "")).lower()
        content = " ".join(given.get("content", "").split())
        if name == "og:title":
            self.title = content or self.title
        elif name in {"description", "og:description"}:
            self.description = self.description or content
        elif name == "keywords":
            self.keywords = tuple(dict.fromkeys(_words(content)))


def _words(keywords: str) -> Iterator[str]:
    for word in keywords.split(","):
        if name := word.strip():
            yield name
