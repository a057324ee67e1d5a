"""Calibrate when to say "nothing relevant": own questions against those of other sets.

    python benchmarks/abstention.py SETS_DIR --set NAME --set NAME... [--mode keyword|hybrid]
                                    [--own 150] [--other 50] [--pages 5 --draws 6]

Takes the sets of `benchmarks/retrieval.py`. Questions about another set's corpus are off-topic; the
page that an own question was taken from doesn't answer it. With `--pages` a corpus is that many of
the pages that questions are about, drawn anew each time, with the questions that they answer.

Prints which share of each corpus's own questions is refused and which share of the others' is
caught, as the product decides ("now") and for floors beside its own; questions of one word have a
rule of their own and stand apart.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from labelled_sets import records, set_options, unpack_corpus

from pit_memory.cli.sync import finish_index
from pit_memory.operations.searching.explain import explain
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import open_services

STEPS = {
    "hybrid": (-0.06, -0.04, -0.02, 0.0, 0.02, 0.04, 0.06),
    "keyword": (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3),
}
"""Added to the product's floor, which depends on how much was searched."""
SEED = 5


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a set."""

    text: str
    exclude: tuple[str, ...]
    gold: frozenset[str]
    """Pages that answer it."""


class Judged(NamedTuple):
    """What became of a question."""

    own: bool
    above: float | None
    """Its confidence less the floor; None for a question of one word."""
    is_answer: bool


def main() -> None:
    """Ask every corpus its own questions and some of the others'."""
    parser = set_options("Calibrate the floor of an answer.")
    parser.set_defaults(mode="hybrid")
    parser.add_argument("--own", type=int, default=150)
    parser.add_argument("--other", type=int, default=50)
    parser.add_argument("--pages", type=int)
    parser.add_argument("--draws", type=int, default=1)
    options = parser.parse_args()
    asked = {name: questions(options.sets / name) for name in options.set}
    steps = STEPS[options.mode]
    print(f"| corpus | {' | '.join(f'{step:+.2f}' for step in steps)} | now | one word |")
    print(f"|---|{'--:|' * (len(steps) + 2)}")
    for name in options.set:
        judged = list(judge_set(name, asked, options))
        cells = [told(judged, step) for step in steps]
        words = [it for it in judged if it.above is None]
        sentences = [it for it in judged if it.above is not None]
        print(f"| {name} | {' | '.join(cells)} | {outcome(sentences)} | {outcome(words)} |")


def questions(folder: Path) -> list[Question]:
    """The questions of a set."""
    gold: dict[str, set[str]] = {}
    for row in records(folder / "qrels.jsonl"):
        gold.setdefault(row["query_id"], set()).add(row["path"])
    return [
        Question(row["query"], tuple(row.get("exclude", ())), frozenset(gold.get(row["id"], ())))
        for row in records(folder / "queries.jsonl")
    ]


def judge_set(
    name: str, asked: Mapping[str, Sequence[Question]], options: argparse.Namespace
) -> Iterator[Judged]:
    """Ask a set's corpus, or the small ones drawn from it."""
    rng = random.Random(SEED)  # noqa: S311 -- a sample, no secret
    others = [(other, texts) for other, texts in asked.items() if other != name]
    with tempfile.TemporaryDirectory(prefix="pit-memory-floor-") as scratch:
        corpus = unpack_corpus(options.sets / name, scratch)
        for draw in range(options.draws if options.pages else 1):
            root, own = corpus, list(asked[name])
            if options.pages:
                pages = rng.sample(sorted({page for it in own for page in it.gold}), options.pages)
                root = _copied(corpus, pages, Path(scratch) / str(draw))
                own = [it for it in own if it.gold & {*pages} and not {*it.exclude} & {*pages}]
            own = rng.sample(own, min(len(own), options.own))
            foreign = [it for _, texts in others for it in rng.sample(texts, options.other)]
            yield from judge(root, own, foreign, options.mode)


def _copied(corpus: Path, pages: Sequence[str], root: Path) -> Path:
    for page in pages:
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        (root / page).write_bytes((corpus / page).read_bytes())
    return root


def judge(
    root: Path, own: Sequence[Question], foreign: Sequence[Question], mode: str
) -> Iterator[Judged]:
    """Ask a corpus, and tell how sure each answer is."""
    with open_services(root, background="none") as services:
        finish_index(services, meaning=mode == "hybrid")
        searched = [opened.searched for opened in services.stores]
        for question, is_own in [*((it, True) for it in own), *((it, False) for it in foreign)]:
            why = explain(
                searched,
                SearchRequest(
                    question.text,
                    mode="keyword" if mode == "keyword" else None,
                    exclude=question.exclude if is_own else (),
                ),
            )
            above = None if why.confidence is None else why.confidence - why.floor
            yield Judged(is_own, above, why.is_answer)


def told(judged: Sequence[Judged], step: float) -> str:
    """Shares refused of the own questions / of the others', at a floor beside the product's."""
    return shares([(it.own, it.above < step) for it in judged if it.above is not None])


def outcome(judged: Sequence[Judged]) -> str:
    """The same as the product decides."""
    return shares([(it.own, not it.is_answer) for it in judged])


def shares(refused: Sequence[tuple[bool, bool]]) -> str:
    """Share refused of the own / of the others."""
    own = [is_refused for is_own, is_refused in refused if is_own]
    others = [is_refused for is_own, is_refused in refused if not is_own]
    parts = (f"{sum(part) / len(part):.3f}" if part else "-" for part in (own, others))
    return " / ".join(parts)


if __name__ == "__main__":
    main()
