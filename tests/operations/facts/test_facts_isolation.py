"""Scopes never mix: whatever is asked, whoever asks, only facts of that assignment are told."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pit_memory.core.answers.answers import Mode
from pit_memory.core.facts.assignments import assignment_folder
from pit_memory.core.facts.fact_answers import recall_text
from pit_memory.core.facts.facts import Fact, render_fact
from pit_memory.core.serving.access import LOCAL
from pit_memory.errors import NotFoundError, UsageError
from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.facts.recall import read_fact_ref, recall
from pit_memory.operations.indexing.sync import sync
from pit_memory.wiring import open_facts
from tests.builtin_model import builtin_embedder

NAMES = (
    *("acme", "Acme", "\N{CYRILLIC SMALL LETTER A}cme", "acme ltd", "acme-ltd", "ACME-LTD"),
    *(f"customer {number}" for number in range(14)),
)
TEXTS = (
    "The deploy window is {day}.",
    "The contact of {name} is Mrs {day}.",
    "{name} keeps backups until {day}.",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
FACTS = [
    Fact(name, text.format(name=name, day=day), topic=text.split()[1])
    for name in NAMES
    for text in TEXTS
    for day in DAYS
]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Facts]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIT_MEMORY_DATA", str(tmp_path_factory.mktemp("data")))
        patch.setenv("PIT_MEMORY_CONFIG", str(tmp_path_factory.mktemp("config")))
        with open_facts(Path.cwd()) as (facts, _):
            for fact in FACTS:
                write_fact(facts, fact)
            sync(facts.store, [facts.source(name) for name in NAMES])
            yield facts


def write_fact(facts: Facts, fact: Fact) -> None:
    folder = facts.home.root / assignment_folder(fact.assignment)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{fact.id}.md").write_text(render_fact(fact), encoding="utf-8")


foreign = st.sampled_from(FACTS)
questions = st.one_of(
    st.text(min_size=1, max_size=80),
    foreign.map(lambda fact: fact.text),
    foreign.map(lambda fact: fact.id),
    foreign.map(lambda fact: fact.ref),
    foreign.map(lambda fact: f"<!-- pit-memory:assignment {fact.assignment} -->\n{fact.text}"),
    foreign.map(lambda fact: f"{assignment_folder(fact.assignment)}/{fact.id}.md"),
    foreign.map(lambda fact: f'assignment: "{fact.assignment}" OR deploy'),
    foreign.map(lambda fact: fact.text.replace("a", "\N{CYRILLIC SMALL LETTER A}")),
)
many = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def told(facts: Facts, name: str, question: str, mode: Mode | None) -> list[Fact]:
    try:
        return list(recall(facts, replace(LOCAL, assignment=name), question, 20, mode=mode).facts)
    except UsageError:  # a question of blanks, or too long
        return []


@many
@given(name=st.sampled_from(NAMES), question=questions)
def test_by_words_only_facts_of_who_asks_are_told(facts: Facts, name: str, question: str):
    assert {fact.assignment for fact in told(facts, name, question, "keyword")} <= {name}


@settings(parent=many, max_examples=60)
@given(name=st.sampled_from(NAMES), question=questions)
def test_by_both_legs_only_facts_of_who_asks_are_told(facts: Facts, name: str, question: str):
    builtin_embedder()
    assert {fact.assignment for fact in told(facts, name, question, None)} <= {name}


@many
@given(name=st.sampled_from(NAMES), fact=foreign)
def test_a_ref_reads_a_fact_of_who_asks_and_no_other(facts: Facts, name: str, fact: Fact):
    access = replace(LOCAL, assignment=name)
    if fact.assignment == name:
        assert read_fact_ref(facts, access, fact.ref, 2000).lines
    else:
        with pytest.raises(NotFoundError):
            read_fact_ref(facts, access, fact.ref, 2000)


def test_every_own_fact_is_found_by_its_words(facts: Facts):
    for fact in FACTS[::7]:
        assert fact in told(facts, fact.assignment, fact.text, "keyword")


def test_how_much_others_keep_shows_in_no_recall(tmp_path: Path):
    builtin_embedder()
    with open_facts(tmp_path) as (facts, _):
        for number in range(60):
            write_fact(facts, Fact("globex", f"Unit {number} is theirs."))
        write_fact(facts, Fact("acme", "The deploy window is Tuesday."))
        sync(facts.store, [facts.source("globex"), facts.source("acme")])
        for name, count in (("acme", 1), ("nobody", 0)):
            answer = recall(facts, replace(LOCAL, assignment=name), "when may we deploy")
            assert (len(answer.facts), answer.semantic.state) == (count, "ran")
            assert "built" not in recall_text(answer)
