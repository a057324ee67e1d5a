"""Facts of an assignment: stored, recalled, taken back, and told to nobody else."""

import errno
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pit_memory.core.access import LOCAL, Access
from pit_memory.core.assignments import assignment_folder
from pit_memory.core.fact_answers import recall_text
from pit_memory.core.facts import Fact, NewFact, render_fact
from pit_memory.core.write_request import WriteRequest
from pit_memory.errors import (
    NotFoundError,
    PathError,
    SourceError,
    StorageFullError,
    UsageError,
    WriteRefusedError,
)
from pit_memory.operations.change_fact import approve_fact, retract_fact
from pit_memory.operations.fact_transfer import erase_facts, export_facts, import_facts
from pit_memory.operations.facts import Facts, announce_facts
from pit_memory.operations.list_facts import facts_to_review, list_facts
from pit_memory.operations.recall import read_fact_ref, recall
from pit_memory.operations.search import SearchRequest
from pit_memory.operations.store_fact import store_fact
from pit_memory.wiring import all_stores, open_facts, open_services
from pit_memory.workspace.work_trees import toplevel
from tests.builders import git, make_repository

ALPHA, BETA = replace(LOCAL, assignment="alpha"), replace(LOCAL, assignment="beta")
WINDOW = "The deploy window is Tuesday 09:00 UTC."
TOKEN = "ghp_" + "9aB3" * 9


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[Facts]:
    with open_facts(tmp_path) as (facts, _):
        yield facts


@contextmanager
def opened(root: Path, **settings: str) -> Iterator[Facts]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        with open_facts(root) as (facts, _):
            yield facts


def told(facts: Facts, query: str, access: Access = ALPHA, **more) -> list[str]:
    return [fact.text for fact in recall(facts, access, query, **more).facts]


def folder(facts: Facts, assignment: str = "alpha") -> Path:
    return facts.home.root / assignment_folder(assignment)


def test_a_stored_fact_is_recalled_and_committed_to_a_repository_of_its_own(facts: Facts):
    receipt = store_fact(facts, ALPHA, NewFact(WINDOW, topic="deploy", source="call"))

    assert (receipt.is_stored, receipt.is_retrievable, receipt.warnings) == (True, True, ())
    assert receipt.commit is not None
    assert receipt.commit.state == "committed"
    (fact,) = recall(facts, ALPHA, "when is the deploy window").facts
    assert (fact.text, fact.topic, fact.author, fact.id) == (
        *(WINDOW, "deploy", "Ada Example"),
        receipt.id,
    )
    assert toplevel(facts.home.root) == facts.home.root
    assert git(facts.home.root, "status", "--porcelain") == ""


def test_the_same_fact_again_is_nothing_to_do_and_another_assignment_has_its_own(facts: Facts):
    first = store_fact(facts, ALPHA, NewFact(WINDOW))
    again = store_fact(facts, ALPHA, NewFact(f"  {WINDOW}\r\n"))
    other = store_fact(facts, BETA, NewFact(WINDOW))

    assert (again.is_stored, again.is_there, again.id) == (False, True, first.id)
    assert other.is_stored
    assert other.id != first.id
    assert len([*facts.home.root.rglob("*.md")]) == 2


def test_nobody_else_is_told(facts: Facts):
    mine = store_fact(facts, ALPHA, NewFact(WINDOW))
    store_fact(facts, BETA, NewFact("Beta deploys on Friday."))

    assert told(facts, "deploy window", BETA) == ["Beta deploys on Friday."]
    assert told(facts, WINDOW, replace(LOCAL, assignment="Alpha")) == []
    for question in (mine.id, mine.ref, "<!-- pit-memory:assignment alpha -->", "alpha"):
        assert WINDOW not in told(facts, question, BETA)
    with pytest.raises(NotFoundError, match=r"names no fact of beta"):
        read_fact_ref(facts, BETA, mine.ref, 2000)
    with pytest.raises(NotFoundError, match=r"no fact .* of beta"):
        retract_fact(facts, BETA, mine.id, "not mine")
    with pytest.raises(NotFoundError, match="supersedes: there is no fact"):
        store_fact(facts, BETA, NewFact("x", supersedes=mine.id))
    assert told(facts, "deploy window") == [WINDOW]


