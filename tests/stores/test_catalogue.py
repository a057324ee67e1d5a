import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pit_memory.core.documents.documents import Problem
from pit_memory.errors import StorageFullError, StoreBusyError, StoreCorruptError, StoreNewerError
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.rows import KnownFile, ProblemRow, SourceRow
from tests import machine
from tests.index_builders import markdown, put

RUNBOOK = "# Runbook\n\nRestart it.\n\n## When it fails\n\nRead the log.\n"


@pytest.fixture
def catalogue(tmp_path: Path):
    opened = Catalogue.open(tmp_path / "catalogue.sqlite3")
    yield opened
    opened.close()


def test_a_document_comes_back_as_it_was_written(catalogue: Catalogue):
    text = "---\ntitle: Ops\ntags: [a, 'b c']\ndescription: How\n---\n" + RUNBOOK
    written = markdown("ops/runbook.md", text)
    put(catalogue, written)

    (whole,) = catalogue.whole_documents(catalogue.changes_since(0).changed)

    assert whole.document == replace(written, front_matter={}, problems=())
    assert whole.chunk_ids == tuple(row.id for row in catalogue.chunks_of(whole.id))
    assert catalogue.sections_of(whole.id) == written.sections
    row = catalogue.document("", "ops/runbook.md")
    assert row is not None
    assert (row.title, row.tags, row.description) == ("Ops", ("a", "b c"), "How")


def test_date_and_fields_of_a_document_come_back(catalogue: Catalogue):
    written = replace(markdown("a.md", "# A"), date="2026-01-02", fields={"until": "2027"})
    put(catalogue, written)

    (whole,) = catalogue.whole_documents(catalogue.changes_since(0).changed)
    (place,) = catalogue.places(whole.chunk_ids)

    assert (whole.document.date, whole.document.fields) == ("2026-01-02", {"until": "2027"})
    assert place.date == "2026-01-02"


def test_each_write_advances_the_generation_once_and_an_empty_one_not_at_all(
    catalogue: Catalogue,
):
    before = catalogue.generation()
    put(catalogue, markdown("a.md", "# A"), markdown("b.md", "# B"))
    with catalogue.write():
        pass

    assert catalogue.generation() == before + 1


def test_a_write_that_fails_leaves_nothing(catalogue: Catalogue):
    def fail_half_way() -> None:
        with catalogue.write() as writer:
            writer.put_document("", markdown("a.md", "# A"), KnownFile("a.md", 1, 1, 1, ""))
            raise RuntimeError("stop")

    before = catalogue.generation()
    with pytest.raises(RuntimeError, match="stop"):
        fail_half_way()

    assert catalogue.generation() == before
    assert catalogue.counts().documents == 0


def test_a_changed_document_keeps_its_id_and_gets_new_chunk_ids(catalogue: Catalogue):
    put(catalogue, markdown("a.md", "# A\n\none\n"))
    before = catalogue.document("", "a.md")
    assert before is not None
    old_chunks = catalogue.chunks_of(before.id)
    generation = catalogue.generation()
    put(catalogue, markdown("a.md", "# A\n\ntwo\n"), stamp=2)

    after = catalogue.document("", "a.md")
    assert after is not None
    assert after.id == before.id
    assert {row.id for row in catalogue.chunks_of(after.id)}.isdisjoint(
        row.id for row in old_chunks
    )
    assert catalogue.changes_since(generation).changed == (after.id,)


def test_the_ids_of_removed_rows_are_never_given_again(catalogue: Catalogue):
    put(catalogue, markdown("a.md", "# A"))
    old = catalogue.changes_since(0).changed[0]
    old_chunk = catalogue.chunks_of(old)[0].id
    with catalogue.write() as writer:
        writer.remove("", ["a.md"])
    put(catalogue, markdown("b.md", "# B"))

    (new,) = catalogue.changes_since(0).changed
    assert new > old
    assert catalogue.chunks_of(new)[0].id > old_chunk


def test_the_same_document_again_only_records_its_stamps(catalogue: Catalogue):
    put(catalogue, markdown("a.md", RUNBOOK), stamp=1)
    generation = catalogue.generation()
    put(catalogue, markdown("a.md", RUNBOOK), stamp=2)

    assert catalogue.generation() == generation
    assert catalogue.known_files("")["a.md"].mtime_ns == 2


def test_a_renamed_document_keeps_id_chunks_and_what_is_embedded(catalogue: Catalogue):
    put(catalogue, markdown("old.md", RUNBOOK))
    before, generation = catalogue.embed_hashes(), catalogue.generation()
    (row_id,) = catalogue.changes_since(0).changed
    with catalogue.write() as writer:
        renamed = markdown("folder/new.md", RUNBOOK)
        writer.rename_document("", "old.md", renamed, KnownFile("folder/new.md", 1, 5, 5, ""))

    assert catalogue.embed_hashes() == before
    assert catalogue.changes_since(generation).changed == (row_id,)
    assert catalogue.changes_since(generation).removed == ()
    assert catalogue.paths() == {row_id: ("", "folder/new.md")}


def test_a_section_is_found_by_its_hash_wherever_it_moved(catalogue: Catalogue):
    put(catalogue, markdown("a.md", RUNBOOK), markdown("b.md", "# Other\n"))
    section = markdown("a.md", RUNBOOK).sections[1]

    ((document, moved),) = catalogue.sections_with_hash(section.hash)

    assert (document.path, moved) == ("a.md", section)


