import os
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

from pit_memory.core.legs import SearchFilters
from pit_memory.errors import StoreCorruptError
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache
from pit_memory.stores.vectors import PUBLISHED_ABOVE, LocalVectors
from tests.vector_builders import DIMENSION, document, put, text_hash, unit_vectors

MODEL = "model:1"
TODAY = 20_000
ALL = SearchFilters()


@pytest.fixture
def store(tmp_path):
    opened = Store.open(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def catalogue(store):
    return store.catalogue


@pytest.fixture
def cache(tmp_path):
    opened = VectorCache.open(tmp_path / "vectors.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def vectors(store, cache):
    return local(store, cache)


def local(store, cache, fingerprint=MODEL):
    return LocalVectors(store, cache, fingerprint=fingerprint, dimension=DIMENSION)


def embed(cache, *texts, fingerprint=MODEL, seed=0):
    """Put a vector of each text into the cache and return them by text."""
    made = unit_vectors(len(texts), seed=seed)
    cache.write(fingerprint, [text_hash(text) for text in texts], made, TODAY)
    return dict(zip(texts, made, strict=True))


def found(catalogue, rankings):
    """The texts of a ranking, best first."""
    rows = catalogue.chunks([chunk for chunk, _ in rankings.chunks])
    return [rows[chunk].text for chunk, _ in rankings.chunks]


def test_a_store_without_documents_answers_nothing_and_lacks_nothing(vectors):
    rankings = vectors.search(unit_vectors(1)[0], ALL, 10)

    assert (list(rankings.chunks), dict(rankings.pages), rankings.built) == ([], {}, 1.0)


def test_chunks_are_found_by_the_vectors_of_their_texts(catalogue, cache, vectors):
    put(catalogue, document("a.md", ["one", "two"]), document("b.md", ["three"]))
    made = embed(cache, "one", "two", "three")

    for text, vector in made.items():
        assert found(catalogue, vectors.search(vector, ALL, 10))[0] == text


def test_a_chunk_is_found_as_soon_as_its_vector_is_in_the_cache(catalogue, cache, vectors):
    put(catalogue, document("a.md", ["one", "two", "three", "four"]))
    question = unit_vectors(1)[0]
    assert vectors.search(question, ALL, 10).built == 0.0

    embed(cache, "one")
    assert found(catalogue, vectors.search(question, ALL, 10)) == ["one"]
    assert vectors.search(question, ALL, 10).built == 0.25

    embed(cache, "two", "three", "four", "of another store")
    assert len(vectors.search(question, ALL, 10).chunks) == 4
    coverage = vectors.coverage()
    assert (coverage.built, coverage.total, coverage.share) == (4, 4, 1.0)


def test_changed_and_removed_documents_are_found_as_they_are_now(catalogue, cache, vectors):
    put(catalogue, document("a.md", ["old", "stays"]), document("b.md", ["goes"]))
    embed(cache, "old", "stays", "goes", "new")
    question = unit_vectors(1)[0]
    vectors.search(question, ALL, 10)

    put(catalogue, document("a.md", ["new", "stays"]))
    with catalogue.write() as writer:
        writer.remove("", ["b.md"])

    assert sorted(found(catalogue, vectors.search(question, ALL, 10))) == ["new", "stays"]
    assert vectors.coverage().total == 2


def test_another_process_and_this_one_see_the_same(store, catalogue, cache, vectors):
    put(catalogue, document("a.md", ["one"]))
    embed(cache, "one", "two")
    other = local(store, cache)
    question = unit_vectors(1)[0]
    other.search(question, ALL, 10)

    put(catalogue, document("b.md", ["two"]))

    assert other.search(question, ALL, 10) == vectors.search(question, ALL, 10)


def test_the_same_text_in_two_places_is_two_chunks_of_one_vector(catalogue, cache, vectors):
    put(catalogue, document("a.md", ["same"]), document("b.md", ["same"]))
    made = embed(cache, "same")

    rankings = vectors.search(made["same"], ALL, 10)
    assert [score for _, score in rankings.chunks] == pytest.approx([1.0, 1.0], abs=1e-6)
    assert len(rankings.pages) == 2


def test_vectors_of_another_model_are_not_searched(store, catalogue, cache, vectors):
    put(catalogue, document("a.md", ["one"]))
    embed(cache, "one", fingerprint="model:2")

    assert vectors.search(unit_vectors(1)[0], ALL, 10).built == 0.0
    other = local(store, cache, fingerprint="model:2")
    assert other.search(unit_vectors(1)[0], ALL, 10).built == 1.0


FILTERED: list[tuple[str, dict[str, Any]]] = [
    ("a.md", {"collection": "docs", "tags": ("ops",)}),
    ("howto/b.md", {"collection": "docs", "status": "draft", "kind": "reference"}),
    ("c.md", {"collection": "incidents", "kind": "incident"}),
    ("d.md", {"collection": "facts", "assignment": "customer", "audience": "ai_internal"}),
    ("e.md", {"collection": "facts", "assignment": "other", "audience": "ai_internal"}),
]


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        (SearchFilters(), ["a.md", "howto/b.md", "c.md"]),
        (SearchFilters(collections=("docs",)), ["a.md", "howto/b.md"]),
        (SearchFilters(kinds=("incident",)), ["c.md"]),
        (SearchFilters(statuses=("draft",)), ["howto/b.md"]),
        (SearchFilters(assignment="customer"), ["d.md"]),
        (SearchFilters(assignment="nobody"), []),
        (SearchFilters(audiences=("ai_internal",), assignment="other"), ["e.md"]),
        (SearchFilters(paths=("howto",)), ["howto/b.md"]),
        (SearchFilters(left_out=("a.md", "c.md")), ["howto/b.md"]),
        (SearchFilters(tags=("OPS",)), ["a.md"]),
        (SearchFilters(source="vault"), []),
    ],
)
def test_filters_are_applied_before_the_best_are_taken(catalogue, cache, vectors, filters, paths):
    put(catalogue, *(document(path, [path], **fields) for path, fields in FILTERED))
    embed(cache, *(path for path, _ in FILTERED))

    question = unit_vectors(1, seed=3)[0]
    # A filter after the best were taken would lose the hit at limit 1.
    assert len(vectors.search(question, filters, 1).chunks) == min(1, len(paths))
    assert sorted(found(catalogue, vectors.search(question, filters, 10))) == sorted(paths)


