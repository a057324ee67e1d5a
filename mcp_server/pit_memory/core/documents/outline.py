"""A document's outline: the headings that open sections, with their anchors and lines.

What the section index is made from, without the hashes and further names of `sections`: the edit
hook pays for what it needs.
"""

import re
from collections.abc import Sequence

from pit_memory.core.documents.anchors import AnchorNumberer, github_slug, split_attributes
from pit_memory.core.markdown import Block, Heading, Markdown, parse
from pit_memory.core.records import NamedTuple

_TEMPLATE = re.compile(r"\{\{[<%][^{}]*[%>]\}\}")
"""Shortcodes of Hugo."""


class NamedHeading(NamedTuple):
    """A heading with the names it has of its own."""

    heading: Heading
    label: str
    """What a person calls it; empty where it shows nothing."""
    anchor: str
    """GitHub's."""
    ids: tuple[str, ...]
    """Given by its author."""

    @property
    def opens_section(self) -> bool:
        """Whether what follows belongs to it."""
        return bool(self.label) and not self.heading.nested


class OutlinedSection(NamedTuple):
    """A section by its heading; the lines before the first one are a section of level 0."""

    level: int
    heading: str
    anchor: str
    line_start: int
    line_end: int
    """1-based, inclusive."""


class Outline(NamedTuple):
    """A document as far as summaries of its sections need it; fields as in `ParsedMarkdown`."""

    lines: tuple[str, ...]
    plain: tuple[str, ...]
    blocks: tuple[Block, ...]
    cuts: tuple[int, ...]
    sections: tuple[OutlinedSection, ...]


def outline(text: str) -> Outline:
    """Find the sections of a markdown document."""
    parsed = parse(text)
    headings = name_headings(parsed.headings)
    sections = tuple(
        OutlinedSection(
            named.heading.level if named else 0,
            named.label if named else "",
            named.anchor if named else "",
            start,
            end,
        )
        for named, start, end in spans(parsed, headings)
    )
    plain = plain_lines(parsed, headings)
    return Outline(parsed.lines, plain, parsed.blocks, parsed.cuts, sections)


def name_headings(headings: Sequence[Heading]) -> list[NamedHeading]:
    """Name all headings of a document, nested ones included: GitHub numbers them together."""
    github = AnchorNumberer()
    named = []
    for heading in headings:
        text, ids = split_attributes(heading.text)
        anchor = github.number(github_slug(heading.text))
        named.append(NamedHeading(heading, _label(heading, text), anchor, ids))
    return named


def spans(
    parsed: Markdown, headings: Sequence[NamedHeading]
) -> list[tuple[NamedHeading | None, int, int]]:
    """First and last line (1-based) of each section; None heads what is before the first."""
    openers = [named for named in headings if named.opens_section]
    starts = [named.heading.line_start for named in openers]
    ends = [*(start - 1 for start in starts[1:]), len(parsed.lines)]
    found: list[tuple[NamedHeading | None, int, int]] = []
    if parsed.lines and (not starts or starts[0] > 1):
        found.append((None, 1, starts[0] - 1 if starts else len(parsed.lines)))
    found += zip(openers, starts, ends, strict=False)
    return found


def plain_lines(parsed: Markdown, headings: Sequence[NamedHeading]) -> tuple[str, ...]:
    """The plain lines without the sections' headings, with a front matter that is only text."""
    plain = list(parsed.plain)
    for named in headings:
        if named.opens_section:
            for line in range(named.heading.line_start, named.heading.line_end + 1):
                plain[line - 1] = ""
    if parsed.front_matter and not parsed.front_matter.has_keys:
        plain[1 : parsed.front_matter.line_end - 1] = parsed.front_matter.text.split("\n")
    return tuple(plain)


def _label(heading: Heading, text: str) -> str:
    """What a person calls the heading: its text, else what its image or its comment says."""
    if "{{" in text:
        text = _TEMPLATE.sub("", text)
    for said in (text, heading.images, heading.comment):
        label = " ".join(said.split())
        if label:
            return label
    return ""
