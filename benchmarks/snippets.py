"""Measure what an answer shows: is the answer in the lines, what do they cost, is a hit cut off?

    python benchmarks/snippets.py SETS_DIR [--set NAME]... [--mode keyword|hybrid] [--wrapped]

Takes the sets of `benchmarks/retrieval.py`. Where a query has `answers` (a list of texts), or is a
token itself, an answer counts as shown when one of them stands in the lines of a hit that is gold.
`--wrapped` cuts the corpus's paragraphs at 72 columns first. *cut off* is the share of a hit's
lines that begin or end amid a sentence of prose: a lower-case letter first, a word without a stop
last.
"""

import re
import statistics
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from labelled_sets import Record, records, set_options, unpack_corpus
from measuring import p95

from pit_memory.cli.sync import finish_index
from pit_memory.core.answers.answers import Hit, SearchAnswer
from pit_memory.core.text.prose import paragraphs
from pit_memory.core.text.words import folded
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import open_services

UNLIMITED = 20_000
"""Tokens: as good as no budget."""

COLUMNS = 72
LEAST_WORDS = 5
"""Lines of fewer are labels."""
_WRAPPED = re.compile(r"((?:[-*+]|\d+[.)])\s+)?[\w\"'(\[*`]")


def main() -> None:
    """Ask every question with the usual budget and without one, and print a row a set."""
    parser = set_options("Measure snippets and the cost of answers.")
    parser.add_argument("--wrapped", action="store_true")
    options = parser.parse_args()
    print(
        "| set | type | n | answer shown | cut off | tokens median / p95 | S@5 | "
        "S@5 without budget |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name in options.set or ["xquad"]:
        for row in rows(options.sets / name, options.mode, wrapped=options.wrapped):
            print(row)


def rows(folder: Path, mode: str, *, wrapped: bool = False) -> Iterator[str]:
    """The table's rows of a set, one a query type."""
    gold: dict[str, list[Record]] = {}
    for record in records(folder / "qrels.jsonl"):
        gold.setdefault(record["query_id"], []).append(record)
    measured: dict[str, list[tuple[bool | None, list[bool], int, bool, bool]]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="pit-memory-snippets-") as scratch,
        open_services(prepared(folder, scratch, wrapped=wrapped), background="none") as services,
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
                    [is_cut_off(it.text) for hit in answer.hits for it in hit.snippet],
                    answer.used_tokens,
                    finds(answer, wanted),
                    finds(whole, wanted),
                )
            )
    for kind, of_kind in measured.items():
        told = [shown for shown, *_ in of_kind if shown is not None]
        cut_off = statistics.mean(it for _, lines, *_ in of_kind for it in lines)
        tokens = [used for _, _, used, _, _ in of_kind if used]
        share = f"{statistics.mean(told):.3f}" if told else "-"
        cost = f"{statistics.median(tokens):.0f} / {p95(tokens)}"
        found = statistics.mean(it for *_, it, _ in of_kind)
        unlimited = statistics.mean(it for *_, it in of_kind)
        yield (
            f"| {folder.name} | {kind} | {len(of_kind)} | {share} | {cut_off:.3f} | {cost} | "
            f"{found:.3f} | {unlimited:.3f} |"
        )


def prepared(folder: Path, scratch: str, *, wrapped: bool) -> Path:
    """The unpacked corpus of a set; its paragraphs cut at 72 columns where that is wanted."""
    root = unpack_corpus(folder, scratch)
    for path in root.rglob("*.md") if wrapped else ():
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        path.write_bytes(wrap(text).encode("utf-8", "surrogateescape"))
    return root


def wrap(text: str) -> str:
    """Cut each long line at 72 columns that is a paragraph or a list item outside of code."""
    lines = text.split("\n")
    for paragraph in paragraphs(lines):
        for at, line in enumerate(paragraph.text.split("\n"), start=paragraph.line - 1):
            if begun := _WRAPPED.match(line):
                lines[at] = textwrap.fill(
                    line,
                    COLUMNS,
                    subsequent_indent=" " * len(begun[1] or ""),
                    break_long_words=False,
                    break_on_hyphens=False,
                )
    return "\n".join(lines)


def is_cut_off(line: str) -> bool:
    """Whether a line begins or ends amid a sentence, as far as letters tell."""
    prose = len(line.split()) > LEAST_WORDS
    return prose and (line[0].islower() or line[-1].isalpha() or line[-1] in ",…")


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