def test_a_catalogue_that_was_begun_anew_is_followed_from_its_start(store, cache, vectors):
    put(store.catalogue, document("a.md", ["old"]), document("b.md", ["old too"]))
    embed(cache, "old", "old too", "new")
    question = unit_vectors(1)[0]
    assert len(vectors.search(question, ALL, 10).chunks) == 2

    store.begin_anew(StoreCorruptError("the catalogue is damaged"))
    put(store.catalogue, document("a.md", ["new"]))

    assert found(store.catalogue, vectors.search(question, ALL, 10)) == ["new"]
    assert vectors.coverage().total == 1


def test_the_time_left_comes_from_the_rate_measured_on_this_machine(catalogue, cache, vectors):
    put(catalogue, document("a.md", [str(number) for number in range(60)]))
    embed(cache, "0")
    assert vectors.coverage().line() == "meaning: 1 % built"

    cache.set_rate(MODEL, 0.25)

    assert vectors.coverage().seconds_left == pytest.approx(59 * 4)
    assert vectors.search(unit_vectors(1)[0], ALL, 1).seconds_left == pytest.approx(59 * 4)
    assert vectors.coverage().line() == "meaning: 1 % built, about 4 min"


def test_a_document_that_changes_scope_leaves_the_old_one_at_once(catalogue, cache, vectors):
    put(catalogue, document("a.md", ["secret"], assignment="customer"))
    made = embed(cache, "secret")
    assert vectors.search(made["secret"], SearchFilters(assignment="customer"), 5).chunks

    put(catalogue, document("a.md", ["secret"], assignment="other"))

    assert not vectors.search(made["secret"], SearchFilters(assignment="customer"), 5).chunks
    assert vectors.search(made["secret"], SearchFilters(assignment="other"), 5).chunks


# ---- the published file ------------------------------------------------------------------------


@pytest.fixture
def large(catalogue, cache):
    """A store just above the size from which processes share a file."""
    texts = [f"text {number}" for number in range(PUBLISHED_ABOVE + 2_500)]
    put(
        catalogue,
        *(document(f"{start}.md", texts[start : start + 50]) for start in range(0, len(texts), 50)),
    )
    return embed(cache, *texts)


def published(tmp_path):
    return sorted((tmp_path / "store" / "vectors").glob("*.vectors"))


def is_mapped(vectors):
    """Tell whether the large matrix is a map of a file."""
    array = vectors._state.table.base.vectors
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


def test_a_small_store_publishes_nothing(catalogue, cache, vectors, tmp_path):
    put(catalogue, document("a.md", ["one"]))
    embed(cache, "one")

    vectors.follow()

    assert not (tmp_path / "store" / "vectors").exists()


def test_a_large_store_is_published_once_and_mapped_by_everyone(
    store, cache, vectors, large, tmp_path
):
    question = large["text 777"]
    alone = vectors.search(question, ALL, 20)
    assert not is_mapped(vectors)

    vectors.follow()
    vectors.follow()

    assert len(published(tmp_path)) == 1
    assert is_mapped(vectors)
    other = local(store, cache)
    for shared in (vectors.search(question, ALL, 20), other.search(question, ALL, 20)):
        assert list(shared.chunks) == list(alone.chunks)
        assert shared.pages == pytest.approx(alone.pages)
    assert is_mapped(other)


