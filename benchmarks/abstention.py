"""Calibrate when to say "nothing relevant": own questions against those of other sets.

    python benchmarks/abstention.py SETS_DIR --set NAME --set NAME... [--mode keyword|hybrid]
                                    [--own 150] [--other 50]

Takes the sets of `benchmarks/retrieval.py`. Questions about another set's corpus are off-topic.
Prints, for a row of floors, which share of each corpus's own questions would be refused and which
share of the others' is caught; questions of one word have a rule of their own and stand apart.
"""

import argparse
import json
import random
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pit_memory.cli.sync import finish_index
from pit_memory.operations.explain import explain
from pit_memory.operations.search import SearchRequest
from pit_memory.wiring import open_services

STEPS = (0.34, 0.36, 0.38, 0.40, 0.42, 0.44, 0.46, 0.48, 0.50, 0.52, 0.54, 0.56)
SEED = 5


class Judged(NamedTuple):
    """What became of a question."""

    own: bool
    confidence: float | None
    """None for a question of one word."""
    is_answer: bool


def main() -> None:
    """Ask every corpus its own questions and some of the others'."""
    parser = argparse.ArgumentParser(description="Calibrate the floor of an answer.")
    parser.add_argument("sets", type=Path)
    parser.add_argument("--set", action="append", required=True)
    parser.add_argument("--mode", choices=["keyword", "hybrid"], default="hybrid")
    parser.add_argument("--own", type=int, default=150)
    parser.add_argument("--other", type=int, default=50)
    options = parser.parse_args()
    asked = {name: questions(options.sets / name) for name in options.set}
    print(f"| corpus | {' | '.join(f'{step:.2f}' for step in STEPS)} | now | one word |")
    print(f"|---|{'--:|' * (len(STEPS) + 2)}")
    for name in options.set:
        rng = random.Random(SEED)  # noqa: S311 -- a sample, no secret
        sampled = [
            (it, other == name)
            for other, texts in asked.items()
            for it in rng.sample(texts, min(len(texts), _count(options, other == name)))
        ]
        judged = list(judge(options.sets / name, sampled, options.mode))
        cells = [told(judged, step) for step in STEPS]
        words = [it for it in judged if it.confidence is None]
        sentences = [it for it in judged if it.confidence is not None]
        print(f"| {name} | {' | '.join(cells)} | {outcome(sentences)} | {outcome(words)} |")


def _count(options: argparse.Namespace, own: bool) -> int:
    return options.own if own else options.other


def questions(folder: Path) -> list[str]:
    """The questions of a set."""
    lines = (folder / "queries.jsonl").read_text("utf-8").strip().split("\n")
    return [json.loads(line)["query"] for line in lines]


def judge(folder: Path, asked: Sequence[tuple[str, bool]], mode: str) -> Iterator[Judged]:
    """Ask a corpus, and tell how sure each answer is."""
    with tempfile.TemporaryDirectory(prefix="pit-memory-floor-") as scratch:
        with tarfile.open(folder / "corpus.tar.gz") as packed:
            packed.extractall(scratch, filter="data")
        with open_services(Path(scratch) / "corpus", background="none") as services:
            finish_index(services, meaning=mode == "hybrid")
            searched = [opened.searched for opened in services.stores]
            for text, own in asked:
                request = SearchRequest(text, mode="keyword" if mode == "keyword" else None)
                why = explain(searched, request)
                yield Judged(own, why.confidence, why.is_answer)


def told(judged: Sequence[Judged], floor: float) -> str:
    """Shares refused of the own questions / of the others', at a floor."""
    return shares([(it.own, it.confidence < floor) for it in judged if it.confidence is not None])


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
