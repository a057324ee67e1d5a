import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from pit_memory.stores.vectors import PUBLISHED_ABOVE, LocalVectors
from tests.contract.vector_store_contract import ALL, MODEL, embed, found
from tests.vector_builders import DIMENSION, document, put, unit_vectors


@pytest.fixture
def catalogue(store):
    return store.catalogue


@pytest.fixture
def vectors(store, cache):
    return local(store, cache)


def local(store, cache):
    return LocalVectors(store, cache, fingerprint=MODEL, dimension=DIMENSION)


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


def test_much_that_changed_since_the_file_is_tidied_up_once(
    store, catalogue, cache, vectors, large
):
    vectors.follow()
    reader = local(store, cache)
    reader.search(large["text 9"], ALL, 5)

    starts = range(0, 3_500, 50)
    put(catalogue, *(document(f"{start}.md", [f"new {start}"] * 50) for start in starts))
    embed(cache, *(f"new {start}" for start in starts), seed=8)
    reader.search(large["text 9"], ALL, 5)
    tidied = reader._state
    reader.search(large["text 9"], ALL, 5)

    assert not tidied.file
    assert reader._state is tidied
    vectors.follow()
    reader.search(large["text 9"], ALL, 5)
    assert is_mapped(reader)


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
    import sys
    from pathlib import Path
    from pit_memory.core.search.legs import SearchFilters
    from tests.stores.test_vectors import *
    from pit_memory.stores.store import Store
    from pit_memory.stores.vector_cache import VectorCache

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