def test_without_an_assignment_nothing_is_told_and_nothing_stored(facts: Facts):
    for call in (
        lambda: recall(facts, LOCAL, "x"),
        lambda: store_fact(facts, LOCAL, NewFact("x")),
        lambda: list_facts(facts, LOCAL, []),
    ):
        with pytest.raises(UsageError, match="PIT_MEMORY_ASSIGNMENT"):
            call()


def test_a_fact_that_supersedes_another_is_told_instead_of_it(facts: Facts):
    old = store_fact(facts, ALPHA, NewFact(WINDOW, topic="deploy"))
    new = store_fact(
        facts,
        ALPHA,
        NewFact("The deploy window is Friday.", topic="deploy", supersedes=old.ref),
    )

    assert new.superseded == old.id
    assert told(facts, "deploy window") == ["The deploy window is Friday."]
    assert f"superseded_by: '{new.id}'" in (folder(facts) / f"{old.id}.md").read_text()
    assert git(facts.home.root, "status", "--porcelain") == ""
    back = store_fact(facts, ALPHA, NewFact(WINDOW, topic="deploy"))
    assert not back.is_stored
    assert new.id in back.why_not
    assert store_fact(facts, ALPHA, NewFact(WINDOW, supersedes=new.id)).is_stored
    assert told(facts, "deploy window") == [WINDOW]
    forth = NewFact("The deploy window is Friday.", topic="deploy", supersedes=old.ref)
    assert store_fact(facts, ALPHA, forth).is_stored
    assert told(facts, "deploy window") == [forth.text]


def test_a_fact_that_is_there_retires_another_when_it_is_stored_to_supersede_it(facts: Facts):
    old = store_fact(facts, ALPHA, NewFact("The window is Monday."))
    there = store_fact(facts, ALPHA, NewFact(WINDOW))

    again = store_fact(facts, ALPHA, NewFact(WINDOW, supersedes=old.id))

    assert (again.id, again.superseded) == (there.id, old.id)
    assert told(facts, "window") == [WINDOW]
    third = store_fact(facts, ALPHA, NewFact(WINDOW, supersedes=old.id))
    assert (third.is_stored, third.is_there) == (False, True)


def test_two_that_store_the_same_at_once_are_told_who_was_first(facts: Facts):
    with ThreadPoolExecutor(4) as pool:
        stores = [pool.submit(store_fact, facts, ALPHA, NewFact(WINDOW)) for _ in range(8)]
        receipts = [store.result() for store in stores]
    assert sum(receipt.is_stored for receipt in receipts) == 1
    assert all(receipt.is_there for receipt in receipts)


def test_what_another_fact_replaces_is_not_told_though_its_own_file_does_not_say_so(facts: Facts):
    store_fact(facts, ALPHA, NewFact(WINDOW))
    old = Fact("alpha", WINDOW)
    new = Fact("alpha", "The deploy window is Friday.", created="2026-01-01", supersedes=old.id)
    (folder(facts) / f"{new.id}.md").write_text(render_fact(new))

    assert told(facts, "deploy window") == [new.text]


def test_warnings_name_what_says_the_same_and_what_says_the_opposite(facts: Facts):
    old = store_fact(facts, ALPHA, NewFact(WINDOW, topic="Deploy"))
    near = store_fact(facts, ALPHA, NewFact("The deploy window is on Tuesday, 09:00 UTC!"))
    other = store_fact(facts, ALPHA, NewFact("The deploy window is Friday 10:00.", topic="deploy"))
    short = store_fact(facts, ALPHA, NewFact("The deploy window is Thursday.", topic="deploy"))
    apart = store_fact(facts, ALPHA, NewFact("The contact is Mrs Weaver.", topic="deploy"))

    assert [(it.kind, it.id) for it in near.warnings] == [("near-duplicate", old.id)]
    assert ("contradiction", old.id) in [(it.kind, it.id) for it in other.warnings]
    assert ("contradiction", old.id) in [(it.kind, it.id) for it in short.warnings]
    assert apart.warnings == ()


