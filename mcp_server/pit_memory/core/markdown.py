"""Markdown to structure: the one owner of pyromark, a CommonMark parser that gives byte ranges."""

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["paragraph", "heading", "fence", "code", "table", "list", "quote", "html", "footnote", "rule"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as CommonMark sees it."""

    level: int
    line_start: int
    """1-based; a setext heading starts with its text."""
    line_end: int
    text: str
    """As GitHub renders it: no markup, no HTML; attribute braces, which GitHub shows, are still there."""
    comment: str
    """What its HTML comments say; empty where it has none."""
    html_ids: tuple[str, ...]
    """`id` and `name` of HTML tags inside it."""
    nested: bool
    """Inside a list item, quote or footnote: it has an anchor, but opens no section."""


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block of the document."""

    kind: BlockKind
    line_start: int
    line_end: int
    """1-based, inclusive."""
    info: str = ""
    """Info string of a fence; empty for every other kind."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link or image of the document."""

    line: int
    target: str
    text: str
    kind: Literal["link", "image", "wikilink"]


@dataclass(frozen=True, slots=True)
class Markdown:
    """The structure of one document."""

    lines: tuple[str, ...]
    front_matter_lines: tuple[int, int] | None
    """Its delimiters included; 1-based, inclusive."""
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    """Top-level blocks in order; front matter is none of them."""
    plain: tuple[str, ...]
    """Each line as a reader sees it: no link targets, HTML tags, emphasis or table bars; code stays as it is."""


def parse(text: str) -> Markdown:
    """Parse a document.

    Args:
        text: LF line ends (`core.decoding.decode`).
    """
    raise NotImplementedError


def links(text: str) -> tuple[Link, ...]:
    """Links, images and wikilinks of a document outside code and front matter, in order."""
    raise NotImplementedError
