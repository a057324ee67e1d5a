"""Measure what an answer shows: is the answer in the lines, what do they cost, is a hit cut off?

    python benchmarks/snippets.py SETS_DIR [--set NAME]... [--mode keyword|hybrid]

Takes the sets of `benchmarks/retrieval.py`. Where a query has `answers` (a list of texts), or is a
token itself, an answer counts as shown when one of them stands in the lines of a hit that is gold.
"""

import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from labelled_sets import Record, records, set_options, unpack_corpus
from measuring import p95

from pit_memory.cli.sync import finish_index
from pit_memory.core.answers import Hit, SearchAnswer
from pit_memory.core.words import folded
from pit_memory.operations.search import SearchRequest
from pit_memory.wiring import open_services

UNLIMITED = 20_000
"""Tokens: as good as no budget."""


def main() -> None:
    """Ask every question with the usual budget and without one, and print a row a set."""
    options = set_options("Measure snippets and the cost of answers.").parse_args()
    print("| set | type | n | answer shown | tokens median / p95 | S@5 | S@5 without budget |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for name in options.set or ["xquad"]:
        for row in rows(options.sets / name, options.mode):
            print(row)


def rows(folder: Path, mode: str) -> Iterator[str]:
    """The table's rows of a set, one a query type."""
    gold: dict[str, list[Record]] = {}
    for record in records(folder / "qrels.jsonl"):
        gold.setdefault(record["query_id"], []).append(record)
    measured: dict[str, list[tuple[bool | None, int, bool, bool]]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="pit-memory-snippets-") as scratch,
        open_services(unpack_corpus(folder, scratch), background="none") as services,
    ):
        finish_index(services, meaning=mode == "hybrid")
        for query in records(folder / "queries.jsonl"):
            request = SearchRequest(
                query["query"],
                mode="keyword" if mode == "keyword" else None,
                path=query.get("scope"),
                exclude=tuple(query.get("exclude", ())),
            )
            answer = services.search(request)
            whole = services.search(
                SearchRequest(
                    request.query,
                    budget=UNLIMITED,
                    mode=request.mode,
                    path=request.path,
                    exclude=request.exclude,
                )
            )
            wanted = gold.get(query["id"], [])
            measured.setdefault(query["type"], []).append(
                (
                    shows(answer, wanted, answers_of(query)),
                    answer.used_tokens,
                    finds(answer, wanted),
                    finds(whole, wanted),
                )
            )
    for kind, of_kind in measured.items():
        told = [shown for shown, *_ in of_kind if shown is not None]
        tokens = [used for _, used, _, _ in of_kind if used]
        share = f"{statistics.mean(told):.3f}" if told else "-"
        cost = f"{statistics.median(tokens):.0f} / {p95(tokens)}"
        found = statistics.mean(it for *_, it, _ in of_kind)
        unlimited = statistics.mean(it for *_, it in of_kind)
        yield (
            f"| {folder.name} | {kind} | {len(of_kind)} | {share} | {cost} | "
            f"{found:.3f} | {unlimited:.3f} |"
        )


def answers_of(query: Record) -> Sequence[str]:
    """Texts of which one must be shown: where a token is asked for, that token."""
    if query["type"] == "exact-token":
        return (query["query"],)
    return tuple(query.get("answers", ()))


def is_gold(hit: Hit, wanted: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a hit is what should be found."""
    return any(
        hit.path == record["path"]
        and record["anchor"] in (None, hit.anchor, *record.get("alt", ()))
        for record in wanted
    )


def finds(answer: SearchAnswer, wanted: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a hit is gold."""
    return any(is_gold(hit, wanted) for hit in answer.hits)


def shows(
    answer: SearchAnswer, wanted: Sequence[Mapping[str, Any]], answers: Sequence[str]
) -> bool | None:
    """Whether the lines of a gold hit hold an answer; None where none is found or known."""
    hits = [hit for hit in answer.hits if is_gold(hit, wanted)]
    if not hits or not answers:
        return None
    lines = folded(" ".join(line.text for hit in hits for line in hit.snippet))
    return any(folded(text) in lines for text in answers)


if __name__ == "__main__":
    main()
