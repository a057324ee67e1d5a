"""Answer labelled questions through the very search path, for measuring retrieval."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pit_memory.core.answers.answers import Mode
from pit_memory.core.search.fusion import Fused
from pit_memory.errors import UsageError
from pit_memory.operations.searching.gathering import Findings
from pit_memory.operations.searching.hits import read_chunks
from pit_memory.operations.searching.incident_search import ranked_incidents
from pit_memory.operations.searching.search import (
    SearchedStore,
    SearchRequest,
    ranked_sections,
    understood,
)
from pit_memory.operations.searching.searched_store import SectionCard

DEFAULT_DEPTH = 20
"""Results written for each question."""
_KEPT = 10
"""Results that must remain for excluded pages to be dropped: measures look at the first ten."""


@dataclass(frozen=True, slots=True)
class EvaluationQuery:
    """One line of a question file."""

    id: str
    query: str
    exclude: tuple[str, ...] = ()
    """Paths that must not answer, such as the page that the question was taken from."""
    scope: str | None = None
    """Folder that answers must lie below (docs), or the assignment (facts)."""


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """One line of a run file."""

    query_id: str
    results: tuple[tuple[str, str | None], ...]
    """(path, anchor) best first; the anchor is None for the lines before the first heading."""


def parse_queries(lines: Iterable[str]) -> list[EvaluationQuery]:
    """Read the lines of a question file; blank ones are skipped.

    Raises:
        UsageError: a line that is no such JSON object, by its number and field.
    """
    return [
        _parse_query(number, line) for number, line in enumerate(lines, start=1) if line.strip()
    ]


def evaluate(
    stores: Sequence[SearchedStore],
    queries: Iterable[EvaluationQuery],
    *,
    limit: int = DEFAULT_DEPTH,
    collection: str = "docs",
    mode: Mode | None = None,
    exclude: tuple[str, ...] = (),
    boost: tuple[str, ...] = (),
) -> Iterator[EvaluationResult]:
    """Answer each question through the search path, without floor and budget, in order.

    `exclude` and `boost` are those of a `SearchRequest`, for all questions.

    Raises:
        UsageError: a scope can't be read as a path.
        UnknownCollectionError: no such collection; names the nearest.
    """
    for query in queries:
        request = SearchRequest(
            query=query.query,
            collection=collection,
            path=query.scope,
            mode=mode,
            exclude=exclude,
            boost=boost,
        )
        parts = _ranked_parts(stores, request)
        ranked = [(findings, fused) for findings, sections in parts for fused in sections]
        others = [it for it in ranked if it[1].place.page.path not in query.exclude]
        kept = (others if len(others) >= _KEPT else ranked)[:limit]
        results = (
            (chunk.document.path, chunk.section.anchor or None)
            for findings, fused in kept
            for _, chunk in read_chunks(findings, [fused])
        )
        yield EvaluationResult(query.id, tuple(results))


def _ranked_parts(
    stores: Sequence[SearchedStore], request: SearchRequest
) -> list[tuple[Findings, list[Fused[SectionCard]]]]:
    """What was found, in the order of an answer: one ranking, or one for each of its parts."""
    if request.collection == "incidents":
        _, found = ranked_incidents(stores, request)
        return [(part.findings, part.sections) for part in found.parts]
    return [ranked_sections(stores, understood(stores, request.query), request)]


def run_line(result: EvaluationResult) -> str:
    """One line of a run file, without the line end."""
    results = [{"path": path, "anchor": anchor} for path, anchor in result.results]
    return json.dumps({"query_id": result.query_id, "results": results}, ensure_ascii=False)


def _parse_query(number: int, line: str) -> EvaluationQuery:
    try:
        value = json.loads(line)
    except ValueError as error:
        message = f"line {number} is not JSON ({error}); write one object a line"
        raise UsageError(message) from error
    if not isinstance(value, dict):
        message = f'line {number} is not an object; write {{"id": "q1", "query": "..."}}'
        raise UsageError(message)
    exclude = value.get("exclude", [])
    for field, ok in (
        ("id", isinstance(value.get("id"), str)),
        ("query", isinstance(value.get("query"), str)),
        ("exclude", isinstance(exclude, list) and all(isinstance(it, str) for it in exclude)),
        ("scope", isinstance(value.get("scope"), str | None)),
    ):
        if not ok:
            wanted = "a list of texts" if field == "exclude" else "a text"
            message = f"line {number}: {field!r} is {value.get(field)!r}; it must be {wanted}"
            raise UsageError(message)
    return EvaluationQuery(value["id"], value["query"], tuple(exclude), value.get("scope"))
