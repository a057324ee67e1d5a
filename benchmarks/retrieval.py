"""Measure retrieval on labelled sets through the product's own path: `eval run`, then a scorer.

    python benchmarks/retrieval.py SETS_DIR [--mode keyword|hybrid|semantic] [--set NAME]...
                                    [--collection incidents] [--payload] [--out DIR]

SETS_DIR holds `score.py` and one folder a set: `corpus.tar.gz`, `queries.jsonl`, `qrels.jsonl`.
Prints one table a level (document, heading), by query type. With `--payload` each question is asked
as the JSON of an alert with that summary. With `--out` the runs are kept, and
`--baseline DIR` compares them with an earlier run's by the scorer's paired bootstrap.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from labelled_sets import unpack_corpus

Scores = dict[str, dict[str, dict[str, float]]]
"""Level, query type, measure."""
PACKAGE = Path(__file__).resolve().parents[1] / "mcp_server"
MEASURES = ("nDCG@10", "R@10", "S@1", "S@5")
LIMIT = 30
"""Results a query: ten must remain when the page a question was taken from is dropped."""


def main() -> None:
    """Run every set and print the tables."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="pit-memory-eval-") as scratch:
        out = options.out or Path(scratch) / "runs"
        out.mkdir(parents=True, exist_ok=True)
        scores = {}
        for folder in _sets(options.sets, options.set):
            run = out / f"{folder.name}.jsonl"
            _answer(folder, run, Path(scratch), options)
            scores[folder.name] = _score(options.sets, folder, run, options.baseline)
    for level in ("document", "heading"):
        _print_table(level, scores)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure retrieval on labelled sets.")
    parser.add_argument("sets", type=Path)
    parser.add_argument("--mode", choices=["keyword", "hybrid", "semantic"], default="keyword")
    parser.add_argument("--collection", choices=["docs", "incidents"], default="docs")
    parser.add_argument("--payload", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--baseline", type=Path)
    return parser.parse_args()


def _sets(base: Path, names: list[str]) -> Iterator[Path]:
    for folder in sorted(base.iterdir()):
        wanted = not names or folder.name in names
        if wanted and (folder / "queries.jsonl").is_file() and (folder / "qrels.jsonl").is_file():
            yield folder


def _answer(folder: Path, run: Path, scratch: Path, options: argparse.Namespace) -> None:
    root = unpack_corpus(folder, scratch / folder.name)
    queries = folder / "queries.jsonl"
    if options.payload:
        lines = queries.read_text().splitlines()
        queries = scratch / f"{folder.name}-payloads.jsonl"
        queries.write_text("\n".join(map(_as_payload, lines)))
    command = ["eval", "run", "--root", str(root), "--mode", options.mode]
    command += ["--collection", options.collection, "--queries", str(queries), "--out", str(run)]
    subprocess.run(
        [sys.executable, "-m", "pit_memory", *command, "--limit", str(LIMIT)],
        check=True,
        cwd=PACKAGE,
    )


def _as_payload(line: str) -> str:
    """A question as what Alertmanager sends of an alert with that summary."""
    question = json.loads(line)
    labels = {"namespace": "shop", "pod": "api-7d9f8b6c5d-x2x4q", "severity": "warning"}
    alert = {
        "status": "firing",
        "labels": labels,
        "annotations": {"summary": question["query"]},
        "startsAt": "2024-05-17T10:11:12.123Z",
        "fingerprint": "ab12cd34ef56ab78",
    }
    body = {"version": "4", "alerts": [alert], "commonLabels": labels}
    return json.dumps(question | {"query": json.dumps(body, indent=1)})


def _score(base: Path, folder: Path, run: Path, baseline: Path | None) -> Scores:
    command = [sys.executable, str(base / "score.py"), str(folder), str(run)]
    if baseline:
        earlier = str(baseline / run.name)
        subprocess.run([*command, "--baseline", earlier], check=True)
    done = subprocess.run([*command, "--json"], check=True, capture_output=True, text=True)
    scores: Scores = json.loads(done.stdout)
    return scores


def _print_table(level: str, scores: Mapping[str, Scores]) -> None:
    """A row a set and query type, as markdown."""
    print(f"\n| {level} level | type | n | {' | '.join(MEASURES)} |")
    print(f"|---|---|--:|{'--:|' * len(MEASURES)}")
    for name, levels in scores.items():
        for kind, row in levels.get(level, {}).items():
            figures = " | ".join(f"{row[measure]:.3f}" for measure in MEASURES)
            print(f"| {name} | {kind} | {row['n']} | {figures} |")


if __name__ == "__main__":
    main()
