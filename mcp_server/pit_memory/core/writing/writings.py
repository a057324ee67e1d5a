"""What somebody wants to write down, as the renderer of its kind takes it."""

from collections.abc import Mapping

from pit_memory.core.records import NamedTuple


class Writing(NamedTuple):
    """A piece of knowledge before it is a file."""

    kind: str
    """Name of a row of `core.kinds`."""
    title: str
    """One line."""
    body: str
    """Markdown, LF, without front matter, without blank lines around it; never empty."""
    fields: Mapping[str, object]
    """Front matter that the writer gave: what the text began with, then what the call named."""
    author: str
    """Name of the person; empty where git knows none."""
    created: str
    """ISO 8601 date; empty for what was written elsewhere on no known day."""
