"""A document's sections: a heading with its own text, each line of the document in exactly one.

A heading inside a list item, a quote or a footnote opens no section: what follows its container
does not belong to it. GitHub numbers it with the others, and its anchor is a further name of the
section around it; so is every `id` or `name` in the section's HTML. Indented text of MkDocs
admonitions and tabs is code to CommonMark and GitHub: headings in it are text. A heading without
any text opens no section either.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pit_memory.core.documents.anchors import github_slug
from pit_memory.core.documents.documents import Place, Section
from pit_memory.core.documents.other_anchors import OtherNames
from pit_memory.core.documents.outline import NamedHeading, name_headings, plain_lines, spans
from pit_memory.core.markdown import Block, LinkEvent, Markdown, parse
from pit_memory.core.text.decoding import lines_of, with_lf
from pit_memory.core.text.identity import section_hash
from pit_memory.core.text.percent import percent_decode


@dataclass(frozen=True, slots=True)
class ParsedMarkdown:
    """A markdown document, split; what chunks, summaries and hashes are made from."""

    lines: tuple[str, ...]
    """Lines of the file, as they are shown, without their ends; index 0 is line 1."""
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
    links: tuple[LinkEvent, ...]
    """As `Markdown.links`."""

    @property
    def line_count(self) -> int:
        """Number of lines of the file."""
        return len(self.lines)


def split(
    text: str, *, read: str | None = None, shown: str | None = None, places: Sequence[Place] = ()
) -> ParsedMarkdown:
    """Split a markdown document into sections.

    Args:
        text: the document; hashes are of its lines.
        read: what of it is parsed, line by line; None for all of it.
        shown: what of it is shown, line by line; None for all of it.
        places: named lines, whose names are further names of their sections.
    """
    parsed = parse(text if read is None else read)
    own_lines = parsed.lines if read is None else tuple(lines_of(with_lf(text)))
    headings = name_headings(parsed.headings)
    sections = _sections(parsed, headings, places, own_lines)
    front = parsed.front_matter
    return ParsedMarkdown(
        lines=(own_lines if shown is None else tuple(lines_of(with_lf(shown))))[
            : len(parsed.lines)
        ],
        plain=plain_lines(parsed, headings),
        blocks=parsed.blocks,
        cuts=parsed.cuts,
        front_matter_lines=(1, front.line_end) if front else None,
        front_matter_text=front.text if front else "",
        front_matter_format=front.format if front else "",
        body_start=front.line_end + 1 if front and front.has_keys else 1,
        sections=sections,
        h1=next((section.heading for section in sections if section.level == 1), None),
        links=parsed.links,
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


def _sections(
    parsed: Markdown,
    headings: Sequence[NamedHeading],
    places: Sequence[Place],
    own_lines: Sequence[str],
) -> tuple[Section, ...]:
    openers = [named for named in headings if named.opens_section]
    elsewhere = _other_names(headings)
    taken = {named.anchor for named in openers}
    # What an author wrote goes before what a renderer would make of an earlier heading.
    all_names = _written_names(parsed, headings, openers, places)
    written = [_claim(names, taken) for names in all_names]
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    opened = 0
    for named, start, end in spans(parsed, headings):
        if named is None:
            others = written[0]
        else:
            opened += 1
            while path and path[-1][0] >= named.heading.level:
                path.pop()
            path.append((named.heading.level, named.label))
            others = written[opened] + _claim(elsewhere[opened - 1], taken)
        breadcrumb = tuple([label for _, label in path])
        hash_ = section_hash(own_lines[start - 1 : end])
        sections.append(_section(len(sections), named, breadcrumb, others, (start, end), hash_))
    return tuple(sections)


def _other_names(headings: Sequence[NamedHeading]) -> list[tuple[str, ...]]:
    """Names that other renderers give to the headings that open sections."""
    numbered = OtherNames()
    names = [(named, numbered.of_next(named.label)) for named in headings]
    return [others for named, others in names if named.opens_section]


def _section(
    ordinal: int,
    named: NamedHeading | None,
    breadcrumb: tuple[str, ...],
    others: tuple[str, ...],
    lines: tuple[int, int],
    hash_: str,
) -> Section:
    return Section(
        ordinal=ordinal,
        level=named.heading.level if named else 0,
        heading=named.label if named else "",
        anchor=named.anchor if named else "",
        other_anchors=others,
        breadcrumb=breadcrumb,
        line_start=lines[0],
        line_end=lines[1],
        hash=hash_,
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
    parsed: Markdown,
    headings: Sequence[NamedHeading],
    openers: Sequence[NamedHeading],
    places: Sequence[Place],
) -> list[list[str]]:
    """Ids and inner places, by section: first the text before the first heading, then `openers`.

    An HTML name on a line of its own just above a heading is a name of that heading.
    """
    starts = [named.heading.line_start for named in openers]
    written: list[list[str]] = [[], *(list(named.ids) for named in openers)]
    for named in headings:
        if named.heading.nested:
            section = bisect_right(starts, named.heading.line_start)
            written[section] += (named.anchor, *named.ids)
    for line, name in parsed.html_names:
        written[bisect_right(starts, _named_line(parsed, line))].append(name)
    for place in places:
        written[bisect_right(starts, place.line_start)].append(place.name)
    return written


def _named_line(parsed: Markdown, line: int) -> int:
    """The line that an HTML name belongs to: the next written one if its own shows nothing."""
    if parsed.plain[line - 1].strip():
        return line
    for below in range(line + 1, min(line + 3, len(parsed.lines) + 1)):
        if parsed.lines[below - 1].strip():
            return below
    return line
