"""Many facts at once: imported, exported, and an assignment erased for good."""

import errno
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pit_memory.core.facts.facts import Fact, NewFact, render_fact
from pit_memory.errors import NotFoundError, StorageFullError, StoreBusyError
from pit_memory.operations.facts.change_fact import retract_fact
from pit_memory.operations.facts.fact_transfer import erase_facts, export_facts, import_facts
from pit_memory.operations.facts.facts import Facts, announce_facts
from pit_memory.operations.facts.list_facts import list_facts
from pit_memory.operations.facts.recall import recall
from pit_memory.operations.facts.store_fact import store_fact
from pit_memory.wiring import all_stores
from tests.builders import git
from tests.operations.facts.kept_facts import ALPHA, BETA, WINDOW, folder, opened, told

TOKEN = "ghp_" + "9aB3" * 9

pytestmark = pytest.mark.usefixtures("words_only")


def lines_of(*values: dict[str, object]) -> list[str]:
    return [json.dumps(value) for value in values]


def test_an_import_stores_each_line_in_its_scope_and_names_those_that_are_no_fact(facts: Facts):
    report = import_facts(
        facts,
        ALPHA,
        [
            *lines_of(
                {"fact": WINDOW, "id": "D1", "source": ["a", "b"], "date": "1 pm on 8 May, 2023"},
                {"fact": "Beta has two sites.", "scope": "beta"},
                {"fact": ""},
                {"fact": "x", "scope": "a/b"},
                {"fact": f"use {TOKEN}"},
            ),
            "no json",
            "",
        ],
    )

    assert (report.stored, report.there, report.assignments) == (2, 0, 2)
    assert [line.line for line in report.refused] == [3, 4, 5, 6]
    (fact,) = recall(facts, ALPHA, "deploy window").facts
    assert (fact.source_id, fact.source, fact.date) == ("D1", "a, b", "2023-05-08")
    assert told(facts, "sites", BETA) == ["Beta has two sites."]
    assert git(facts.home.root, "status", "--porcelain") == ""


def test_an_import_of_many_makes_few_commits_also_of_what_one_before_it_left(facts: Facts):
    rows: list[dict[str, object]] = [
        {"fact": f"Unit {n}.", "scope": f"c{n % 40}"} for n in range(520)
    ]
    lines = lines_of(*rows)
    store_fact(facts, ALPHA, NewFact(WINDOW))
    left = folder(facts, "c3") / f"{Fact('c3', 'Unit 3.').id}.md"
    left.parent.mkdir()
    left.write_text(render_fact(Fact("c3", "Unit 3.")))

    report = import_facts(facts, ALPHA, lines)

    assert (report.stored, report.there) == (519, 1)
    assert git(facts.home.root, "status", "--porcelain") == ""
    log = git(facts.home.root, "log", "--format=%s").splitlines()
    assert log[:2] == ["facts: import 519 of 40 assignments"] * 2
    assert len(log) == 4


def test_what_was_exported_is_the_same_after_an_import(facts: Facts, tmp_path: Path):
    stored = store_fact(facts, ALPHA, NewFact(WINDOW, topic="deploy", review_after="2027-01-01"))
    store_fact(facts, ALPHA, NewFact("The contact is Mrs Weaver.", source="call"))
    retract_fact(facts, ALPHA, stored.id, "moved")
    before = list_facts(facts, ALPHA, [])
    lines = list(export_facts(facts, ALPHA, []))

    with opened(tmp_path, PIT_MEMORY_FACTS_HOME=str(tmp_path / "other")) as others:
        import_facts(others, ALPHA, lines)
        assert list_facts(others, ALPHA, []) == before


