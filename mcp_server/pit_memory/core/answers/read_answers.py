"""What a read answers: the lines that a citation names, as they are in the file now."""

from dataclasses import dataclass
from typing import Literal

from pit_memory.core.answers.answers import SnippetLine

CitedState = Literal["same", "moved", "changed", "uncited"]
"""What became of the cited text; `uncited` where the ref carries no hash. Text that is gone can't
be read: that is an error, which names the nearest."""


@dataclass(frozen=True, slots=True)
class ReadLink:
    """A link from or to what was read."""

    line: int
    """1-based line that it stands on."""
    target: str
    """As it is written."""
    ref: str
    """What it leads to, or, of a link to what was read, the section it stands in; empty where it
    leads to nothing here."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """The lines a citation names, as they are in the file now."""

    ref: str
    """The citation of what is shown, with its present hash."""
    state: CitedState
    source: str
    """Name of the source; empty for the project itself."""
    path: str
    title: str
    breadcrumb: tuple[str, ...]
    """Page title first, then headings; the title alone for a whole file or lines."""
    status: str
    lines: tuple[SnippetLine, ...]
    """Numbered lines; fewer than the passage's where the budget cut them."""
    shown: tuple[int, int]
    """First and last line shown."""
    whole: tuple[int, int]
    """First and last line of what the ref names."""
    below: tuple[str, ...]
    """Anchors of the sections directly below the one that is shown."""
    next_ref: str | None
    """Ref of the lines that the budget cut; None where nothing was cut."""
    used_tokens: int
    links: tuple[ReadLink, ...] = ()
    """From the lines that the ref names; only where asked for."""
    backlinks: tuple[ReadLink, ...] = ()
    """To the page, from other pages; likewise."""
    notes: tuple[str, ...] = ()
