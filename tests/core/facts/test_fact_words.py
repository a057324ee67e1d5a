"""What a fact is found by: stems, forms that no ending tells, and its day."""

import pytest

from pit_memory.core.facts.assignments import assignment_folder
from pit_memory.core.facts.fact_words import fact_fields, fact_terms
from pit_memory.core.facts.facts import Fact, render_fact
from pit_memory.core.search.queries import analyse
from pit_memory.core.text.irregular_words import base_stem
from pit_memory.core.text.stems import stem
from pit_memory.sources.facts import read_fact


def stems_of(fact: Fact) -> set[str]:
    folder = assignment_folder(fact.assignment)
    document = read_fact(f"{fact.id}.md", render_fact(fact).encode(), folder)
    return set(fact_fields(document, document.chunks[0]).stems.split())


@pytest.mark.parametrize(
    "question",
    ["what did they buy on 7 July 2023", "July 7, 2023", "what was bought in July 2023", "gateway"],
)
def test_a_question_finds_a_fact_by_its_day_its_month_and_other_forms_of_its_words(question: str):
    fact = Fact("acme", "They bought a gateway.", created="2023-07-07T10:00:00Z")
    asked = set(fact_terms(analyse(question)).stems)
    assert asked & stems_of(fact) - {"they"}
    if "2023" in question:
        assert {it for it in asked if it.startswith("date:")} <= stems_of(fact)


def test_another_month_is_another_token():
    fact = Fact("acme", "x", created="2023-07-07")
    named = {it for it in fact_terms(analyse("in May 2023")).stems if it.startswith("date:")}
    assert named
    assert not named & stems_of(fact)


def test_neither_marker_nor_file_name_is_a_word_of_a_fact():
    fact = Fact("zebra", "The window is Tuesday.", topic="deploy", created="2023-07-07")
    assert not {"zebra", "assign", fact.id} & stems_of(fact)
    assert "deploy" in stems_of(fact)


@pytest.mark.parametrize(("form", "base"), [("went", "go"), ("children", "child"), ("is", "is")])
def test_forms_of_a_word_have_one_stem(form: str, base: str):
    assert base_stem(stem(form)) == base_stem(stem(base))