def test_what_was_moved_by_hand_is_erased_too_with_its_history(facts: Facts):
    store_fact(facts, ALPHA, NewFact("The zebra contract ends in May.", topic="zebra"))
    store_fact(facts, BETA, NewFact("Beta stays."))
    home = facts.home.root
    (kept,) = Path(facts.source("alpha").root).glob("*.md")
    (mine,) = Path(facts.source("beta").root).glob("*.md")
    (mine.parent / kept.name).write_bytes(kept.read_bytes())
    (home / "with blank").mkdir()
    (home / "with blank" / "ümlaut.md").write_bytes(kept.read_bytes())
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--message", "zebra moved")
    git(home, "rm", "--quiet", "--", f"{mine.parent.name}/{kept.name}")
    git(home, "commit", "--quiet", "--message", "tidy")
    (mine.parent / "loose.md").write_bytes(kept.read_bytes())

    report = erase_facts(facts, "alpha", all_stores())

    assert report.facts == 3
    left = [path for path in all_stores().parent.rglob("*") if path.is_file()]
    assert not [path for path in left if b"zebra" in path.read_bytes()]
    objects = git(home, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    kinds = [git(home, "cat-file", "-p", name) for name in objects.split()]
    assert not [text for text in kinds if "zebra contract" in text]
    assert told(facts, "stays", BETA) == ["Beta stays."]
    assert git(home, "status", "--porcelain") == ""


def test_an_erase_that_can_not_remove_a_file_says_so(facts: Facts, monkeypatch):
    store_fact(facts, ALPHA, NewFact(WINDOW))

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("pit_memory.workspace.fact_history.shutil.rmtree", denied)
    with pytest.raises(StorageFullError, match="permission denied"):
        erase_facts(facts, "alpha", all_stores())


def test_an_erased_assignment_leaves_nothing_on_this_disk(facts: Facts):
    store_fact(facts, ALPHA, NewFact("The zebra contract ends in May.", topic="zebra"))
    store_fact(facts, BETA, NewFact("Beta stays."))
    git(facts.home.root, "remote", "add", "backup", "/srv/backup.git")
    announce_facts(facts, [folder(facts) / "of-a-store-that-was-killed.md"])

    report = erase_facts(facts, "alpha", all_stores())

    assert (report.facts, report.history.remotes) == (1, ("backup",))
    assert told(facts, "zebra") == []
    assert told(facts, "stays", BETA) == ["Beta stays."]
    everything = [path for path in all_stores().parent.rglob("*") if path.is_file()]
    for word in (b"zebra", b"of-a-store-that-was-killed"):
        assert not [path for path in everything if word in path.read_bytes()]
    history = git(facts.home.root, "log", "--all", "--patch")
    assert "zebra" not in history
    assert "alpha" not in history
    assert "Beta stays." in history
    assert git(facts.home.root, "fsck", "--unreachable", "--no-progress") == ""


def test_a_mistyped_assignment_is_refused_with_the_nearest_and_changes_nothing(facts: Facts):
    with pytest.raises(NotFoundError, match="there is no assignment alhpa"):
        erase_facts(facts, "alhpa", all_stores())
    assert not facts.home.root.exists()
    store_fact(facts, ALPHA, NewFact(WINDOW))
    (folder(facts) / "unreadable.md").mkdir()
    recall(facts, replace(ALPHA, assignment="alhpa"), "window")
    before = git(facts.home.root, "for-each-ref")

    with pytest.raises(NotFoundError, match=r"there is no assignment alhpa: .*mean alpha\?"):
        erase_facts(facts, "alhpa", all_stores())

    assert git(facts.home.root, "for-each-ref") == before
    assert told(facts, "deploy window") == [WINDOW]


@pytest.mark.parametrize("left", ["history", "objects", "index"])
def test_an_assignment_of_which_one_trace_is_left_can_be_erased(facts: Facts, left: str):
    store_fact(facts, BETA, NewFact("Beta stays."))
    store_fact(facts, ALPHA, NewFact("The zebra contract ends in May."))
    told(facts, "zebra")
    shutil.rmtree(folder(facts))
    if left != "index":
        told(facts, "zebra")
        git(facts.home.root, "commit", "--quiet", "--all", "--message", "gone")
    if left != "history":
        git(
            facts.home.root,
            "reset",
            "--quiet",
            "--hard",
            "HEAD~2" if left == "objects" else "HEAD~1",
        )
    if left == "index":
        git(facts.home.root, "reflog", "expire", "--expire=now", "--all")
        git(facts.home.root, "gc", "--quiet", "--prune=now")

    report = erase_facts(facts, "alpha", all_stores())

    assert report.history.commits == {"history": 2, "objects": 0, "index": 0}[left]
    everything = [path for path in all_stores().parent.rglob("*") if path.is_file()]
    assert not [path for path in everything if b"zebra" in path.read_bytes()]
    with pytest.raises(NotFoundError):
        erase_facts(facts, "alpha", all_stores())


def test_an_erase_counts_the_commits_of_this_assignment_alone(facts: Facts):
    for text in ("Beta has two sites.", "Beta stays."):
        store_fact(facts, BETA, NewFact(text))
    store_fact(facts, ALPHA, NewFact(WINDOW))
    assert erase_facts(facts, "alpha", all_stores()).history.commits == 1


def test_an_erase_leaves_the_commits_of_names_that_hold_its_own(facts: Facts):
    others = [replace(ALPHA, assignment=name) for name in ("alpha2", "alpha-eu", "of alpha")]
    for access in (ALPHA, *others):
        stored = store_fact(facts, access, NewFact(f"{access.assignment} has two sites."))
        retract_fact(facts, access, stored.id, "moved")
    before = git(facts.home.root, "log", "--format=%s").splitlines()

    erase_facts(facts, "alpha", all_stores())

    kept = [subject for subject in before if not subject.endswith("of alpha")]
    kept += [subject for subject in before if subject.endswith("of of alpha")]
    left = git(facts.home.root, "log", "--format=%s").splitlines()
    assert sorted(subject for subject in left if subject != "facts: erased") == sorted(kept)


def test_an_erase_leaves_no_part_of_a_name_that_was_cut_in_a_message(facts: Facts):
    store_fact(facts, BETA, NewFact("Beta stays."))
    zebra = replace(ALPHA, assignment="zebra " + "and sons " * 8 + "limited")
    store_fact(facts, zebra, NewFact(WINDOW))

    erase_facts(facts, zebra.assignment or "", all_stores())

    assert "zebra" not in git(facts.home.root, "log", "--all", "--patch")


def test_an_erase_that_could_not_scrub_the_index_can_be_done_again(facts: Facts, monkeypatch):
    store_fact(facts, ALPHA, NewFact("The zebra contract ends in May."))

    def busy(_: object) -> None:
        raise StoreBusyError("held")

    with monkeypatch.context() as patch:
        patch.setattr("pit_memory.stores.store.Store.scrub", busy)
        with pytest.raises(StoreBusyError):
            erase_facts(facts, "alpha", all_stores())
    assert erase_facts(facts, "alpha", all_stores()).facts == 0
    with pytest.raises(NotFoundError):
        erase_facts(facts, "alpha", all_stores())
