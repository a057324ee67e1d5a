"""Facts of an assignment: stored, recalled, taken back, and told to nobody else."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pit_memory.core.facts.facts import Fact, NewFact, render_fact
from pit_memory.core.serving.access import LOCAL
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.errors import NotFoundError, UsageError, WriteRefusedError
from pit_memory.operations.facts.change_fact import approve_fact, retract_fact
from pit_memory.operations.facts.fact_transfer import import_facts
from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.facts.list_facts import facts_to_review, list_facts
from pit_memory.operations.facts.recall import read_fact_ref, recall
from pit_memory.operations.facts.store_fact import store_fact
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import open_facts, open_services
from pit_memory.workspace.work_trees import toplevel
from tests.builders import git, make_repository
from tests.operations.facts.kept_facts import ALPHA, BETA, WINDOW, folder, opened, told

TOKEN = "ghp_" + "9aB3" * 9

pytestmark = pytest.mark.usefixtures("words_only")


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
