"""Answer labelled questions to facts, each in the assignment that its scope names."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from pit_memory.core.answers.answers import Mode
from pit_memory.core.facts.facts import FACTS
from pit_memory.errors import UsageError
from pit_memory.operations.facts.facts import Facts, today
from pit_memory.operations.facts.recall import ranked_facts
from pit_memory.operations.searching.evaluate import EvaluationQuery, EvaluationResult
from pit_memory.operations.searching.hits import read_chunks


def evaluate_facts(
    facts: Facts, queries: Iterable[EvaluationQuery], *, limit: int, mode: Mode | None
) -> Iterator[EvaluationResult]:
    """Answer each question with its assignment's facts, in order; the index is complete.

    Args:
        facts: the person's.
        queries: with a scope each.
        limit: results a question.
        mode: None asks both legs where both can run.

    Yields:
        Results with the path `<assignment>/facts`; the anchor is the id that a fact was imported
        with, else its own.

    Raises:
        UsageError: a question has no scope.
    """
    for query in queries:
        if not query.scope:
            message = (
                f"query {query.id!r} has no scope; name the assignment whose facts it is about"
            )
            raise UsageError(message)
        source = facts.source(query.scope)
        findings, ranked = ranked_facts(facts, source, query.query, today(), mode)
        documents = (it.document for _, it in read_chunks(findings, ranked[:limit]))
        results = (
            (
                f"{document.assignment}/{FACTS}",
                document.fields.get("source_id") or PurePosixPath(document.path).stem,
            )
            for document in documents
        )
        yield EvaluationResult(query.id, tuple(results))