def test_the_newest_comes_first_among_facts_of_one_thing(facts: Facts):
    for day, text in (("2026-03-01", "Friday"), ("2026-05-01", "Monday"), ("2026-01-01", "Sunday")):
        fact = Fact("alpha", f"The deploy window is {text}.", topic="deploy", created=day)
        folder(facts).mkdir(parents=True, exist_ok=True)
        (folder(facts) / f"{fact.id}.md").write_text(render_fact(fact))

    assert [text.split()[-1] for text in told(facts, "which deploy window")] == [
        *("Monday.", "Friday.", "Sunday.")
    ]


def test_a_retracted_fact_is_gone_at_once_and_its_file_says_when_and_why(facts: Facts):
    stored = store_fact(facts, ALPHA, NewFact(WINDOW))
    receipt = retract_fact(facts, ALPHA, stored.ref, "they moved it")

    assert receipt.what == "retracted"
    assert told(facts, "deploy window") == []
    text = (folder(facts) / f"{stored.id}.md").read_text()
    assert "status: retracted" in text
    assert "reason: they moved it" in text
    assert "already: they moved it" in retract_fact(facts, ALPHA, stored.id, "again").what
    again = store_fact(facts, ALPHA, NewFact(WINDOW))
    assert (again.is_stored, again.is_there) == (False, False)
    approve_fact(facts, ALPHA, stored.id)
    assert told(facts, "deploy window") == [WINDOW]


def test_an_expired_fact_is_not_told_and_one_that_is_due_is_up_for_review(facts: Facts):
    expired = Fact("alpha", "The window was Monday.", expires="2026-01-01")
    due = store_fact(facts, ALPHA, NewFact("The window is Tuesday.", review_after="2026-01-01"))
    (folder(facts) / f"{expired.id}.md").write_text(render_fact(expired))

    assert told(facts, "window") == ["The window is Tuesday."]
    assert [fact.text for fact in facts_to_review(facts, ALPHA)] == ["The window is Tuesday."]
    assert approve_fact(facts, ALPHA, due.id).what == "approved"
    assert facts_to_review(facts, ALPHA) == []
    assert approve_fact(facts, ALPHA, due.id).what == "is approved already"
    assert told(facts, "window") == ["The window is Tuesday."]


def test_a_fact_that_holds_no_more_is_not_stored(facts: Facts):
    with pytest.raises(UsageError, match="expires: 2026-01-01 is past"):
        store_fact(facts, ALPHA, NewFact(WINDOW, expires="2026-01-01"))
    assert not facts.home.root.exists()


def test_with_review_a_fact_is_told_only_after_it_was_approved(tmp_path: Path):
    with opened(tmp_path, PIT_MEMORY_FACTS_REVIEW="required") as facts:
        old = Fact("alpha", "The window is Monday.", created="2026-01-01")
        folder(facts).mkdir(parents=True)
        (folder(facts) / f"{old.id}.md").write_text(render_fact(old))
        stored = store_fact(facts, ALPHA, NewFact(WINDOW, supersedes=old.id))
        assert (stored.status, stored.is_retrievable) == ("proposed", False)
        assert told(facts, "window") == [old.text]
        (waiting,) = facts_to_review(facts, ALPHA)
        assert (waiting.id, waiting.author) == (stored.id, "Ada Example")
        approve_fact(facts, ALPHA, stored.id)
        assert told(facts, "window") == [WINDOW]


