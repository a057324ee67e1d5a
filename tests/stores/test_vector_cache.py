import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pit_memory.errors import EmbedderError, StoreError, StoreNewerError
from pit_memory.stores.vector_cache import VectorCache
from tests.vector_builders import text_hash, unit_vectors

MODEL = "model:1"
OTHER_MODEL = "model:2"
TODAY = 20_000
HASHES = [text_hash(str(number)) for number in range(1_000)]


@pytest.fixture
def cache(tmp_path):
    opened = VectorCache.open(tmp_path / "data" / "vectors.sqlite")
    yield opened
    opened.close()


def vectors_of(cached):
    return dict(zip(cached.hashes, cached.vectors, strict=True))


def test_vectors_come_back_under_the_hash_of_their_text(cache):
    vectors = unit_vectors(1_000)

    assert cache.write(MODEL, HASHES, vectors, TODAY) == 1_000

    found = vectors_of(cache.read(MODEL, [HASHES[7], text_hash("unknown"), HASHES[993]]))
    assert found.keys() == {HASHES[7], HASHES[993]}
    np.testing.assert_allclose(found[HASHES[7]], vectors[7], atol=1e-3)
    assert found[HASHES[7]].dtype == np.float32
    assert np.linalg.norm(found[HASHES[993]]) == pytest.approx(1.0, abs=1e-6)


def test_nothing_asked_is_nothing_found(cache):
    assert cache.read(MODEL, []).hashes == ()
    assert cache.read(MODEL, HASHES).hashes == ()
    assert cache.missing(MODEL, []) == []


def test_missing_texts_are_named_once_each_in_their_order(cache):
    cache.write(MODEL, HASHES[:2], unit_vectors(2), TODAY)

    asked = [HASHES[3], HASHES[0], HASHES[2], HASHES[3]]
    assert cache.missing(MODEL, asked) == [HASHES[3], HASHES[2]]


def test_vectors_of_another_fingerprint_are_never_mixed_in(cache):
    cache.write(MODEL, HASHES[:3], unit_vectors(3, seed=1), TODAY)
    cache.write(OTHER_MODEL, HASHES[:1], unit_vectors(1, dimension=12, seed=2), TODAY)

    assert cache.read(OTHER_MODEL, HASHES[:3]).vectors.shape == (1, 12)
    assert cache.missing(OTHER_MODEL, HASHES[:3]) == HASHES[1:3]
    assert cache.read("model:3", HASHES[:3]).hashes == ()


def test_vectors_of_another_length_under_a_known_fingerprint_are_refused(cache):
    cache.write(MODEL, HASHES[:1], unit_vectors(1), TODAY)

    with pytest.raises(StoreError, match="8 numbers for model:1, not of 12"):
        cache.write(MODEL, HASHES[1:2], unit_vectors(1, dimension=12), TODAY)
    assert cache.missing(MODEL, HASHES[:2]) == HASHES[1:2]


@pytest.mark.parametrize(
    "broken", [0.0, float("nan"), float("inf"), 0.5], ids=["zero", "nan", "infinite", "too short"]
)
def test_a_row_that_is_no_unit_vector_is_refused_and_nothing_of_it_is_kept(cache, broken):
    vectors = unit_vectors(3)
    vectors[1] *= broken

    with pytest.raises(EmbedderError, match="vector 1 of 3"):
        cache.write(MODEL, HASHES[:3], vectors, TODAY)
    assert cache.missing(MODEL, HASHES[:3]) == HASHES[:3]


@pytest.mark.parametrize(
    "blob",
    [
        np.zeros(8, dtype=np.float16).tobytes(),
        np.full(8, np.nan, dtype=np.float16).tobytes(),
        b"short",
    ],
    ids=["zero", "nan", "cut off"],
)
def test_a_row_that_was_damaged_on_disk_is_forgotten_when_read(cache, blob):
    cache.write(MODEL, HASHES[:3], unit_vectors(3), TODAY)
    with sqlite3.connect(cache.path) as direct:
        direct.execute("UPDATE vectors SET vector = ? WHERE hash = ?", (blob, HASHES[1]))
    direct.close()

    assert set(cache.read(MODEL, HASHES[:3]).hashes) == {HASHES[0], HASHES[2]}
    assert cache.missing(MODEL, HASHES[:3]) == [HASHES[1]]


def test_writing_a_text_again_keeps_the_first_vector_and_counts_nothing(cache):
    first, second = unit_vectors(1, seed=1), unit_vectors(1, seed=2)
    cache.write(MODEL, HASHES[:1], first, TODAY)

    assert cache.write(MODEL, HASHES[:1], second, TODAY) == 0
    np.testing.assert_allclose(cache.read(MODEL, HASHES[:1]).vectors, first, atol=1e-3)


def test_what_others_wrote_since_a_mark_is_told_by_model(cache):
    start = cache.written_since(MODEL, "")
    assert start.hashes is None

    with_other = VectorCache.open(cache.path)
    with_other.write(MODEL, HASHES[:2], unit_vectors(2), TODAY)
    with_other.write(OTHER_MODEL, HASHES[2:3], unit_vectors(1), TODAY)
    with_other.close()

    news = cache.written_since(MODEL, start.mark)
    assert news.hashes == set(HASHES[:2])
    assert cache.written_since(MODEL, news.mark).hashes == frozenset()


