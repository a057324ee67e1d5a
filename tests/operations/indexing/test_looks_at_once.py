"""Two sessions look at the same files: who planned first and writes last undoes nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pit_memory.core.source import Source
from pit_memory.operations.indexing.indexing import carry_out
from pit_memory.operations.indexing.look import LookReport
from pit_memory.operations.indexing.source_plan import SourcePlan, plan_source
from pit_memory.operations.indexing.sync import sync
from pit_memory.sources.reading import ReadFile, read_source_file
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.store import Store
from tests.index_builders import disagreement, found, look_at, tree

LEASE = "# Page\n\nThe lease expires.\n"
QUOTA = "# Page\n\nThe quota is full.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def indexed_paths(store: Store) -> list[str]:
    return sorted(path for _, path in store.catalogue.paths().values())


def planned_and_read(store: Store, source: Source) -> Callable[[], None]:
    """What another session saw of the files; it writes that when called."""
    planned = plan_source(store.catalogue, source)
    readings = [(path, read_source_file(source, path)) for path in planned.waiting]
    return lambda: void(carry_out(store.catalogue, planned, readings))


def void(_: object) -> None:
    """Drop a result."""


def late(
    store: Store, source: Source, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], None]
) -> LookReport:
    """Look, where something happens once between this look's plan and its first write."""
    write = Catalogue.write
    waiting = [meanwhile]

    def after_what_happens(catalogue: Catalogue):
        if waiting:
            waiting.pop()()
        return write(catalogue)

    monkeypatch.setattr(Catalogue, "write", after_what_happens)
    return look_at(store, source)


def test_a_moved_file_is_found_though_another_look_saw_it_at_neither_place(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
):
    source = tree(root, {"old.md": LEASE, "other.md": QUOTA})
    look_at(store, source)
    (root / "old.md").rename(root / "hidden")
    other = planned_and_read(store, source)
    (root / "hidden").rename(root / "new.md")

    report = late(store, source, monkeypatch, other)

    assert found(store, "lease") == ["new.md"]
    assert report.pending_files == 0
    assert disagreement(store) == []


def test_a_change_is_found_though_another_look_read_the_file_before_it(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
):
    source = tree(root, {"a.md": LEASE})
    look_at(store, source)
    (root / "a.md").write_text("# Page\n\nThe rental of yesterday.\n")
    other = planned_and_read(store, source)
    (root / "a.md").write_text(QUOTA)

    late(store, source, monkeypatch, other)

    assert found(store, "quota") == ["a.md"]
    assert found(store, "rental") == []


@pytest.mark.parametrize("before", [{}, {"a.md": LEASE}], ids=["new", "changed"])
def test_an_older_reading_never_replaces_a_newer_one(store: Store, root: Path, before):
    source = tree(root, before)
    look_at(store, source)
    (root / "a.md").write_text("# Page\n\nThe rental of yesterday.\n")
    other = planned_and_read(store, source)
    (root / "a.md").write_text(QUOTA)
    look_at(store, source)

    other()

    assert store.keywords.follow(wait_seconds=1) == 0
    assert found(store, "quota") == ["a.md"]
    assert found(store, "rental") == []


def test_a_file_that_came_back_is_not_forgotten_by_who_saw_it_gone(store: Store, root: Path):
    source = tree(root, {"a.md": LEASE, "b.md": QUOTA})
    look_at(store, source)
    (root / "a.md").unlink()
    other = planned_and_read(store, source)
    (root / "a.md").write_text("# Page\n\nThe rental is back.\n")
    look_at(store, source)

    other()

    assert indexed_paths(store) == ["a.md", "b.md"]


def test_a_file_that_went_meanwhile_does_not_come_back(store: Store, root: Path):
    source = tree(root, {"a.md": LEASE, "b.md": QUOTA})
    look_at(store, source)
    (root / "a.md").write_text("# Page\n\nThe rental of yesterday.\n")
    other = planned_and_read(store, source)
    (root / "a.md").unlink()
    look_at(store, source)

    other()

    assert indexed_paths(store) == ["b.md"]


def test_a_move_does_not_take_what_was_written_at_the_old_place_since(store: Store, root: Path):
    source = tree(root, {"old.md": LEASE, "other.md": QUOTA})
    look_at(store, source)
    (root / "old.md").rename(root / "new.md")
    other = planned_and_read(store, source)
    (root / "old.md").write_text("# Page\n\nA harbour.\n")
    look_at(store, source)  # a session that was quick: it indexed both

    other()

    assert store.keywords.follow(wait_seconds=1) == 0
    assert found(store, "lease") == ["new.md"]
    assert found(store, "harbour") == ["old.md"]


def test_looks_that_see_the_same_write_it_once(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
):
    source = tree(root, {"a.md": LEASE})
    other = planned_and_read(store, source)
    plans: list[SourcePlan] = []

    def counted(*given, **named) -> SourcePlan:
        plans.append(plan_source(*given, **named))
        return plans[-1]

    monkeypatch.setattr("pit_memory.operations.indexing.look.plan_source", counted)

    report = late(store, source, monkeypatch, other)

    assert (report.indexed_files, report.pending_files, len(plans)) == (0, 0, 1)
    assert found(store, "lease") == ["a.md"]


def test_a_look_that_is_always_overtaken_ends_and_says_what_waits(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
):
    source = tree(root, {"a.md": LEASE})
    turn = 0

    def read_and_be_overtaken(source: Source, path: str):
        nonlocal turn
        read = read_source_file(source, path)
        turn += 1
        (root / path).write_text(f"# Page\n\nVersion {turn}.\n")
        planned_and_read(store, source)()
        (root / path).write_text(f"# Page\n\nVersion {turn}, corrected.\n")
        return read

    monkeypatch.setattr(
        "pit_memory.operations.indexing.look.read_source_file", read_and_be_overtaken
    )

    report = look_at(store, source)

    assert report.pending_files == 1
    assert not report.complete


def test_a_sync_brings_in_what_overtook_it(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
):
    source = tree(root, {"a.md": LEASE, "b.md": QUOTA})
    waiting = ["a.md"]

    def read_and_be_overtaken(source: Source, path: str) -> ReadFile | object:
        read = read_source_file(source, path)
        if path in waiting:
            waiting.remove(path)
            (root / path).write_text("# Page\n\nA rental.\n")
            planned_and_read(store, source)()
            (root / path).write_text("# Page\n\nA harbour.\n")
        return read

    monkeypatch.setattr(
        "pit_memory.operations.indexing.sync.read_source_file", read_and_be_overtaken
    )

    report = sync(store, [source])

    assert found(store, "harbour") == ["a.md"]
    assert found(store, "lease") == []
    assert (report.changed, report.unchanged) == (1, 1)
    assert disagreement(store) == []
