import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from pit_memory.core.search.legs import SearchFilters
from pit_memory.errors import EmbedderError
from pit_memory.operations.indexing.background_fill import BackgroundFill
from pit_memory.operations.indexing.meaning import BATCH_TEXTS, coverage, fill, fill_behind
from pit_memory.stores.semantic_leg import StoreMeaning
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache
from pit_memory.stores.vectors import LocalVectors
from pit_memory.workspace.locks import FileLock
from tests.builtin_model import builtin_embedder
from tests.patience import wait_until
from tests.vector_builders import document, put, text_hash

ALL = SearchFilters()


@pytest.fixture
def embedder():
    return builtin_embedder()


@pytest.fixture
def new_store(tmp_path):
    """Make stores of one person, all with the same cache."""
    opened = []

    def make(name):
        opened.append(Store.open(tmp_path / name))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(new_store):
    return new_store("store")


def vectors_of(store, cache, embedder):
    return LocalVectors(
        store, cache, fingerprint=embedder.fingerprint, dimension=embedder.dimension
    )


def fill_now(store, cache, embedder, **how):
    return fill(store, cache, embedder, vectors_of(store, cache, embedder), **how)


def texts(count, topic="topic"):
    return [f"{topic} {number}: what to do about it" for number in range(count)]


class CountingEmbedder:
    """The builtin embedder, with a record of what it was asked."""

    def __init__(self, embedder, refused=()):
        self._embedder = embedder
        self._refused = refused
        self.fingerprint = embedder.fingerprint
        self.dimension = embedder.dimension
        self.embedded = []
        self.embed_query = embedder.embed_query

    def embed_documents(self, asked):
        for text in asked:
            if text in self._refused:
                raise EmbedderError(f"no direction for {text}")
        self.embedded += asked
        return self._embedder.embed_documents(asked)


def test_a_filled_store_answers_by_meaning(store, cache, embedder):
    put(
        store.catalogue,
        document("client.md", ["The client is pinned because an old call was removed."]),
        document("soup.md", ["Simmer the onions until they are soft."]),
    )

    report = fill_now(store, cache, embedder)

    assert (report.computed, report.complete, report.refused) == (2, True, ())
    leg = StoreMeaning(embedder, vectors_of(store, cache, embedder))
    best, _ = leg.rank("why did we pin the library?", ALL, 2).chunks[0]
    assert store.catalogue.chunks([best])[best].document.path == "client.md"


def test_nothing_is_embedded_twice(store, cache, embedder):
    counting = CountingEmbedder(embedder)
    put(store.catalogue, document("a.md", ["one", "two", "one"]), document("b.md", ["two"]))

    assert fill_now(store, cache, counting).computed == 2
    assert fill_now(store, cache, counting).computed == 0
    assert sorted(counting.embedded) == ["one", "two"]


def test_a_second_worktree_of_the_same_text_computes_no_embedding(new_store, cache, embedder):
    counting = CountingEmbedder(embedder)
    first, second = new_store("first"), new_store("second")
    for each in (first, second):
        put(each.catalogue, document("a.md", texts(20)))
    fill_now(first, cache, counting)
    counting.embedded.clear()

    assert fill_now(second, cache, counting).computed == 0

    assert counting.embedded == []
    assert vectors_of(second, cache, counting).coverage().share == 1.0


def test_the_newest_documents_are_embedded_first(store, cache, embedder):
    counting = CountingEmbedder(embedder)
    put(store.catalogue, document("old.md", ["old 1", "old 2"]), mtime_ns=1)
    put(store.catalogue, document("newest.md", ["newest 1", "newest 2"]), mtime_ns=3)
    put(store.catalogue, document("newer.md", ["newer", "old 1"]), mtime_ns=2)

    fill_now(store, cache, counting)

    assert counting.embedded == ["newest 1", "newest 2", "newer", "old 1", "old 2"]


def test_a_huge_document_does_not_hold_up_all_others(store, cache, embedder):
    counting = CountingEmbedder(embedder)
    put(store.catalogue, document("notes.md", ["a note"]), mtime_ns=1)
    put(store.catalogue, document("huge.log.md", texts(101, topic="line")), mtime_ns=2)

    fill_now(store, cache, counting)

    assert counting.embedded[100:] == ["a note", "line 100: what to do about it"]


def test_what_comes_in_during_a_fill_is_embedded_before_the_rest(
    store, cache, embedder, monkeypatch
):
    monkeypatch.setattr("pit_memory.operations.indexing.meaning._TURN_SECONDS", 0.0)
    counting = CountingEmbedder(embedder)
    put(store.catalogue, document("a.md", texts(3 * BATCH_TEXTS)), mtime_ns=1)

    def write_once(done, _total):
        if done == BATCH_TEXTS:
            put(store.catalogue, document("b.md", ["came in meanwhile"]), mtime_ns=2)

    report = fill_now(store, cache, counting, progress=write_once)

    assert report.computed == 3 * BATCH_TEXTS + 1
    assert counting.embedded.index("came in meanwhile") < 2 * BATCH_TEXTS


