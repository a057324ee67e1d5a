"""What meaning costs: embedding rate, memory, scans.

Run by hand:

    PYTHONPATH=mcp_server OPENBLAS_NUM_THREADS=1 python benchmarks/meaning.py [FOLDER]

FOLDER holds markdown to embed (default: docs/ of this project). Rates are texts per second of wall
and of processor time; on a busy machine only the second, and ratios taken side by side, mean much.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnxruntime
from measuring import p95, resident_mb
from numpy.typing import NDArray

from pit_memory.core.documents.documents import Document
from pit_memory.core.search.legs import SearchFilters
from pit_memory.embedders.builtin import BuiltinEmbedder
from pit_memory.embedders.minilm import make_tokenizer
from pit_memory.embedders.model_file import find_model
from pit_memory.operations.indexing.background_fill import BackgroundFill
from pit_memory.operations.indexing.meaning import fill
from pit_memory.sources.formats import RawFile, read_contents
from pit_memory.stores.rows import KnownFile
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache
from pit_memory.stores.vectors import LocalVectors

TEXTS = 200
ROUNDS = 3
WORKERS = min(2, os.cpu_count() or 1)
QUESTIONS = [f"how do I configure option {number} of the server?" for number in range(200)]


def main() -> None:
    """Measure everything, or (`--memory FOLDER`) the memory of this process alone."""
    if sys.argv[1:2] == ["--memory"]:
        memory_of_a_filler(Path(sys.argv[2]))
        return
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[1] / "docs"
    documents = documents_of(folder)
    print(f"{folder}: {len(documents)} files, load {os.getloadavg()[0]:.1f}")
    rates(documents)
    scans()
    questions_during_a_fill(documents)
    subprocess.run([sys.executable, __file__, "--memory", str(folder)], check=True)


def rates(documents: list[Document]) -> None:
    """The bare model, the embedder and a whole fill on the same texts, side by side."""
    documents = first_documents(documents, TEXTS)
    texts = list(dict.fromkeys(chunk.embedding_text for one in documents for chunk in one.chunks))
    bare = bare_model()
    with tempfile.TemporaryDirectory() as home, opened(Path(home), documents) as parts:
        store, cache, embedder, vectors = parts
        embedder.embed_query("load the model")

        def in_threads() -> None:
            with ThreadPoolExecutor(WORKERS) as threads:
                list(threads.map(bare, texts))

        measured: dict[str, list[tuple[float, float]]] = {}
        for _ in range(ROUNDS):
            for name, work in (
                (f"bare model, {WORKERS} threads", in_threads),
                ("embedder", lambda: embedder.embed_documents(texts)),
            ):
                measured.setdefault(name, []).append(timed(work))
        wall, cpu = timed(lambda: fill(store, cache, embedder, vectors))
        for name, runs in measured.items():
            best_wall, best_cpu = (min(column) for column in zip(*runs, strict=True))
            show_rate(name, len(texts), best_wall, best_cpu)
        show_rate("fill, into the cache", len(texts), wall, cpu)


def bare_model() -> Callable[[str], object]:
    """The model without our code around it, set up in the same way."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(find_model()), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = make_tokenizer()

    def embed(text: str) -> object:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        states = session.run(
            ["last_hidden_state"],
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )[0]
        vector = states[0].mean(axis=0)
        return vector / np.linalg.norm(vector)

    return embed


def scans() -> None:
    """A search over random vectors, and the bare matrix product for scale."""
    for count in (1_000, 10_000, 100_000):
        with tempfile.TemporaryDirectory() as home, random_store(Path(home), count) as parts:
            scan(count, *parts)


def scan(count: int, store: Store, cache: VectorCache, vectors: LocalVectors) -> None:
    """Search one store in every way that matters."""
    question, matrix = unit_vectors(1)[0], unit_vectors(count)
    everything, narrow = SearchFilters(), SearchFilters(paths=("0",))
    first, _ = timed(lambda: vectors.search(question, everything, 100))
    vectors.follow()
    again = LocalVectors(store, cache, fingerprint="random", dimension=384)
    second, _ = timed(lambda: again.search(question, everything, 100))
    print(
        f"scan {count:>7,}: matrix product {median(lambda: matrix @ question)}, "
        f"search {median(lambda: again.search(question, everything, 100))}, "
        f"one folder {median(lambda: again.search(question, narrow, 100))} ms p50/p95; "
        f"first search {first * 1e3:.0f} ms from the cache, {second * 1e3:.0f} ms in a new process"
    )


