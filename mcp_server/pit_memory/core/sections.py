"""A document's sections: a heading with its own text, each line of the document in exactly one.

A heading inside a list item, a quote or a footnote opens no section: what follows its container
does not belong to it. GitHub numbers it with the others, and its anchor is a further name of the
section around it; so is every `id` or `name` in the section's HTML. Indented text of MkDocs
admonitions and tabs is code to CommonMark and GitHub: headings in it are text. A heading without
any text opens no section either.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pit_memory.core.anchors import AnchorNumberer, OtherNames, github_slug, split_attributes
from pit_memory.core.documents import Section
from pit_memory.core.identity import section_hash
from pit_memory.core.markdown import Block, Heading, Markdown, parse
from pit_memory.core.percent import percent_decode

_TEMPLATE = re.compile(r"\{\{[<%][^{}]*[%>]\}\}")
"""Shortcodes of Hugo."""


@dataclass(frozen=True, slots=True)
class ParsedMarkdown:
    """A markdown document, split; what chunks, summaries and hashes are made from."""

    lines: tuple[str, ...]
    """Lines of the file without their ends; index 0 is line 1."""
    plain: tuple[str, ...]
    """The same lines as a reader sees them (`Markdown.plain`); a section's heading is empty."""
    blocks: tuple[Block, ...]
    cuts: tuple[int, ...]
    """Lines at which a long text may be cut (`core.markdown.Markdown.cuts`)."""
    front_matter_lines: tuple[int, int] | None
    """Delimiters included; 1-based, inclusive; None where there is none."""
    front_matter_text: str
    """Between the delimiters, LF; empty where there is none."""
    front_matter_format: str
    """`yaml` or `toml`; empty where there is none."""
    body_start: int
    """1-based first line that is text: after the front matter, or 1 where that holds no keys."""
    sections: tuple[Section, ...]
    h1: str | None
    """Text of the first heading of level 1."""

    @property
    def line_count(self) -> int:
        """Number of lines of the file."""
        return len(self.lines)


def split(text: str) -> ParsedMarkdown:
    """Split a markdown document into sections."""
    parsed = parse(text)
    names = _name(parsed.headings)
    sections = _sections(parsed, names)
    front = parsed.front_matter
    return ParsedMarkdown(
        lines=parsed.lines,
        plain=_plain(parsed, names),
        blocks=parsed.blocks,
        cuts=parsed.cuts,
        front_matter_lines=(1, front.line_end) if front else None,
        front_matter_text=front.text if front else "",
        front_matter_format=front.format if front else "",
        body_start=front.line_end + 1 if front and front.has_keys else 1,
        sections=sections,
        h1=next((section.heading for section in sections if section.level == 1), None),
    )


def trail(page_title: str, breadcrumb: Sequence[str]) -> tuple[str, ...]:
    """What a person reads above a section: page title, headings; an H1 like it is said once."""
    if breadcrumb and breadcrumb[0].casefold() == page_title.casefold():
        return (page_title, *breadcrumb[1:])
    return (page_title, *breadcrumb)


def find_section(sections: Iterable[Section], anchor: str) -> Section | None:
    """The section that an anchor names, as links write it: encoded, in any case, or in words.

    A section's own anchor goes before the further names of another.
    """
    wanted = unicodedata.normalize("NFC", percent_decode(anchor.removeprefix("#")))
    if not wanted:
        return None
    sections = tuple(sections)
    for name in (wanted, wanted.casefold(), github_slug(wanted)):
        for section in sections:
            if unicodedata.normalize("NFC", section.anchor) == name:
                return section
    folded = wanted.casefold()
    for section in sections:
        if any(other.casefold() == folded for other in section.other_anchors):
            return section
    return None


@dataclass(frozen=True, slots=True)
class _Named:
    """A heading with all its names."""

    heading: Heading
    label: str
    anchor: str
    ids: tuple[str, ...]
    """Given by its author."""
    elsewhere: tuple[str, ...]
    """Made by other renderers."""