def test_an_unreadable_file_is_remembered_with_its_problem_until_it_is_read(
    catalogue: Catalogue,
):
    put(catalogue, markdown("a.md", RUNBOOK))
    problem = Problem("a.md", 0, "unreadable", "permission denied")
    with catalogue.write() as writer:
        writer.put_unreadable("", KnownFile("a.md", 7, 8, 9, ""), problem)

    assert catalogue.counts().documents == 0
    assert tuple(catalogue.known_files("")["a.md"]) == ("a.md", 7, 8, 9)
    assert catalogue.problems() == (ProblemRow("", "a.md", 0, "unreadable", "permission denied"),)

    put(catalogue, markdown("a.md", RUNBOOK))
    assert catalogue.problems() == ()
    assert len(catalogue.known_files("")) == 1


def test_a_mended_file_has_no_problem_left(catalogue: Catalogue):
    put(catalogue, markdown("a.md", "---\ntitle: [\n---\n# A\n"))
    assert [row.rule for row in catalogue.problems("")] == ["front-matter"]

    put(catalogue, markdown("a.md", "---\ntitle: A\n---\n# A\n"), stamp=2)
    assert catalogue.problems("") == ()


def test_a_source_is_forgotten_whole_and_alone(catalogue: Catalogue):
    put(catalogue, markdown("a.md", RUNBOOK), source="")
    put(catalogue, markdown("a.md", RUNBOOK), source="vault")
    with catalogue.write() as writer:
        writer.set_source(SourceRow("vault", "docs", "/vault", 1, 0.0))
    with catalogue.write() as writer:
        writer.remove_source("vault")

    assert [row.name for row in catalogue.sources()] == []
    assert [source for source, _ in catalogue.paths().values()] == [""]


Step = st.tuples(st.sampled_from(["put", "remove", "rename"]), st.integers(0, 3), st.integers(0, 9))


@settings(max_examples=60, deadline=None)
@given(
    writes=st.lists(st.lists(Step, max_size=4), max_size=8),
    limits=st.lists(st.integers(1, 3), min_size=1),
)
def test_a_follower_that_stops_anywhere_ends_up_with_what_is_there(
    writes: list[list[tuple[str, int, int]]],
    limits: list[int],
    tmp_path_factory: pytest.TempPathFactory,
):
    catalogue = Catalogue.open(tmp_path_factory.mktemp("log") / "catalogue.sqlite3")
    held: set[int] = set()
    reached = 0

    def follow(limit: int) -> int:
        nonlocal reached
        changes = catalogue.changes_since(reached, limit=limit)
        held.difference_update(changes.removed)
        held.update(changes.changed)
        reached = changes.generation
        return changes.left

    for number, write in enumerate(writes):
        with catalogue.write() as writer:
            for action, path, text in write:
                document = markdown(f"{path}.md", f"# {text}\n")
                file = KnownFile(document.path, 1, 1, 1, document.content_hash)
                if action == "put":
                    writer.put_document("", document, file)
                elif action == "remove":
                    writer.remove("", [document.path])
                else:
                    old_path = f"{(path + 1) % 4}.md"
                    if [*writer.written_at("", [old_path, document.path])] == [old_path]:
                        writer.rename_document("", old_path, document, file)
        follow(limits[number % len(limits)])
    while follow(1):
        pass

    assert reached == catalogue.generation()
    assert held == set(catalogue.paths())
    catalogue.close()


def test_threads_write_and_read_at_once_without_an_error(catalogue: Catalogue):
    def work(number: int) -> None:
        for turn in range(20):
            put(catalogue, markdown(f"{number}/{turn}.md", f"# {turn}\n"))
            catalogue.changes_since(0)

    before = catalogue.generation()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert catalogue.counts().documents == 80
    assert catalogue.generation() == before + 80


def test_a_writer_that_others_keep_waiting_says_so(tmp_path: Path):
    first = Catalogue.open(tmp_path / "catalogue.sqlite3")
    second = Catalogue.open(tmp_path / "catalogue.sqlite3", busy_seconds=0.05)
    with first.write() as writer:
        writer.set_sync_started(1)
        assert second.generation() == first.generation()  # readers never wait
        with pytest.raises(StoreBusyError, match=r"catalogue.sqlite3.*try again"), second.write():
            pass
    first.close()
    second.close()


def test_a_catalogue_of_a_newer_version_is_left_alone(tmp_path: Path):
    place = tmp_path / "catalogue.sqlite3"
    Catalogue.open(place).close()
    connection = sqlite3.connect(place)
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StoreNewerError, match=r"layout 99.*update pit-memory"):
        Catalogue.open(place)

    connection = sqlite3.connect(place)
    assert connection.execute("PRAGMA user_version").fetchone() == (99,)
    connection.close()


@pytest.mark.parametrize(
    "content", [b"hello, this is no database\n" * 100, b"SQLite format 3\0xyz"]
)
def test_a_file_that_is_no_database_is_named(tmp_path: Path, content: bytes):
    place = tmp_path / "catalogue.sqlite3"
    place.write_bytes(content)

    with pytest.raises(StoreCorruptError, match=str(place)):
        Catalogue.open(place)


def test_a_full_disk_is_named_and_what_was_there_stays(tmp_path: Path):
    with machine.disk(tmp_path, "512k"):
        catalogue = Catalogue.open(tmp_path / "catalogue.sqlite3")
        put(catalogue, markdown("a.md", RUNBOOK))
        with pytest.raises(StorageFullError, match=r"catalogue.sqlite3.*free some space"):
            put(catalogue, markdown("big.md", "# Big\n\n" + "word " * 200_000))

        assert [path for _, path in catalogue.paths().values()] == ["a.md"]
        catalogue.close()


def test_a_read_only_folder_is_named(tmp_path: Path):
    with machine.disk(tmp_path):
        machine.make_read_only(tmp_path)

        with pytest.raises(StorageFullError, match=r"catalogue.sqlite3.*writable"):
            Catalogue.open(tmp_path / "catalogue.sqlite3")
