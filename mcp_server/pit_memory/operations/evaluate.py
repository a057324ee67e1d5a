"""Answer labelled questions through the very search path, for measuring retrieval."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pit_memory.operations.search import SearchedStore

DEFAULT_DEPTH = 20
"""Results written for each question."""


@dataclass(frozen=True, slots=True)
class EvaluationQuery:
    """One line of a question file."""

    id: str
    query: str
    exclude: tuple[str, ...] = ()
    """Paths that must not answer, dropped while at least ten others remain."""
    scope: str | None = None
    """Folder that answers must lie below (docs), or the assignment (facts)."""


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """One line of a run file."""

    query_id: str
    results: tuple[tuple[str, str | None], ...]
    """(path, anchor) best first; the anchor is None for the lines before the first heading."""


def parse_queries(lines: Iterable[str]) -> list[EvaluationQuery]:
    """Read the lines of a question file; raises UsageError with line number and field."""
    raise NotImplementedError


def evaluate(
    stores: Sequence[SearchedStore],
    queries: Iterable[EvaluationQuery],
    *,
    limit: int = DEFAULT_DEPTH,
    collection: str = "docs",
) -> Iterator[EvaluationResult]:
    """Answer each question through the search path, without floor and budget, in order."""
    raise NotImplementedError


def run_line(result: EvaluationResult) -> str:
    """One line of a run file, without the line end."""
    raise NotImplementedError
