"""Read one section, line range or file again by its citation: always from the file, never from the index."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pit_memory.core.answers import SnippetLine
from pit_memory.stores.catalogue import Catalogue

CitedState = Literal["same", "moved", "changed", "gone", "uncited"]
DEFAULT_BUDGET = 2000
"""Estimated tokens of a read unless the caller says otherwise."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """The lines a citation names, as they are in the file now."""

    ref: str
    """The citation of what is shown, with its present hash."""
    state: CitedState
    """What became of the cited text; `uncited` where the ref carried no hash."""
    path: str
    title: str
    breadcrumb: tuple[str, ...]
    status: str
    lines: tuple[SnippetLine, ...]
    """Numbered lines; fewer than the section's where the budget cut them."""
    shown: tuple[int, int]
    """First and last line shown."""
    whole: tuple[int, int]
    """First and last line of what the ref names."""
    next_ref: str | None
    """Ref of the lines that the budget cut; None where nothing was cut."""
    used_tokens: int
    notes: tuple[str, ...] = ()


def read(
    ref: str,
    roots: Mapping[str, Path],
    *,
    catalogue: Catalogue | None = None,
    budget: int = DEFAULT_BUDGET,
) -> ReadAnswer:
    """Show what a citation names, with the state of the citation.

    Args:
        ref: any form of `core.citations`.
        roots: root folder of each source by its name; the project itself has the empty name.
        catalogue: finds text that moved to another file; without it such text counts as gone.
        budget: estimated tokens at most.

    Raises:
        RefError: the ref can't be parsed, or names an unknown source (the nearest is named).
        PathError: the path leaves the root.
        NotFoundError: no such file, anchor or line; names the nearest.
    """
    raise NotImplementedError
