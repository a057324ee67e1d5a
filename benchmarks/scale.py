"""Latency and memory of the local scan by number of chunks, on random vectors.

Usage: OPENBLAS_NUM_THREADS=1 python benchmarks/scale.py [--dimension 384] [CHUNKS...]

Times are of the processor and medians; memory is what the process holds. Random vectors say nothing
about what is found, and as much as others about what it costs: a scan reads them all.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measuring import resident_mb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mcp_server"))

from pit_memory.stores.vector_table import Rows, VectorTable

CHUNKS_A_DOCUMENT = 10
QUESTIONS = 15
DEPTH = 150
"""What a search asks of each leg."""


def milliseconds(call: Callable[[], object]) -> float:
    """Median time of the processor that a call takes."""
    taken = []
    for _ in range(QUESTIONS):
        began = time.process_time()
        call()
        taken.append((time.process_time() - began) * 1000)
    return statistics.median(taken)


def measure(chunks: int, dimension: int) -> str:
    """One row of the table."""
    before = resident_mb()
    random = np.random.default_rng(0)
    vectors = np.empty((chunks, dimension), dtype=np.float32)
    for begin in range(0, chunks, 50_000):
        block = vectors[begin : begin + 50_000]
        block[:] = random.standard_normal(block.shape, dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    ids = np.arange(chunks, dtype=np.int64)
    table = VectorTable.empty(dimension).changed((), Rows(ids, ids // CHUNKS_A_DOCUMENT, vectors))
    held = resident_mb() - before
    question = vectors[chunks // 2].copy()
    documents = range(chunks // CHUNKS_A_DOCUMENT)
    some = table.allowed(frozenset(list(documents)[::100]))
    everything = table.allowed(None)
    whole = milliseconds(lambda: table.rank(question, everything, DEPTH))
    narrow = milliseconds(lambda: table.rank(question, some, DEPTH))
    return f"| {chunks:,} | {held:,.0f} MB | {whole:.1f} ms | {narrow:.1f} ms |"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("chunks", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    print("| chunks | memory | a question | with a filter that keeps 1 % |")
    print("| ---: | ---: | ---: | ---: |")
    for chunks in options.chunks:
        print(measure(chunks, options.dimension), flush=True)


if __name__ == "__main__":
    main()
