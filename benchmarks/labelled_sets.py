"""The labelled sets that benchmarks ask: a folder each, with a corpus, questions and what answers.

A set holds `corpus.tar.gz` (one folder `corpus`), `queries.jsonl` (`id`, `query`, `type`; maybe
`scope`, `exclude`, `answers`) and `qrels.jsonl` (`query_id`, `path`, `anchor`; maybe `alt`).
"""

import argparse
import json
import tarfile
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def set_options(description: str) -> argparse.ArgumentParser:
    """A parser of what all of these are told: SETS_DIR, `--set NAME`..., `--mode`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--mode", choices=["keyword", "hybrid"], default="keyword")
    return parser


def unpack_corpus(folder: Path, scratch: Path | str) -> Path:
    """Unpack a set's corpus below a scratch folder; returns its root."""
    with tarfile.open(folder / "corpus.tar.gz") as packed:
        packed.extractall(scratch, filter="data")
    return Path(scratch, "corpus")


def records(path: Path) -> list[Record]:
    """The lines of a file; other line separators stand inside of some."""
    return [json.loads(line) for line in path.read_text("utf-8").strip().split("\n")]