def questions_during_a_fill(documents: list[Document]) -> None:
    """How long a question takes to embed while the server's thread fills, and without it."""
    with tempfile.TemporaryDirectory() as home, opened(Path(home), documents) as parts:
        store, cache, embedder, vectors = parts
        asked = iter(QUESTIONS)
        embedder.embed_query("load the model")
        quiet = median(lambda: embedder.embed_query(next(asked)), rounds=60)
        background = BackgroundFill([(store, vectors)], cache, embedder)
        background.wake()
        time.sleep(1)
        busy = median(lambda: embedder.embed_query(next(asked)), rounds=60)
        background.stop()
        print(f"question: {quiet} ms p50/p95 alone, {busy} ms while a fill runs behind")


def documents_of(folder: Path) -> list[Document]:
    """The markdown of a folder, read."""
    return [
        read_contents(RawFile(path.relative_to(folder).as_posix(), path.read_bytes())).document
        for path in sorted(folder.rglob("*.md"))
    ]


def memory_of_a_filler(folder: Path) -> None:
    """A process that loads the model, fills 500 chunks and answers 50 questions."""
    documents = documents_of(folder)
    before = resident_mb()
    with tempfile.TemporaryDirectory() as home, opened(Path(home), documents) as parts:
        store, cache, embedder, vectors = parts
        embedder.embed_query("load the model")
        loaded = resident_mb()
        done = [0]

        def count(built: int, _total: int) -> None:
            done[0] = built

        fill(store, cache, embedder, vectors, progress=count, stop=lambda: done[0] >= 500)
        for question in QUESTIONS[:50]:
            vectors.search(embedder.embed_query(question), SearchFilters(), 100)
        print(
            f"memory: {before:.0f} MB before, {loaded:.0f} MB with the model, "
            f"{resident_mb():.0f} MB after {done[0]} chunks and 50 questions, "
            f"peak {resident_mb(field='VmHWM'):.0f} MB"
        )


# ---- parts -------------------------------------------------------------------------------------


@contextmanager
def opened(
    home: Path, documents: list[Document]
) -> Iterator[tuple[Store, VectorCache, BuiltinEmbedder, LocalVectors]]:
    """A store of documents and everything meaning needs."""
    store, cache = Store.open(home / "store"), VectorCache.open(home / "vectors.sqlite")
    put(store, documents)
    embedder = BuiltinEmbedder(home / "model-check.json")
    vectors = LocalVectors(
        store, cache, fingerprint=embedder.fingerprint, dimension=embedder.dimension
    )
    try:
        yield store, cache, embedder, vectors
    finally:
        store.close()
        cache.close()


@contextmanager
def random_store(home: Path, count: int) -> Iterator[tuple[Store, VectorCache, LocalVectors]]:
    """A store of empty-headed documents with a random vector a chunk, ten chunks a document."""
    lines = "".join(f"## H{number}\n\n" for number in range(10))
    documents = [
        read_contents(
            RawFile(f"{number % 100}/{number}.md", f"# Page {number}\n\n{lines}".encode())
        ).document
        for number in range(count // 10)
    ]
    store, cache = Store.open(home / "store"), VectorCache.open(home / "vectors.sqlite")
    put(store, documents)
    hashes = list(
        dict.fromkeys(
            sha256(chunk.embedding_text.encode()).digest()
            for one in documents
            for chunk in one.chunks
        )
    )
    cache.write("random", hashes, unit_vectors(len(hashes)), 1)
    try:
        yield store, cache, LocalVectors(store, cache, fingerprint="random", dimension=384)
    finally:
        store.close()
        cache.close()


def first_documents(documents: list[Document], texts: int) -> list[Document]:
    """As many documents from the front as have a number of texts."""
    taken: list[Document] = []
    while documents[len(taken) :] and sum(len(one.chunks) for one in taken) < texts:
        taken.append(documents[len(taken)])
    return taken


def put(store: Store, documents: list[Document]) -> None:
    """Write documents, each a nanosecond newer than the one before."""
    with store.catalogue.write() as writer:
        for number, one in enumerate(documents):
            writer.put_document("", one, KnownFile(one.path, 1, number, number, one.content_hash))


def unit_vectors(count: int) -> NDArray[np.float32]:
    """The same random unit vectors each time."""
    vectors = np.random.default_rng(1).standard_normal((count, 384), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of wall and of processor time."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def median(work: Callable[[], object], rounds: int = 100) -> str:
    """Milliseconds: half of the rounds, and 95 % of them, took no longer."""
    times = [timed(work)[0] * 1e3 for _ in range(rounds)]
    return f"{statistics.median(times):.2f}/{p95(times):.2f}"


def show_rate(name: str, texts: int, wall: float, cpu: float) -> None:
    """One line of a rate."""
    print(f"{name:24} {texts / wall:6.1f} texts/s, {texts / cpu:6.1f} per processor second")


if __name__ == "__main__":
    main()
