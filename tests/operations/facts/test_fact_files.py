"""The files of facts and their home: changed by hand, moved, not there, in a project."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pit_memory.core.facts.fact_answers import recall_text
from pit_memory.core.facts.facts import Fact, NewFact, render_fact
from pit_memory.core.serving.access import LOCAL
from pit_memory.errors import PathError, SourceError, UsageError
from pit_memory.operations.facts.change_fact import approve_fact, retract_fact
from pit_memory.operations.facts.fact_transfer import erase_facts, export_facts, import_facts
from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.facts.list_facts import facts_to_review, list_facts
from pit_memory.operations.facts.recall import read_fact_ref, recall
from pit_memory.operations.facts.store_fact import store_fact
from pit_memory.wiring import all_stores
from pit_memory.workspace.work_trees import toplevel
from tests.builders import git, make_repository
from tests.operations.facts.kept_facts import ALPHA, BETA, WINDOW, folder, opened, told

pytestmark = pytest.mark.usefixtures("words_only")


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
    assert "of its facts 5 are indexed" in answer.notes[-1]
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