@pytest.mark.parametrize("argument", ["text", "topic", "source"])
def test_a_secret_is_refused_by_its_rule_before_anything_is_written(facts: Facts, argument: str):
    new = replace(NewFact("x"), **{argument: f"use {TOKEN}"})
    with pytest.raises(WriteRefusedError, match="github-token") as refused:
        store_fact(facts, ALPHA, new)
    assert TOKEN not in str(refused.value)
    assert not facts.home.root.exists()


def test_a_file_that_lies_in_the_wrong_folder_is_reported_and_never_told(facts: Facts):
    store_fact(facts, ALPHA, NewFact("The contact is Mrs Weaver."))
    foreign = Fact("beta", WINDOW)
    (folder(facts) / f"{foreign.id}.md").write_text(render_fact(foreign))
    refused: list[str] = []

    assert told(facts, "deploy window") == []
    assert [fact.text for fact in list_facts(facts, ALPHA, refused)] == [
        "The contact is Mrs Weaver."
    ]
    assert "belongs to the assignment 'beta'" in refused[0]
    (problem,) = facts.store.catalogue.problems(folder(facts).name)
    assert (problem.rule, problem.path) == ("fact", f"{foreign.id}.md")


def test_files_that_come_or_change_by_hand_are_picked_up(facts: Facts):
    stored = store_fact(facts, ALPHA, NewFact(WINDOW))
    pulled = Fact("alpha", "The contact is Mrs Weaver.")
    (folder(facts) / f"{pulled.id}.md").write_text(render_fact(pulled))
    path = folder(facts) / f"{stored.id}.md"
    path.write_text(path.read_text().replace("Tuesday", "Thursday"))

    assert told(facts, "contact") == [pulled.text]
    assert told(facts, "deploy window") == ["The deploy window is Thursday 09:00 UTC."]
    path.unlink()
    assert told(facts, "deploy window") == []


@pytest.mark.parametrize("whole", [True, False], ids=["folder", "files"])
def test_facts_that_were_removed_by_hand_are_forgotten_and_no_trouble(facts: Facts, whole: bool):
    store_fact(facts, ALPHA, NewFact(WINDOW))
    (file,) = folder(facts).glob("*.md")
    file.unlink()
    if whole:  # as git does with what it empties
        folder(facts).rmdir()

    answer = recall(facts, ALPHA, "deploy window")

    assert (answer.facts, answer.notes, answer.is_out_of_reach) == ((), (), False)
    assert not facts.store.catalogue.paths(facts.source("alpha").name)
    store_fact(facts, ALPHA, NewFact(WINDOW))
    assert told(facts, "deploy window") == [WINDOW]


def test_where_the_home_of_facts_is_not_there_that_is_said_and_the_index_kept(facts: Facts):
    for number in range(5):
        store_fact(facts, ALPHA, NewFact(f"The deploy window of week {number} is open."))
    away = facts.home.root.with_name("away")
    facts.home.root.rename(away)
    facts.home.root.mkdir()  # a mount point without its disk

    answer = recall(facts, ALPHA, "deploy window")

    assert not answer.facts
    assert recall_text(answer).startswith("no fact of alpha can be told now: files are not there")
    assert "5 facts of it are indexed" in answer.notes[-1]
    assert len([note for note in answer.notes if note.startswith("left out, its file")]) == 3
    assert "left out likewise: 2 more facts" in answer.notes
    facts.home.root.rmdir()
    away.rename(facts.home.root)
    assert len(told(facts, "deploy window")) == 5


