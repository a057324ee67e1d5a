"""The one search: both legs, fusion, best lines, citations, within a token budget."""

from collections.abc import Sequence
from dataclasses import dataclass

from pit_memory.core.answers import Mode, SearchAnswer
from pit_memory.core.legs import SemanticLeg
from pit_memory.stores.store import Store

DEFAULT_LIMIT = 5
"""Hits shown unless the caller says otherwise."""
LIMIT_BOUNDS = (1, 50)
DEFAULT_BUDGET = 800
"""Estimated tokens of a whole answer."""
BUDGET_BOUNDS = (50, 20_000)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search for and how much of it to show."""

    query: str
    limit: int = DEFAULT_LIMIT
    """Hits at most, 1 to 50."""
    budget: int = DEFAULT_BUDGET
    """Estimated tokens of the answer at most, 50 to 20,000."""
    collection: str = "docs"
    """A collection of `core.kinds`."""
    path: str | None = None
    """A folder, a file or a glob below the source's root."""
    tags: tuple[str, ...] = ()
    """All of these."""
    include_drafts: bool = True
    mode: Mode | None = None
    """None: both legs where both can run."""
    source: str | None = None
    assignment: str | None = None


@dataclass(frozen=True, slots=True)
class SearchedStore:
    """A store to search, and its vectors where there are any."""

    store: Store
    meaning: SemanticLeg | None = None
    without_meaning: str = "no embedder"
    """Why `meaning` is None, one line for the answer."""


def search(
    stores: Sequence[SearchedStore],
    request: SearchRequest,
    *,
    pending_files: int = 0,
    notes: Sequence[str] = (),
) -> SearchAnswer:
    """Answer a question with cited sections, best first.

    The caller has looked at the sources before (`operations.look`).

    Args:
        stores: the project's store and the person's; their candidates are ranked as one list.
        request: the question and its limits.
        pending_files: files that the look saw and left for later.
        notes: what the look has to say, one line each.

    Raises:
        UsageError: the question is empty, or a limit is out of its bounds.
        UnknownCollectionError: no such collection; names the nearest.
    """
    raise NotImplementedError