def test_a_mark_of_a_cache_that_was_begun_anew_says_nothing(cache, tmp_path):
    cache.write(MODEL, HASHES[:2], unit_vectors(2), TODAY)
    mark = cache.written_since(MODEL, "").mark
    for part in tmp_path.glob("data/vectors.sqlite*"):
        part.unlink()

    cache.write(MODEL, HASHES[2:4], unit_vectors(2), TODAY)

    assert cache.written_since(MODEL, mark).hashes is None
    assert cache.missing(MODEL, HASHES[:4]) == HASHES[:2]


@pytest.mark.parametrize("damage", ["no database", "a damaged page"])
def test_a_damaged_cache_is_set_aside_and_begun_anew_aloud(tmp_path, damage):
    path = tmp_path / "vectors.sqlite"
    first = VectorCache.open(path)
    first.write(MODEL, HASHES, unit_vectors(1_000), TODAY)
    first.close()
    whole = path.read_bytes()
    if damage == "no database":
        path.write_bytes(b"this is not a database, " * 1_000)
    else:  # the header is sound, so it shows only in use
        path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))

    cache = VectorCache.open(path)
    assert cache.missing(MODEL, HASHES) == HASHES
    cache.write(MODEL, HASHES[:5], unit_vectors(5), TODAY)

    assert len(cache.read(MODEL, HASHES).hashes) == 5
    (note,) = cache.notes()
    assert "damaged" in note
    assert "begun anew" in note
    assert (tmp_path / "vectors.sqlite.damaged").is_file()
    cache.close()


def test_another_process_that_had_the_damaged_file_open_goes_on_with_the_new_one(tmp_path):
    path = tmp_path / "vectors.sqlite"
    ours, theirs = VectorCache.open(path), VectorCache.open(path)
    ours.write(MODEL, HASHES[:1], unit_vectors(1), TODAY)
    shutil.move(path, tmp_path / "elsewhere")  # as setting it aside does

    ours.write(MODEL, HASHES[1:2], unit_vectors(1), TODAY)
    theirs.write(MODEL, HASHES[2:3], unit_vectors(1), TODAY)

    assert set(ours.read(MODEL, HASHES[:3]).hashes) == set(HASHES[1:3])
    ours.close()
    theirs.close()


def test_a_cache_whose_folder_was_removed_is_made_anew(tmp_path):
    cache = VectorCache.open(tmp_path / "data/vectors.sqlite")
    shutil.rmtree(tmp_path / "data")
    assert cache.missing("model", [text_hash("a")]) == [text_hash("a")]
    assert (tmp_path / "data/vectors.sqlite").exists()
    cache.close()


def test_a_cache_of_a_newer_version_is_left_alone(tmp_path):
    path = tmp_path / "vectors.sqlite"
    with sqlite3.connect(path) as direct:
        direct.execute("PRAGMA user_version = 99")
    direct.close()

    with pytest.raises(StoreNewerError, match="99"):
        VectorCache.open(path)
    assert path.is_file()


def test_threads_share_one_cache(cache):
    vectors = unit_vectors(1_000)

    def write(start):
        return cache.write(MODEL, HASHES[start : start + 50], vectors[start : start + 50], TODAY)

    with ThreadPoolExecutor(8) as threads:
        written = sum(threads.map(write, [*range(0, 1_000, 50)] * 2))

    assert written == 1_000
    assert len(cache.read(MODEL, HASHES).hashes) == 1_000


def test_a_trim_forgets_what_was_unused_longest_and_nothing_of_this_week(cache):
    vectors = unit_vectors(1_000)
    cache.write(MODEL, HASHES[:400], vectors[:400], TODAY - 40)
    cache.write(MODEL, HASHES[400:], vectors[400:], TODAY - 20)
    cache.touch(MODEL, HASHES[:200], TODAY)

    assert cache.trim(TODAY) == 0  # far below two gigabytes
    assert cache.trim(TODAY, max_bytes=1) == 800

    assert cache.missing(MODEL, HASHES) == HASHES[200:]


def test_a_trim_stops_when_the_cache_is_small_enough(cache, monkeypatch):
    monkeypatch.setattr("pit_memory.stores.vector_cache._TRIM_ROWS", 100)
    for day in range(10):
        part = slice(day * 100, day * 100 + 100)
        cache.write(MODEL, HASHES[part], unit_vectors(100, 384, seed=day), TODAY - 50 + day)
    pages = cache.path.stat().st_size + cache.path.with_name("vectors.sqlite-wal").stat().st_size

    forgotten = cache.trim(TODAY, max_bytes=pages // 4)

    assert 0 < forgotten < 1_000
    assert cache.missing(MODEL, HASHES) == HASHES[:forgotten]  # the oldest first


def test_a_later_use_never_becomes_an_earlier_one(cache):
    cache.write(MODEL, HASHES[:1], unit_vectors(1), TODAY)
    cache.touch(MODEL, HASHES[:1], TODAY - 30)

    assert cache.trim(TODAY, max_bytes=1) == 0


def test_the_measured_rate_is_kept_for_every_process(cache):
    assert cache.rate(MODEL) is None
    cache.write(MODEL, HASHES[:1], unit_vectors(1), TODAY)
    assert cache.rate(MODEL) is None

    cache.set_rate(MODEL, 41.5)

    again = VectorCache.open(cache.path)
    assert again.rate(MODEL) == 41.5
    assert again.rate(OTHER_MODEL) is None
    again.close()