@pytest.mark.parametrize("is_mount_point", [True, False])
def test_nothing_is_told_or_changed_of_a_home_that_is_not_there(facts: Facts, is_mount_point: bool):
    kept = store_fact(facts, ALPHA, NewFact(WINDOW))
    away = facts.home.root.with_name("away")
    facts.home.root.rename(away)
    if is_mount_point:  # without its disk
        facts.home.root.mkdir()

    for verb in (
        lambda: store_fact(facts, ALPHA, NewFact("The contact is Mrs Weaver.")),
        lambda: store_fact(facts, BETA, NewFact("The contact is Mr Loom.", supersedes=kept.id)),
        lambda: import_facts(facts, ALPHA, ['{"fact": "The contact is Mrs Weaver."}']),
        lambda: retract_fact(facts, ALPHA, kept.id, "moved"),
        lambda: approve_fact(facts, ALPHA, kept.id),
        lambda: erase_facts(facts, "alpha", all_stores()),
        lambda: read_fact_ref(facts, ALPHA, kept.ref, 2000),
        lambda: list_facts(facts, ALPHA, []),
        lambda: facts_to_review(facts, ALPHA),
        lambda: list(export_facts(facts, ALPHA, [])),
    ):
        with pytest.raises(SourceError, match="the home of facts is not there: ") as refused:
            verb()
        assert f"{facts.home.root}; " in str(refused.value)
    assert not facts.home.root.is_dir() or not [*facts.home.root.iterdir()]

    if is_mount_point:
        facts.home.root.rmdir()
    away.rename(facts.home.root)
    assert told(facts, "deploy window") == [WINDOW]


def test_a_home_that_is_gone_for_good_is_begun_anew_once_its_index_was_removed(facts: Facts):
    store_fact(facts, ALPHA, NewFact(WINDOW))
    shutil.rmtree(facts.home.root)
    with pytest.raises(SourceError, match=rf"remove what was indexed: rm -r {facts.store.folder}$"):
        store_fact(facts, ALPHA, NewFact("The contact is Mrs Weaver."))
    shutil.rmtree(facts.store.folder)
    store_fact(facts, ALPHA, NewFact("The contact is Mrs Weaver."))
    assert told(facts, "contact") == ["The contact is Mrs Weaver."]


def test_a_home_that_lost_only_its_repository_gets_it_again(facts: Facts):
    store_fact(facts, ALPHA, NewFact(WINDOW))
    shutil.rmtree(facts.home.root / ".git")
    (facts.home.root / ".gitattributes").unlink()
    assert store_fact(facts, ALPHA, NewFact("The contact is Mrs Weaver.")).is_retrievable
    assert toplevel(facts.home.root) == facts.home.root


def test_a_fact_whose_text_was_changed_by_hand_keeps_the_id_of_its_file(facts: Facts):
    stored = store_fact(facts, ALPHA, NewFact(WINDOW))
    path = folder(facts) / f"{stored.id}.md"
    path.write_text(path.read_text().replace("Tuesday", "Thursday"))

    (fact,) = recall(facts, ALPHA, "deploy window").facts
    assert (fact.id, fact.text) == (stored.id, "The deploy window is Thursday 09:00 UTC.")
    assert read_fact_ref(facts, ALPHA, fact.ref, 2000).lines[0].text == fact.text
    with pytest.raises(UsageError, match=r"was changed by hand.*it says another thing now"):
        store_fact(facts, ALPHA, NewFact(WINDOW))
    retract_fact(facts, ALPHA, fact.id, "moved")
    assert told(facts, "deploy window") == []
    assert [file.name for file in folder(facts).iterdir()] == [path.name]


def test_a_file_that_is_not_called_by_an_id_or_lies_deeper_is_reported_and_never_told(facts: Facts):
    store_fact(facts, ALPHA, NewFact("The contact is Mrs Weaver."))
    fact = Fact("alpha", WINDOW)
    (folder(facts) / "window.md").write_text(render_fact(fact))
    (folder(facts) / "deeper").mkdir()
    (folder(facts) / "deeper" / f"{fact.id}.md").write_text(render_fact(fact))
    refused: list[str] = []

    answer = recall(facts, ALPHA, "deploy window")
    assert (answer.facts, answer.notes) == ((), ())
    list_facts(facts, ALPHA, refused)
    assert len(refused) == 2
    assert "deeper" in refused[0]
    assert f"rename it to {fact.id}.md" in refused[1]
    assert len(facts.store.catalogue.problems(folder(facts).name)) == 2