def test_a_stopped_fill_goes_on_where_it_was(store, cache, embedder):
    counting = CountingEmbedder(embedder)
    put(store.catalogue, document("a.md", texts(5 * BATCH_TEXTS)))
    asked = iter([False] * 3)

    first = fill_now(store, cache, counting, stop=lambda: next(asked, True))
    second = fill_now(store, cache, counting)

    assert not first.complete
    assert 0 < first.computed < 5 * BATCH_TEXTS
    assert second.complete
    assert first.computed + second.computed == 5 * BATCH_TEXTS
    assert len(set(counting.embedded)) == len(counting.embedded)


def test_a_later_fill_looks_only_at_what_changed(store, cache, embedder):
    put(store.catalogue, document("a.md", ["one"]))
    first = fill_now(store, cache, embedder)
    put(store.catalogue, document("b.md", ["two"]))
    seen = []

    second = fill_now(
        store, cache, embedder, since=first.generation, progress=lambda *done: seen.append(done)
    )

    assert second.computed == 1
    assert seen == [(1, 1)]


def test_progress_counts_the_texts_that_were_there_before(store, cache, embedder):
    put(store.catalogue, document("a.md", texts(4)))
    fill_now(store, cache, embedder)
    put(store.catalogue, document("b.md", texts(3, topic="other")))
    seen = []

    fill_now(store, cache, embedder, progress=lambda *done: seen.append(done))

    assert seen == [(7, 7)]


def test_how_far_it_is_can_be_asked_from_anywhere(store, cache, embedder):
    put(store.catalogue, document("a.md", texts(4 * BATCH_TEXTS)))
    assert coverage(store, cache, embedder.fingerprint).line() == "meaning: 0 % built"
    done = [0]

    def count(built, _total):
        done[0] = built

    fill_now(store, cache, embedder, progress=count, stop=lambda: done[0] == 3 * BATCH_TEXTS)

    other_process = VectorCache.open(cache.path)
    state = coverage(store, other_process, embedder.fingerprint)
    other_process.close()
    assert (state.built, state.total) == (3 * BATCH_TEXTS, 4 * BATCH_TEXTS)
    assert state.line() == "meaning: 75 % built, less than a minute to go"
    fill_now(store, cache, embedder)
    assert coverage(store, cache, embedder.fingerprint).line() == ""


def test_one_text_the_model_refuses_stops_no_other(store, cache, embedder):
    wanted = texts(2 * BATCH_TEXTS)
    put(store.catalogue, document("a.md", [*wanted[:20], "poison", *wanted[20:], " "]))
    counting = CountingEmbedder(embedder, refused={"poison"})

    report = fill_now(store, cache, counting)

    assert report.computed == 2 * BATCH_TEXTS
    assert any("poison" in line for line in report.refused)
    assert any("blank" in line for line in report.refused)
    assert report.complete
    assert coverage(store, cache, embedder.fingerprint).built == 2 * BATCH_TEXTS


def test_a_model_that_cant_run_ends_the_fill_with_its_reason(store, cache, embedder):
    put(store.catalogue, document("a.md", ["one", "two"]))

    class Broken(CountingEmbedder):
        def embed_documents(self, _asked):
            raise EmbedderError("the model is gone")

    with pytest.raises(EmbedderError, match="the model is gone"):
        fill_now(store, cache, Broken(embedder))


# ---- behind ------------------------------------------------------------------------------------


def test_only_one_fills_a_store_behind(store, cache, embedder):
    put(store.catalogue, document("a.md", ["one"]))
    vectors = vectors_of(store, cache, embedder)

    with FileLock(store.folder / "meaning.lock"):
        assert fill_behind(store, cache, embedder, vectors) is None
    report = in_a_thread(lambda: fill_behind(store, cache, embedder, vectors))

    assert report is not None
    assert report.computed == 1


