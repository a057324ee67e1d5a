"""A store as several processes share it, and as it comes back from damage."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from pit_memory.core.indexing.keyword_entry import ENTRIES_VERSION
from pit_memory.core.source import Source
from pit_memory.errors import StorageFullError, StoreCorruptError, StoreNewerError
from pit_memory.operations.indexing.sync import sync
from pit_memory.stores.keyword_index import KEYWORD_FORMAT
from pit_memory.stores.store import Store
from tests import machine
from tests.index_builders import disagreement, found, look_at, markdown, put, tree


def word(number: int) -> str:
    """A word of letters, so one token, that page `number` alone has."""
    return "lot" + "".join("bcdfghjklm"[int(digit)] for digit in f"{number:02}")


FILES = {
    f"docs/page{number}.md": f"# Page {number}\n\nThe lease of {word(number)} ends.\n" * 20
    for number in range(12)
}
SEVENTH = "docs/page7.md"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return tree(tmp_path / "tree", FILES)


@pytest.fixture
def folder(tmp_path: Path, source: Source) -> Path:
    """A store that holds the source and is closed."""
    store = Store.open(tmp_path / "store")
    sync(store, [source])
    store.close()
    return store.folder


def catalogue_file(folder: Path) -> Path:
    (place,) = folder.glob("catalogue-*.sqlite3")
    return place


def keyword_file(folder: Path, ending: str) -> Path:
    return max(folder.glob(f"keywords-*/*{ending}"), key=lambda place: place.stat().st_size)


def look_until_done(store: Store, source: Source) -> None:
    """Look as often as a slow machine needs."""
    while look_at(store, source).pending_files:
        pass


def overwrite(place: Path, start: float, content: bytes) -> None:
    data = bytearray(place.read_bytes())
    at = int(start * len(data))
    data[at : at + len(content)] = content
    place.write_bytes(data)


def test_two_stores_of_one_folder_see_each_other_at_once(tmp_path: Path):
    first, second = Store.open(tmp_path / "store"), Store.open(tmp_path / "store")
    put(first.catalogue, markdown("a.md", "# A\n\nlease\n"))
    assert first.keywords.follow(wait_seconds=1) == 0

    assert second.keywords.follow(wait_seconds=1) == 0
    assert found(second, "lease") == ["a.md"]
    first.close()
    second.close()


def test_whoever_follows_brings_in_the_rows_of_all_in_one_commit(tmp_path: Path):
    first, second = Store.open(tmp_path / "store"), Store.open(tmp_path / "store")
    put(first.catalogue, markdown("a.md", "# A\n\nlease\n"))
    put(second.catalogue, markdown("b.md", "# B\n\nlease\n"))
    second.keywords.follow(wait_seconds=1)
    committed = commits(second)

    first.keywords.follow(wait_seconds=1)

    assert sorted(found(first, "lease")) == ["a.md", "b.md"]
    assert commits(first) == committed
    first.close()
    second.close()


def test_what_others_brought_in_is_seen_without_bringing_in_anything(tmp_path: Path):
    writing, reading = Store.open(tmp_path / "store"), Store.open(tmp_path / "store")
    put(writing.catalogue, markdown("a.md", "# A\n\nlease\n"))
    reading.keywords.see()
    assert found(reading, "lease") == []

    writing.keywords.follow(wait_seconds=1)
    reading.keywords.see()
    assert found(reading, "lease") == ["a.md"]

    writing.keywords.rebuild()
    put(writing.catalogue, markdown("b.md", "# B\n\nlease\n"))
    writing.keywords.follow(wait_seconds=1)
    reading.keywords.see()
    assert sorted(found(reading, "lease")) == ["a.md", "b.md"]
    writing.close()
    reading.close()


def commits(store: Store) -> str:
    return next(store.folder.glob("keywords-*/meta.json")).read_text()


def test_a_commit_that_takes_too_long_elsewhere_is_not_waited_for(tmp_path: Path):
    store, other = Store.open(tmp_path / "store"), Store.open(tmp_path / "store")
    put(store.catalogue, markdown("a.md", "# A\n\nlease\n"))
    with other.keywords.lock:
        assert store.keywords.follow(wait_seconds=0.02) == 1
        assert found(store, "lease") == []

    assert store.keywords.follow(wait_seconds=0.02) == 0
    assert found(store, "lease") == ["a.md"]
    store.close()
    other.close()


def test_long_work_is_left_to_be_gone_on_with(tmp_path: Path):
    store = Store.open(tmp_path / "store")
    for number in range(3):
        put(store.catalogue, *(markdown(f"{number}/{n}.md", "# A\n\nlease\n") for n in range(400)))

    left = store.keywords.follow(wait_seconds=1, work_seconds=0)
    assert 0 < left < 1200
    assert store.keywords.follow(wait_seconds=1) == 0
    assert disagreement(store) == []
    store.close()


def random_bytes_in_the_middle(place: Path) -> None:
    noise = random.Random(1)  # noqa: S311 -- the same noise in every run
    overwrite(place, 0.1, noise.randbytes(int(0.8 * place.stat().st_size)))


def cut_in_half(place: Path) -> None:
    place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])


def emptied(place: Path) -> None:
    place.write_bytes(b"")


def another_kind_of_file(place: Path) -> None:
    place.write_bytes(b"hello, this is no database\n" * 500)


DAMAGES = [random_bytes_in_the_middle, cut_in_half, emptied, another_kind_of_file]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_catalogue_is_named_and_built_again_from_the_files(
    folder: Path, source: Source, damage: Callable[[Path], None]
):
    damaged = catalogue_file(folder)
    damage(damaged)

    store = Store.open(folder)
    report = look_at(store, source)

    assert any(str(damaged) in note and "built again" in note for note in report.notes)
    look_until_done(store, source)
    assert found(store, word(7)) == [SEVENTH]
    assert disagreement(store) == []
    assert not damaged.exists()
    assert look_at(store, source).notes == ()
    store.close()


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("ending", [".idx", "meta.json", ".term"])
def test_a_damaged_keyword_index_is_named_and_built_again_from_the_catalogue(
    folder: Path, source: Source, damage: Callable[[Path], None], ending: str
):
    if ending == ".idx" and damage is random_bytes_in_the_middle:
        pytest.skip("postings carry no checksum: bits that still make sense can't be told")
    damage(keyword_file(folder, ending))

    store = Store.open(folder)
    report = look_at(store, source)
    look_until_done(store, source)
    answer = found(store, word(7))
    notes = (*report.notes, *store.notes())

    assert answer == [SEVENTH]
    assert any("/keywords-" in note and "built again" in note for note in notes)
    assert disagreement(store) == []
    store.close()


def test_a_removed_segment_file_or_index_folder_is_built_again(folder: Path, source: Source):
    keyword_file(folder, ".idx").unlink()
    store = Store.open(folder)
    look_at(store, source)
    assert found(store, word(7)) == [SEVENTH]

    shutil.rmtree(next(folder.glob("keywords-*")))
    put(store.catalogue, markdown("new.md", "# New\n\nbrandnew\n"))
    assert store.keywords.follow(wait_seconds=1) == 0
    assert found(store, "brandnew") == ["new.md"]
    assert disagreement(store) == []
    store.close()


def test_a_store_that_another_process_renewed_is_taken_up_at_the_next_look(
    folder: Path, source: Source
):
    running = Store.open(folder)
    assert look_at(running, source).indexed_files == 0
    another_kind_of_file(catalogue_file(folder))
    for companion in folder.glob("catalogue-*-*"):
        companion.unlink()
    renewing = Store.open(folder)
    look_until_done(renewing, source)

    assert look_at(running, source).notes == ()
    assert running.catalogue.path == renewing.catalogue.path
    assert found(running, word(7)) == [SEVENTH]
    running.close()
    renewing.close()
    assert Store.open(folder).catalogue.counts().documents == 12


def test_new_connections_to_a_replaced_catalogue_never_make_its_file_again(folder: Path):
    running = Store.open(folder)
    put(running.catalogue, markdown("a.md", "# A\n"))
    old = running.catalogue
    with old.write():  # the only idle connection is in use: the next one is new
        another = Store.open(folder)
        another.begin_anew(StoreCorruptError("is damaged", old.path))
        with pytest.raises(StoreCorruptError, match="removed"):
            old.generation()
    running.begin_anew(StoreCorruptError("was removed", old.path))

    assert running.catalogue.path == another.catalogue.path == catalogue_file(folder)
    running.close()
    another.close()


def test_a_store_that_was_deleted_under_a_running_process_is_built_again(
    folder: Path, source: Source
):
    store = Store.open(folder)
    shutil.rmtree(folder)

    look_until_done(store, source)
    assert found(store, word(7)) == [SEVENTH]
    store.close()


def test_an_index_that_lost_documents_is_found_out_by_a_sync(folder: Path, source: Source):
    store = Store.open(folder)
    with store.catalogue.write() as writer:
        writer.remove("", ["docs/page7.md"])
    store.keywords.follow(wait_seconds=1)
    put(store.catalogue, markdown("docs/page7.md", FILES["docs/page7.md"]))
    store.catalogue.set_follower(
        f"keywords-{KEYWORD_FORMAT}.{ENTRIES_VERSION}",
        store.catalogue.generation(),
        next(folder.glob("keywords-*")).name,
    )
    assert disagreement(store) != []

    report = sync(store, [source])

    assert disagreement(store) == []
    assert any("keywords" in note and "built again" in note for note in report.notes)
    store.close()


def test_indexes_of_unused_versions_are_removed_and_those_in_use_stay(folder: Path, source: Source):
    store = Store.open(folder)
    (own,) = folder.glob("keywords-*.*-*")
    for name in ("keywords-0.1-1", "keywords-0.2-1", "keywords-left-over"):
        shutil.copytree(own, folder / name)
    store.catalogue.set_follower("keywords-0.1", 1, "keywords-0.1-1")
    connection = sqlite3.connect(store.catalogue.path)
    connection.execute("UPDATE followers SET recorded_at = 0")
    connection.commit()
    connection.close()
    store.catalogue.set_follower("keywords-0.2", 1, "keywords-0.2-1")

    sync(store, [source])

    kept = {place.name for place in folder.glob("keywords-*") if place.is_dir()}
    assert kept == {own.name, "keywords-0.2-1"}
    assert disagreement(store) == []
    store.close()


def test_a_store_of_a_newer_version_is_left_alone(folder: Path):
    place = catalogue_file(folder)
    connection = sqlite3.connect(place)
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StoreNewerError, match="update pit-memory"):
        Store.open(folder)
    assert catalogue_file(folder) == place


def test_a_read_only_data_folder_is_named(tmp_path: Path):
    with machine.disk(tmp_path, "1m"):
        machine.make_read_only(tmp_path)

        with pytest.raises(StorageFullError, match="read-only"):
            Store.open(tmp_path / "stores-v3" / "name")


def test_a_folder_of_another_user_is_named():
    with machine.open_folder() as folder:
        folder.chmod(0o755)
        with machine.without_privileges(), pytest.raises(StorageFullError, match="permission"):
            Store.open(folder / "stores-v3" / "name")