def test_changes_after_publishing_come_on_top(store, catalogue, cache, vectors, large):
    vectors.search(large["text 1"], ALL, 1)
    vectors.follow()
    put(catalogue, document("0.md", ["fresh", "unembedded"]), document("50.md", []))
    made = embed(cache, "fresh", seed=77)

    other = local(store, cache)
    for each in (vectors, other):
        assert found(catalogue, each.search(made["fresh"], ALL, 1)) == ["fresh"]
        assert found(catalogue, each.search(large["text 5"], ALL, 1)) != ["text 5"]
        assert each.coverage().total - each.coverage().built == 1
        assert is_mapped(each)


@pytest.mark.usefixtures("large")
def test_a_file_published_before_all_was_embedded_is_completed_from_the_cache(
    store, catalogue, cache, vectors
):
    put(catalogue, document("new.md", ["later"]))
    vectors.follow()
    made = embed(cache, "later", seed=5)

    other = local(store, cache)

    assert found(catalogue, other.search(made["later"], ALL, 1)) == ["later"]
    assert other.coverage().share == 1.0


def test_a_reader_keeps_its_map_when_a_newer_file_takes_its_place(
    store, catalogue, cache, vectors, large, tmp_path
):
    vectors.follow()
    (first,) = published(tmp_path)
    reader = local(store, cache)
    before = reader.search(large["text 9"], ALL, 5)
    state = reader._state

    put(catalogue, *(document(f"{start}.md", [f"new {start}"]) for start in range(0, 1_500, 50)))
    embed(cache, *(f"new {start}" for start in range(0, 1_500, 50)), seed=8)
    vectors.follow()

    (second,) = published(tmp_path)
    assert first != second
    mask = state.table.allowed(None)
    assert state.table.rank(large["text 9"], mask, 5).chunks == list(before.chunks)
    assert found(catalogue, reader.search(large["text 9"], ALL, 1)) != ["text 9"]


@pytest.mark.parametrize("damage", ["cut off", "overwritten", "removed", "of another model"])
def test_an_unusable_file_is_passed_over(store, catalogue, cache, vectors, large, tmp_path, damage):
    vectors.follow()
    (file,) = published(tmp_path)
    data = file.read_bytes()
    file.unlink()  # the first reader has it mapped: a new inode for the others
    if damage == "cut off":
        file.write_bytes(data[:-4096])
    elif damage == "overwritten":
        file.write_bytes(b"\xff" * len(data))
    elif damage == "of another model":
        file.write_bytes(data.replace(b'"model:1"', b'"model:2"', 1))

    other = local(store, cache)

    assert found(catalogue, other.search(large["text 3"], ALL, 1)) == ["text 3"]
    assert not is_mapped(other)
    other.follow()
    assert is_mapped(other)


@pytest.mark.usefixtures("large")
def test_a_publisher_that_was_killed_leaves_nothing_behind(vectors, tmp_path):
    (tmp_path / "store" / "vectors").mkdir()
    (tmp_path / "store" / "vectors" / "12345678-dead.vectors.unfinished").write_bytes(b"half")

    vectors.follow()

    assert [path.name for path in published(tmp_path)] == [
        path.name
        for path in (tmp_path / "store" / "vectors").iterdir()
        if path.name != "publish.lock"
    ]


READER = """
    import resource, sys
    from pathlib import Path
    from pit_memory.core.legs import SearchFilters
    from tests.stores.test_vectors import *

    home = Path(sys.argv[1])
    store = Store.open(home / "store")
    cache = VectorCache.open(home / "vectors.sqlite")
    vectors = local(store, cache)
    question = unit_vectors(1, seed=int(sys.argv[2]))[0]
    for _ in sys.stdin:
        rankings = vectors.search(question, ALL, 5)
        print(is_mapped(vectors), *(chunk for chunk, _ in rankings.chunks), flush=True)
"""


@pytest.mark.usefixtures("large")
def test_two_processes_share_the_file_and_follow_each_change(catalogue, vectors, tmp_path):
    vectors.follow()
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(READER), str(tmp_path), "4"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
        )
        for _ in range(2)
    ]

    def answers():
        for reader in readers:
            print("search", file=reader.stdin, flush=True)
        return {next(iter(reader.stdout or ())).strip() for reader in readers}

    def own():
        rankings = vectors.search(unit_vectors(1, seed=4)[0], ALL, 5)
        return " ".join(["True", *(str(chunk) for chunk, _ in rankings.chunks)])

    first = own()
    assert answers() == {first}
    best = catalogue.chunks([int(first.split()[1])])[int(first.split()[1])]
    with catalogue.write() as writer:
        writer.remove("", [best.document.path])
    second = own()
    assert first != second
    assert answers() == {second}
    for reader in readers:
        reader.communicate()
        assert reader.returncode == 0
