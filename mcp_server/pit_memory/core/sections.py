"""A document's sections: a heading with its own text, each line of the document in exactly one."""

from dataclasses import dataclass

from pit_memory.core.documents import Section
from pit_memory.core.markdown import Block


@dataclass(frozen=True, slots=True)
class ParsedMarkdown:
    """A markdown document, split; what chunks, summaries and hashes are made from."""

    lines: tuple[str, ...]
    """Lines of the file without their ends; index 0 is line 1."""
    plain: tuple[str, ...]
    """The same lines as a reader sees them (`core.markdown.Markdown.plain`)."""
    blocks: tuple[Block, ...]
    front_matter_lines: tuple[int, int] | None
    """Delimiters included; 1-based, inclusive; None where there is none."""
    front_matter_text: str
    """Between the delimiters, LF; empty where there is none."""
    front_matter_format: str
    """`yaml` or `toml`; empty where there is none."""
    sections: tuple[Section, ...]
    h1: str | None
    """Text of the first heading of level 1."""

    @property
    def line_count(self) -> int:
        """Number of lines of the file."""
        return len(self.lines)


def split(text: str) -> ParsedMarkdown:
    """Split a markdown document into sections.

    Args:
        text: LF line ends (`core.decoding.decode`).
    """
    raise NotImplementedError