def test_a_search_of_docs_never_tells_a_fact_and_memory_write_stores_one(tmp_path: Path):
    root = make_repository(tmp_path / "project", {"docs/a.md": "# A\n\nNothing of it.\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIT_MEMORY_ASSIGNMENT", "alpha")
        with open_services(root, background="none") as services:
            receipt = services.write(WriteRequest(WINDOW, "fact", title="deploy"))
            assert (receipt.is_written, receipt.is_retrievable) == (True, True)
            assert services.recall(services.access, "deploy window", 8).facts[0].topic == "deploy"
            for collection in ("docs", "incidents", "memory"):
                request = SearchRequest(WINDOW, collection=collection)
                assert services.search(request).hits == ()
            with pytest.raises(UsageError, match="facts belong to an assignment"):
                services.search(SearchRequest(WINDOW, collection="facts"))
            read = read_fact_ref(services.open_facts(), services.access, receipt.ref, 2000)
            assert [line.text for line in read.lines] == [WINDOW]


def test_a_project_tree_takes_the_facts_of_its_own_repository_alone(tmp_path: Path):
    root = make_repository(tmp_path / "project", {"a.md": "# A"})
    git(root, "remote", "add", "origin", "git@example.org:team/project.git")
    own = replace(LOCAL, assignment="example.org:team:project")
    with opened(root, PIT_MEMORY_FACTS_HOME=str(root / "facts")) as facts:
        with pytest.raises(PathError, match=r"lies in a project's tree.*not of 'alpha'"):
            store_fact(facts, ALPHA, NewFact(WINDOW))
        assert not (root / "facts").exists()
        commit = store_fact(facts, own, NewFact(WINDOW)).commit
        assert commit is not None
        assert commit.state == "committed"
        assert told(facts, "deploy window", own) == [WINDOW]
        with pytest.raises(PathError, match="its history belongs to the project"):
            erase_facts(facts, "example.org:team:project", all_stores())


def test_what_is_staged_in_a_project_stays_staged(tmp_path: Path):
    root = make_repository(tmp_path / "project", {"a.md": "# A", "b.md": "# B"})
    (root / "a.md").write_text("# Mine")
    git(root, "add", "a.md")
    with opened(root, PIT_MEMORY_FACTS_HOME=str(root / "facts")) as facts:
        own = replace(LOCAL, assignment=facts.home.only)
        stored = store_fact(facts, own, NewFact(WINDOW))
        retract_fact(facts, own, stored.id, "moved")
    assert git(root, "status", "--porcelain") == "M  a.md\n"


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


def test_a_huge_foreign_corpus_cannot_crowd_a_fact_out(facts: Facts):
    store_fact(facts, ALPHA, NewFact("The window of the deploy is agreed by phone."))
    import_facts(
        facts,
        BETA,
        [f'{{"fact": "deploy window deploy window {n}"}}' for n in range(600)],
    )

    assert told(facts, "deploy window") == ["The window of the deploy is agreed by phone."]


def test_several_that_store_at_once_lose_nothing_and_commit_everything(tmp_path: Path):
    def store_some(number: int) -> list[bool]:
        with open_facts(tmp_path) as (facts, _):
            new = [NewFact(f"Unit {number} has the serial {number}-{at}.") for at in range(5)]
            return [store_fact(facts, ALPHA, it).is_retrievable for it in new]

    with ThreadPoolExecutor(4) as pool:
        found = [it for some in pool.map(store_some, range(4)) for it in some]

    assert found == [True] * 20
    with open_facts(tmp_path) as (facts, _):
        assert len(list_facts(facts, ALPHA, [])) == 20
        assert git(facts.home.root, "status", "--porcelain") == ""
        assert told(facts, "serial 3-4", limit=1) == ["Unit 3 has the serial 3-4."]
