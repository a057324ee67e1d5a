import json
import os
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from pit_memory.core.source import Source
from pit_memory.errors import StoreCorruptError
from pit_memory.operations.indexing import look as look_module
from pit_memory.operations.indexing.indexing import carry_out
from pit_memory.operations.indexing.look import (
    LOOK_FILES,
    LookedStore,
    Looker,
    look_and_ask,
)
from pit_memory.operations.indexing.source_plan import plan_source
from pit_memory.operations.indexing.sync import sync
from pit_memory.sources.reading import read_source_file
from pit_memory.stores.rows import SourceRow
from pit_memory.stores.store import Store
from pit_memory.workspace.places import SESSION_FILE
from tests import machine
from tests.builders import git, make_repository, write_files
from tests.index_builders import disagreement, found, look_at, tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def clock_that_leaps(seconds: float) -> SimpleNamespace:
    """A `time` where so many seconds pass at each look at the clock, without any work."""
    clock = count(0.0, seconds)
    return SimpleNamespace(monotonic=lambda: next(clock), thread_time=lambda: 0.0)


def fingerprint(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a tree with its bytes and its time, folders with theirs."""
    return {
        place.relative_to(root).as_posix(): (
            place.read_bytes() if place.is_file() else b"",
            place.stat().st_mtime_ns,
        )
        for place in sorted(root.rglob("*"))
    }


def test_new_changed_moved_and_deleted_files_are_right_in_the_next_search(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n", "b.md": "# B\n\nquota\n"})
    assert look_at(store, source).indexed_files == 2
    assert found(store, "lease") == ["a.md"]

    (root / "a.md").write_text("# A\n\nrental\n")
    (root / "b.md").rename(root / "moved.md")
    write_files(root, {"new.md": "# New\n\nharbour\n"})
    report = look_at(store, source)

    assert (report.indexed_files, report.pending_files, report.notes) == (3, 0, ())
    assert found(store, "lease") == []
    assert found(store, "rental") == ["a.md"]
    assert found(store, "quota") == ["moved.md"]
    assert found(store, "harbour") == ["new.md"]

    (root / "moved.md").unlink()
    look_at(store, source)
    assert found(store, "quota") == []
    assert disagreement(store) == []


def test_a_deleted_file_and_a_new_one_of_its_size_are_not_taken_for_a_move(
    store: Store, root: Path
):
    source = tree(root, {"a.md": "# A\n\nlease\n", "c.md": "# C\n\nother\n"})
    look_at(store, source)
    (root / "a.md").unlink()
    write_files(root, {"b.md": "# B\n\nquota\n"})
    look_at(store, source)

    assert found(store, "lease") == []
    assert found(store, "quota") == ["b.md"]
    assert disagreement(store) == []


def test_a_file_that_changes_twice_in_an_instant_is_right_each_time(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nword one\n"})
    for text in ("word two", "word six", "word ten"):
        (root / "a.md").write_text(f"# A\n\n{text}\n")  # same size, perhaps the same time
        look_at(store, source)
        assert found(store, text.split()[1]) == ["a.md"]


def test_a_look_without_news_writes_nothing(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n"})
    os.utime(root / "a.md", (1, 1))
    look_at(store, source)
    time.sleep(0.03)  # the file's times must be old enough to be trusted
    look_at(store, source)
    before = fingerprint(store.folder)

    look_at(store, source)

    assert fingerprint(store.folder) == before


def test_the_users_tree_stays_as_it_is(store: Store, root: Path):
    source = Source("", str(make_repository(root, {"a.md": "# A\n", "b/c.md": "# C\n"})))
    before = fingerprint(root)
    look_at(store, source)
    sync(store, [source], full=True)
    found(store, "a")

    assert fingerprint(root) == before


def test_many_new_files_come_newest_first_and_the_rest_is_counted(store: Store, root: Path):
    source = tree(root, {f"{number:03}.md": f"# {number}\n\nlease\n" for number in range(120)})
    for number in range(120):
        os.utime(root / f"{number:03}.md", (number + 1, number + 1))

    report = look_at(store, source)
    first = set(found(store, "lease"))
    assert 0 < report.indexed_files <= LOOK_FILES
    assert report.indexed_files + report.pending_files == 120
    assert first == {f"{number:03}.md" for number in range(120 - len(first), 120)}

    while look_at(store, source).pending_files:
        pass
    assert len(found(store, "lease")) == 120


def test_a_busy_machine_makes_a_look_slow_and_not_blind(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
):
    source = tree(root, {f"{number}.md": "# Page\n\nlease\n" for number in range(4)})
    monkeypatch.setattr(look_module, "time", clock_that_leaps(0.4))
    assert look_at(store, source).indexed_files == 4


def test_a_look_ends_where_the_disk_is_slow(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
):
    source = tree(root, {f"{number}.md": "# Page\n\nlease\n" for number in range(40)})
    monkeypatch.setattr(look_module, "time", clock_that_leaps(0.4))
    report = look_at(store, source)
    assert 0 < report.indexed_files < 40
    assert report.indexed_files + report.pending_files == 40


def test_a_very_large_file_is_left_to_the_background(store: Store, root: Path):
    source = tree(root, {"big.md": "# Big\n\n" + "lease " * 200_000, "small.md": "# S\n\nlease\n"})

    report = look_at(store, source)

    assert (report.indexed_files, report.pending_files) == (1, 1)
    assert found(store, "lease") == ["small.md"]
    sync(store, [source])
    assert look_at(store, source).pending_files == 0
    assert set(found(store, "lease")) == {"big.md", "small.md"}


def test_what_changed_after_a_running_sync_began_is_indexed_at_once(store: Store, root: Path):
    source = tree(root, {f"{number}.md": "# Old\n\nquota\n" for number in range(LOOK_FILES + 10)})
    time.sleep(0.03)
    with store.catalogue.write() as writer:
        writer.set_sync_started(time.time_ns())
    time.sleep(0.03)
    write_files(root, {"saved.md": "# Saved\n\nlease\n"})
    other = Store.open(store.folder)
    with other.sync_lock:
        report = look_at(store, source)

    assert (report.indexed_files, report.pending_files) == (1, LOOK_FILES + 10)
    assert found(store, "lease") == ["saved.md"]
    other.close()


def test_strange_names_are_found_under_the_name_the_file_system_has(store: Store, root: Path):
    names = ["with space.md", "#hash.md", "at@sign.md", "100%.md", "line\nfeed.md"]
    names += ["nfc-\u00e9.md", "nfd-e\u0301.md", "文書/検索.md", "🙂.md"]
    source = tree(root, dict.fromkeys(names, "# Same\n\nlease\n"))

    look_at(store, source)

    assert set(found(store, "lease")) == set(names)


def test_sources_of_one_store_keep_apart(store: Store, tmp_path: Path):
    docs = tree(tmp_path / "docs", {"a.md": "# A\n\nlease\n"})
    vault = Source("vault", str(write_files(tmp_path / "vault", {"a.md": "# A\n\nquota\n"})))
    look_at(store, docs, vault)
    (tmp_path / "vault" / "a.md").unlink()
    look_at(store, docs)

    assert set(store.catalogue.paths().values()) == {("", "a.md"), ("vault", "a.md")}


# What is refused


def test_an_emptied_root_keeps_the_index_and_says_so_each_time(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n"})
    look_at(store, source)
    (root / "a.md").unlink()

    for _ in range(2):
        report = look_at(store, source)
        assert len(report.notes) == 1
        assert str(root) in report.notes[0]
        assert "--allow-shrink" in report.notes[0]
        assert found(store, "lease") == ["a.md"]

    assert sync(store, [source], allow_shrink=True).removed == 1
    assert look_at(store, source).notes == ()
    assert found(store, "lease") == []


def test_a_missing_root_keeps_the_index_and_says_so(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n"})
    look_at(store, source)
    root.rename(root.with_name("elsewhere"))

    report = look_at(store, source)

    assert len(report.notes) == 1
    assert str(root) in report.notes[0]
    assert found(store, "lease") == ["a.md"]
    assert sync(store, [source]).refused == report.notes
    assert (report.failed, report.behind, report.complete) == (True, "", False)


def test_another_disk_with_little_on_it_is_refused_until_told_otherwise(store: Store, root: Path):
    source = tree(root, {f"{number}.md": "# A\n\nlease\n" for number in range(5)})
    look_at(store, source)
    with store.catalogue.write() as writer:  # the documents were on a disk of this number
        writer.set_source(SourceRow("", "docs", str(root), 12345, 0.0))
    for number in range(4):
        (root / f"{number}.md").unlink()
    write_files(root, {"new.md": "# New\n\nharbour\n"})

    for _ in range(2):
        report = look_at(store, source)
        assert "another disk" in report.notes[0]
        assert len(found(store, "lease")) == 5
    assert found(store, "harbour") == ["new.md"]


def test_the_loss_of_most_documents_is_refused_unless_git_lost_them_too(store: Store, root: Path):
    files = {f"{number}.md": f"# {number}\n\nlease {number}\n" for number in range(30)}
    source = Source("", str(make_repository(root, files)))
    sync(store, [source])
    for number in range(20):
        (root / f"{number}.md").unlink()

    assert "20 of 30" in look_at(store, source).notes[0]
    assert len(found(store, "lease")) == 30

    git(root, "commit", "--quiet", "--all", "--message", "Remove most")
    assert look_at(store, source).notes == ()
    assert len(found(store, "lease")) == 10


# What goes wrong


def test_an_unreadable_file_is_a_problem_and_stops_nothing():
    with machine.open_folder() as folder:
        write_files(folder / "tree", {"a.md": "# A\n\nlease\n", "b.md": "# B\n\nlease\n"})
        (folder / "tree" / "a.md").chmod(0)
        with machine.without_privileges():
            store = Store.open(folder / "store")
            source = Source("", str(folder / "tree"))
            assert look_at(store, source).pending_files == 0
            assert look_at(store, source).indexed_files == 0
            assert found(store, "lease") == ["b.md"]
            ((problem),) = store.catalogue.problems()
            assert (problem.path, problem.rule) == ("a.md", "unreadable")
            assert "permission denied" in problem.message

        (folder / "tree" / "a.md").chmod(0o644)
        look_at(store, source)
        assert set(found(store, "lease")) == {"a.md", "b.md"}
        assert store.catalogue.problems() == ()
        store.close()


def test_a_file_that_vanishes_between_listing_and_reading_is_dropped(store: Store, root: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n", "b.md": "# B\n\nlease\n"})
    planned = plan_source(store.catalogue, source)
    (root / "a.md").unlink()

    carry_out(
        store.catalogue,
        planned,
        ((path, read_source_file(source, path)) for path in planned.waiting),
    )

    assert [path for _, path in store.catalogue.paths().values()] == ["b.md"]
    assert look_at(store, source).pending_files == 0


def test_a_full_disk_leaves_what_is_indexed_searchable_and_says_so(root: Path, tmp_path: Path):
    source = tree(root, {"a.md": "# A\n\nlease\n"})
    data = tmp_path / "data"
    data.mkdir()
    with machine.disk(data, "600k"):
        store = Store.open(data / "store")
        look_at(store, source)
        write_files(root, {"big.md": "# Big\n\n" + "word " * 180_000})

        report = look_at(store, source)

        assert "free some space" in report.behind
        assert report.behind in report.notes
        assert found(store, "lease") == ["a.md"]
        store.close()
    assert (root / "big.md").exists()


def test_damage_that_shows_in_the_middle_of_a_question_is_repaired_and_asked_again(
    store: Store, root: Path
):
    source = tree(root, {"a.md": "# A\n\nlease\n"})
    reports = []

    def question(report):
        reports.append(report)
        if len(reports) == 1:
            raise StoreCorruptError("is damaged (a page)", store.catalogue.path)
        return found(store, "lease")

    answer = look_and_ask([LookedStore(store, (source,))], question)

    assert answer == ["a.md"]
    assert "built again" in reports[1].notes[0]


def test_the_questions_of_one_turn_share_a_look(store: Store, root: Path):
    now = 100.0
    looker = Looker(clock=lambda: now)
    looked = [LookedStore(store, (tree(root, {"a.md": "# A\n"}),))]
    first = looker.look(looked)
    write_files(root, {"b.md": "# B\n"})

    now += 0.2
    assert looker.look(looked) is first
    now += 0.1
    assert looker.look(looked).indexed_files == 1
    assert looker.look([LookedStore(store, ())]).indexed_files == 0


# What it leaves for the session hooks


@pytest.mark.parametrize("make", [make_repository, write_files])
def test_a_process_that_found_nothing_new_for_long_sees_each_change(
    store: Store, root: Path, make: Callable[[Path, dict[str, str]], Path], monkeypatch
):
    monkeypatch.setattr("pit_memory.workspace.stamps.SETTLED_NS", 20_000_000)
    make(root, {"a.md": "# A\n\nlease\n", "b/c.md": "# C\n\nquota\n", ".gitignore": "no.md\n"})
    looked, looker = [LookedStore(store, (Source("", str(root)),))], Looker()

    def looks_until_quiet() -> None:
        time.sleep(0.03)  # the folders' times must be old enough to be trusted
        for _ in range(4):
            looker.forget()
            looker.look(looked)
        looker.forget()
        assert looker.look(looked).indexed_files == 0

    looks_until_quiet()
    before = (root / "a.md").stat()
    (root / "a.md").write_text("# A\n\nmoose\n")
    os.utime(root / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    write_files(root, {"b/new.md": "# New\n\nharbour\n"})
    looks_until_quiet()
    assert [found(store, word) for word in ("lease", "moose", "harbour")] == [
        [],
        ["a.md"],
        ["b/new.md"],
    ]
    (root / "b").rename(root / "d")
    (root / "a.md").unlink()
    looks_until_quiet()
    assert [found(store, word) for word in ("moose", "harbour", "quota")] == [
        [],
        ["d/new.md"],
        ["d/c.md"],
    ]
    assert disagreement(store) == []


def test_a_look_leaves_what_the_documents_are_about(store: Store, root: Path):
    look_at(
        store,
        tree(
            root,
            {
                "ops/restart.md": "# Restart the gateway\n\n## Why\n",
                "ops/scale.md": "# Scale the gateway\n",
                "api/tokens.md": "# Token rotation\n",
                "README.md": "# Welcome\n",
            },
        ),
    )

    areas = json.loads((store.folder / SESSION_FILE).read_text())["areas"]

    assert [(area["path"], area["sections"]) for area in areas] == [("ops", 3), ("", 1), ("api", 1)]
    assert areas[0]["words"] == ["gateway", "restart", "scale"]
