"""Anchors of sections as a site's generator makes them, where that is certain.

A wrong anchor leads a person to the wrong place in silence, none at all to the page's top. So an
anchor is given only to a heading that every parser reads alike, whose words no extension changes,
and that shares its name with none whose name is in doubt.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from pit_memory.core.documents.anchors import AnchorNumberer, github_slug, split_attributes
from pit_memory.core.documents.documents import Section
from pit_memory.core.documents.other_anchors import TocNumberer
from pit_memory.core.documents.sections import ParsedMarkdown
from pit_memory.core.web.sites import Site

_ATX = re.compile(r"#{1,6}[ \t]+(?P<text>\S.*?)(?:[ \t]+#+)?[ \t]*")
_LOOSE = re.compile(r"[\s>\-*+|\d.)]*#{1,6}\s*(?P<text>\S.*?)[\s#]*")
"""A line that some parser might read as a heading, wherever it stands."""
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-+)\s*")
_INCLUDE = re.compile(r"\s*(?:-+8<-+|\{!|:::\s*[\w.]+\s*$)")
"""Brings in text, and headings with it, when the site is built."""
_ID = re.compile(r"""\sid\s*=\s*["']?([^\s"'>]+)|\{[^{}\n]*#([^\s{}]+)""")
_PLAIN = re.compile(r"[\w\s.,()?!/&'\"\-–—’“”%+;:]*")  # noqa: RUF001 - signs as writers use them
_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)")
_EMPHASIS = re.compile(r"(\*\*|\*)(?=[^\s*])([^*]+)(?<=[^\s*])\1")
_CHANGED = re.compile(
    r":[\w+-]+:|\+\+|--|\.\.\.|\((?:c|r|tm)\)|\+/-|&\w+;|://|\bwww\.|\bc/o\b|(?<!\w)_|_(?!\w)"
    r"|^\d+/\d+$",
    re.IGNORECASE,
)
"""What some extension turns into something else: emoji, keys, symbols, links, emphasis."""
_TAGS = re.compile(r"</?[^>]*>")
_BLOCK_TAG = re.compile(
    r"<(?P<end>/?)(?:article|aside|blockquote|center|details|div|dl|fieldset|figure|footer|form"
    r"|header|main|nav|ol|p|pre|section|summary|table|tbody|td|th|thead|tr|ul|li)\b[^>]*?(?P<void>/?)>",
    re.IGNORECASE,
)
_NOT_WORD = re.compile(r"[^\w\s-]")
_NOT_WORD_NOR_BLANK = re.compile(r"[^\w\- ]")
_TAB = re.compile(r"""\s*===[!+]*\s+["'](?P<title>.*)["']""")
"""A content tab, whose title may be an anchor, too (`pymdownx.tabbed`)."""
_SHEBANG = (":::", "#!")
"""Code that begins with these names its language (`pymdownx.inlinehilite`)."""


def site_anchors(site: Site, parsed: ParsedMarkdown) -> dict[int, str]:
    """The anchors of a document's sections on its site.

    Returns:
        Anchor by the section's ordinal; sections without a certain one are missing.
    """
    if site.slugs == "unknown" or any(map(_INCLUDE.match, parsed.lines)):
        return {}
    in_html = _inside_html(parsed) if _is_python_markdown(site) else frozenset()
    headings = [
        heading
        for section in parsed.sections
        if section.level and section.line_start not in in_html
        for heading in _certain(site, parsed, section)
    ]
    doubtful = frozenset(_doubtful(site, parsed, {heading.line for heading in headings}))
    given = [heading.anchor for heading in headings if heading.is_given]
    number = TocNumberer() if _is_python_markdown(site) else AnchorNumberer()
    anchors: dict[int, str] = {}
    for heading in headings:
        if heading.is_given:
            if given.count(heading.anchor) == 1:
                anchors[heading.ordinal] = heading.anchor
            continue
        numbered = number.number(heading.anchor)
        if not {heading.anchor, numbered} & doubtful and not {heading.anchor, numbered} & {*given}:
            anchors[heading.ordinal] = numbered
    return {ordinal: anchor for ordinal, anchor in anchors.items() if anchor}


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading that every parser reads alike."""

    ordinal: int
    line: int
    anchor: str
    """Before repeats are numbered."""
    is_given: bool
    """By its author, in an attribute list."""


def _certain(site: Site, parsed: ParsedMarkdown, section: Section) -> Iterator[_Heading]:
    """The heading of a section; nothing where parsers or extensions may read it otherwise."""
    source = _source(parsed, section)
    text, ids = split_attributes(source)
    line = section.line_start
    if text != source:
        if not site.attribute_lists or (_is_python_markdown(site) and not _is_apart(source, text)):
            return
        if ids:
            yield _Heading(section.ordinal, line, ids[-1], is_given=True)
            return
    codes = _CODE.findall(text)
    if any(code.startswith(_SHEBANG) for code in codes):
        return
    bare = _without_markup(_CODE.sub("", text))
    if not _PLAIN.fullmatch(bare) or _CHANGED.search(bare):
        return
    if not _is_python_markdown(site) and "  " in text:
        return
    if isinstance(site.slugs, tuple) and any(_TAGS.search(code) for code in codes):
        return
    yield _Heading(section.ordinal, line, _slug(site, _without_markup(text)), is_given=False)


def _source(parsed: ParsedMarkdown, section: Section) -> str:
    """What stands in the heading; a sign that is never plain where it isn't a usual heading."""
    line = parsed.lines[section.line_start - 1]
    if atx := _ATX.fullmatch(line):
        return atx["text"]
    above = parsed.lines[section.line_start - 2] if section.line_start > 1 else ""
    below = parsed.lines[section.line_start] if section.line_start < len(parsed.lines) else ""
    is_setext = not above.strip() and _UNDERLINE.fullmatch(below) and line[:1].strip()
    return line.rstrip() if is_setext else "<"