def in_a_thread(work):
    """Run something that lowers its thread's priority for good."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result()


@pytest.mark.skipif(sys.platform != "linux", reason="threads have their own niceness on Linux only")
def test_a_fill_behind_works_at_the_lowest_priority_and_leaves_the_other_threads_theirs(
    store, cache, embedder
):
    put(store.catalogue, document("a.md", texts(4)))
    niceness = []

    class Watching(CountingEmbedder):
        def embed_documents(self, asked):
            niceness.append(os.getpriority(os.PRIO_PROCESS, 0))
            niceness.append(in_a_thread(lambda: os.getpriority(os.PRIO_PROCESS, 0)))
            return super().embed_documents(asked)

    before = os.getpriority(os.PRIO_PROCESS, 0)
    watching = Watching(embedder)
    in_a_thread(lambda: fill_behind(store, cache, watching, vectors_of(store, cache, watching)))

    assert niceness == [19, 19]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_a_server_fills_whenever_it_is_woken(new_store, cache, embedder):
    project, person = new_store("project"), new_store("person")
    put(project.catalogue, document("a.md", ["one"]))
    put(person.catalogue, document("b.md", ["two"]))
    stores = [(each, vectors_of(each, cache, embedder)) for each in (project, person)]
    background = BackgroundFill(stores, cache, embedder)

    background.wake()
    wait_until(lambda: not cache.missing(embedder.fingerprint, map(text_hash, ["one", "two"])))
    put(project.catalogue, document("a.md", ["changed"]))
    background.wake()
    wait_until(lambda: not cache.missing(embedder.fingerprint, [text_hash("changed")]))

    background.stop()
    assert background.trouble == ""


def test_a_server_whose_model_is_broken_says_why_and_tries_again(store, cache, embedder):
    put(store.catalogue, document("a.md", ["one"]))

    class Repaired(CountingEmbedder):
        broken = True

        def embed_documents(self, asked):
            if self.broken:
                raise EmbedderError("the model is truncated")
            return super().embed_documents(asked)

    repaired = Repaired(embedder)
    background = BackgroundFill([(store, vectors_of(store, cache, repaired))], cache, repaired)
    background.wake()
    wait_until(lambda: background.trouble)
    assert background.trouble == "the model is truncated"

    repaired.broken = False
    background.wake()
    wait_until(lambda: not cache.missing(embedder.fingerprint, [text_hash("one")]))
    wait_until(lambda: not background.trouble)
    background.stop()


def test_a_server_goes_on_when_the_other_filler_of_its_store_ends(
    store, cache, embedder, monkeypatch
):
    monkeypatch.setattr("pit_memory.operations.indexing.background_fill._OTHER_FILLS_SECONDS", 0.05)
    put(store.catalogue, document("a.md", ["one"]))
    background = BackgroundFill([(store, vectors_of(store, cache, embedder))], cache, embedder)

    with FileLock(store.folder / "meaning.lock"):
        background.wake()
        time.sleep(0.2)
        assert cache.missing(embedder.fingerprint, [text_hash("one")])
    wait_until(lambda: not cache.missing(embedder.fingerprint, [text_hash("one")]))

    background.stop()


# ---- several processes -------------------------------------------------------------------------

FILLER = """
    import sys
    from pathlib import Path
    from tests.operations.indexing.test_meaning import *

    store, cache = Store.open(Path(sys.argv[1])), VectorCache.open(Path(sys.argv[2]))
    embedder = builtin_embedder()
    embedder.embed_query("loaded")
    print("ready", flush=True)
    sys.stdin.readline()
    report = fill_now(store, cache, embedder, progress=lambda *done: print(*done, flush=True))
    print("computed", report.computed, report.complete, flush=True)
"""


def filler(store, cache):
    """A process that fills a store when it is told to."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(FILLER), str(store.folder), str(cache.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
    )
    assert read_line(process) == "ready"
    return process


def read_line(process):
    return process.stdout.readline().strip()


def computed(process):
    out, _ = process.communicate()
    assert process.returncode == 0
    word, count, complete = out.split("\n")[-2].split()
    assert (word, complete) == ("computed", "True")
    return int(count)


@pytest.mark.parametrize("same_store", [True, False], ids=["one store", "two worktrees"])
def test_processes_that_fill_at_once_embed_each_text_once(new_store, cache, embedder, same_store):
    wanted = texts(12 * BATCH_TEXTS)
    first = new_store("first")
    second = first if same_store else new_store("second")
    put(first.catalogue, document("a.md", wanted))
    if not same_store:  # half of it the same text, in another order
        put(second.catalogue, document("b.md", [*texts(60, topic="own"), *wanted[::-1]]))
    processes = [filler(first, cache), filler(second, cache)]

    for process in processes:
        print("go", file=process.stdin, flush=True)
    counts = [computed(process) for process in processes]

    distinct = len(wanted) + (0 if same_store else 60)
    assert sum(counts) == distinct
    for store in (first, second):
        assert coverage(store, cache, embedder.fingerprint).share == 1.0


def test_a_killed_filler_costs_one_batch_and_blocks_nobody(store, cache, embedder):
    put(store.catalogue, document("a.md", texts(8 * BATCH_TEXTS)))
    victim = filler(store, cache)
    print("go", file=victim.stdin, flush=True)
    for _ in range(2):
        assert read_line(victim)

    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    kept = coverage(store, cache, embedder.fingerprint).built
    report = fill_now(store, cache, embedder)

    assert kept >= 2 * BATCH_TEXTS
    assert kept + report.computed == 8 * BATCH_TEXTS
    assert report.complete
    vectors = vectors_of(store, cache, embedder)
    expected = embedder.embed_documents(["topic 3: what to do about it"])[0]
    best = vectors.search(expected, ALL, 1).chunks[0]
    assert best[1] == pytest.approx(1.0, abs=1e-3)
    assert np.isfinite(best[1])