def _plain(parsed: Markdown, names: Sequence[_Named]) -> tuple[str, ...]:
    """The plain lines without the sections' headings, with a front matter that is only text."""
    plain = list(parsed.plain)
    for named in filter(_opens_section, names):
        for line in range(named.heading.line_start, named.heading.line_end + 1):
            plain[line - 1] = ""
    if parsed.front_matter and not parsed.front_matter.has_keys:
        plain[1 : parsed.front_matter.line_end - 1] = parsed.front_matter.text.split("\n")
    return tuple(plain)


def _opens_section(named: _Named) -> bool:
    return bool(named.label) and not named.heading.nested


def _name(headings: Sequence[Heading]) -> list[_Named]:
    github, elsewhere = AnchorNumberer(), OtherNames()
    named = []
    for heading in headings:
        text, ids = split_attributes(heading.text)
        label = _label(heading, text)
        anchor = github.number(github_slug(heading.text))
        named.append(_Named(heading, label, anchor, ids, elsewhere.of_next(label)))
    return named


def _label(heading: Heading, text: str) -> str:
    """What a person calls the heading: its text, else what its image or its comment says."""
    if "{{" in text:
        text = _TEMPLATE.sub("", text)
    for said in (text, heading.images, heading.comment):
        label = " ".join(said.split())
        if label:
            return label
    return ""


def _sections(parsed: Markdown, names: Sequence[_Named]) -> tuple[Section, ...]:
    openers = list(filter(_opens_section, names))
    starts = [named.heading.line_start for named in openers]
    taken = {named.anchor for named in openers}
    # What an author wrote goes before what a renderer would make of an earlier heading.
    written = [_claim(names, taken) for names in _written_names(parsed, names, openers)]
    sections: list[Section] = []
    if parsed.lines and (not starts or starts[0] > 1):
        end = starts[0] - 1 if starts else len(parsed.lines)
        sections.append(_section(parsed, 0, None, (), written[0], 1, end))
    path: list[tuple[int, str]] = []
    for index, named in enumerate(openers, start=1):
        while path and path[-1][0] >= named.heading.level:
            path.pop()
        path.append((named.heading.level, named.label))
        others = written[index] + _claim(named.elsewhere, taken)
        end = starts[index] - 1 if index < len(starts) else len(parsed.lines)
        breadcrumb = tuple([label for _, label in path])
        sections.append(
            _section(parsed, len(sections), named, breadcrumb, others, starts[index - 1], end)
        )
    return tuple(sections)


def _section(
    parsed: Markdown,
    ordinal: int,
    named: _Named | None,
    breadcrumb: tuple[str, ...],
    others: tuple[str, ...],
    start: int,
    end: int,
) -> Section:
    return Section(
        ordinal=ordinal,
        level=named.heading.level if named else 0,
        heading=named.label if named else "",
        anchor=named.anchor if named else "",
        other_anchors=others,
        breadcrumb=breadcrumb,
        line_start=start,
        line_end=end,
        hash=section_hash(parsed.lines[start - 1 : end]),
    )


def _claim(names: Iterable[str], taken: set[str]) -> tuple[str, ...]:
    """Those names that no section has yet, now taken: a further name names one section."""
    claimed = []
    for name in names:
        if name and name not in taken:
            taken.add(name)
            claimed.append(name)
    return tuple(claimed)


def _written_names(
    parsed: Markdown, names: Sequence[_Named], openers: Sequence[_Named]
) -> list[list[str]]:
    """Ids and inner places, by section: first the text before the first heading, then `openers`.

    An HTML name on a line of its own just above a heading is a name of that heading.
    """
    starts = [named.heading.line_start for named in openers]
    written: list[list[str]] = [[], *(list(named.ids) for named in openers)]
    for named in names:
        if named.heading.nested:
            section = bisect_right(starts, named.heading.line_start)
            written[section] += (named.anchor, *named.ids)
    for line, name in parsed.html_names:
        written[bisect_right(starts, _named_line(parsed, line))].append(name)
    return written


def _named_line(parsed: Markdown, line: int) -> int:
    """The line that an HTML name belongs to: the next written one if its own shows nothing."""
    if parsed.plain[line - 1].strip():
        return line
    for below in range(line + 1, min(line + 3, len(parsed.lines) + 1)):
        if parsed.lines[below - 1].strip():
            return below
    return line