def _is_apart(source: str, text: str) -> bool:
    return source[len(text) :].startswith((" ", "\t"))


def _without_markup(text: str) -> str:
    text = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text))
    return _CODE.sub(r"\1", text)


def _slug(site: Site, text: str) -> str:
    """The anchor of a heading's text, before repeats are numbered."""
    if _is_python_markdown(site):
        text = " ".join(text.split())
    if site.slugs == "github":
        return github_slug(text)
    if isinstance(site.slugs, tuple):
        case, form = site.slugs
        text = unicodedata.normalize(form, text).strip()  # type: ignore[arg-type]
        if case == "lower":
            text = text.lower()
        elif case == "fold":
            text = text.casefold()
        elif case == "lower-ascii":
            text = "".join(char.lower() if char.isascii() else char for char in text)
        return _NOT_WORD_NOR_BLANK.sub("", text).replace(" ", site.separator)
    if site.slugs == "ascii":
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    text = _NOT_WORD.sub("", text).strip().lower()
    return re.sub(rf"[{re.escape(site.separator)}\s]+", site.separator, text)


def _doubtful(site: Site, parsed: ParsedMarkdown, certain: set[int]) -> Iterator[str]:
    """Names that something else on the page may have, or not."""
    code = _fenced_lines(parsed)
    first = parsed.front_matter_lines[1] if parsed.front_matter_lines else 0
    for number, line in enumerate(parsed.lines[first:], first + 1):
        if number in code:
            continue
        if number in certain:
            continue
        for found in _ID.findall(line):
            yield from found
        if tab := _TAB.match(line):
            yield _slug(site, tab["title"])
        loose = _LOOSE.fullmatch(line)
        below = parsed.lines[number] if number < len(parsed.lines) else ""
        if loose or (line.strip() and _UNDERLINE.fullmatch(below) and number + 1 not in code):
            text = split_attributes(loose["text"] if loose else line.strip())[0]
            for variant in (text, _without_markup(text), _CHANGED.sub("", _without_markup(text))):
                yield _slug(site, variant)
                yield _slug(site, _TAGS.sub("", variant))


def _fenced_lines(parsed: ParsedMarkdown) -> set[int]:
    """Lines of fences that every parser sees: closed, and not indented."""
    lines: set[int] = set()
    for block in parsed.blocks:
        opener, closer = parsed.lines[block.line_start - 1], parsed.lines[block.line_end - 1]
        mark = opener[:3]
        if block.kind == "fence" and mark in {"```", "~~~"} and closer.startswith(mark):
            lines.update(range(block.line_start, block.line_end + 1))
    return lines


def _inside_html(parsed: ParsedMarkdown) -> frozenset[int]:
    """Lines inside of HTML blocks, where Python-Markdown reads no markdown."""
    code = _fenced_lines(parsed)
    inside, depth = set(), 0
    for number, line in enumerate(parsed.lines, 1):
        if depth > 0:
            inside.add(number)
        if number not in code and "<" in line:
            for tag in _BLOCK_TAG.finditer(_CODE.sub("", line)):
                depth += 0 if tag["void"] else -1 if tag["end"] else 1
            depth = max(depth, 0)
    return frozenset(inside)


def _is_python_markdown(site: Site) -> bool:
    return site.generator in {"mkdocs", "zensical"}
