"""Facts: their file, their identity, their limits."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.facts.assignments import assignment_folder
from pit_memory.core.facts.facts import (
    Fact,
    FactFileError,
    day,
    fact_text,
    one_line,
    parse_fact,
    parse_fact_id,
    question,
    recall_limit,
    render_fact,
)
from pit_memory.errors import UsageError

WINDOW = Fact(
    assignment="acme",
    text="The deploy window is Tuesday.\nAsk Mrs Weaver first.",
    topic="deploy: when",
    created="2026-11-30T08:00:00Z",
    author="Ada Example",
    source="call of 3 May",
)
FOLDER = assignment_folder("acme")


def parse(text: str, name: str = f"{WINDOW.id}.md", folder: str = FOLDER) -> Fact:
    return parse_fact(name, text.encode(), folder).fact


def test_the_id_is_the_hash_of_marker_and_text_and_stands_in_the_file_as_hashed():
    text = render_fact(WINDOW)
    hashed = text.split("---\n", 2)[2].encode()

    assert hashed.startswith(b"<!-- pit-memory:assignment acme -->\nThe deploy window")
    assert hashlib.sha256(hashed).hexdigest()[:16] == WINDOW.id


def test_what_the_front_matter_says_does_not_change_the_id():
    assert replace(WINDOW, status="retracted", reason="moved", topic="x").id == WINDOW.id
    assert replace(WINDOW, assignment="beta").id != WINDOW.id


def test_a_fact_comes_back_from_its_file():
    everything = replace(
        WINDOW,
        status="retracted",
        source_id="D1:3",
        supersedes="0" * 16,
        superseded_by="1" * 16,
        review_after="2027-01-01",
        expires="2027-02-01",
        retracted="2026-12-01T00:00:00Z",
        reason="# moved: 'quoted'",
    )
    assert parse(render_fact(everything)) == everything


@given(
    text=st.text(min_size=1, max_size=200),
    topic=st.text(max_size=60),
    assignment=st.sampled_from(["acme", "ACME", "a: b", "#x", "Caf\u00e9", "- 'q'", "null", "7"]),
)
def test_whatever_can_be_stored_comes_back_as_it_was(text: str, topic: str, assignment: str):
    try:
        kept, about = fact_text(text), one_line(topic, "topic", 120)
    except UsageError:
        return
    fact = Fact(assignment, kept, topic=about)
    read = parse_fact(f"{fact.id}.md", render_fact(fact).encode(), assignment_folder(assignment))

    assert (read.fact, read.notes) == (fact, ())


def test_line_ends_of_another_system_change_nothing():
    assert parse(render_fact(WINDOW).replace("\n", "\r\n")) == WINDOW


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("assignment: acme", "assignment: beta", "its marker 'acme'"),
        ("pit-memory:assignment acme", "pit-memory:assignment beta", "its marker 'beta'"),
        ("<!-- pit-memory:assignment acme -->\n", "", "its marker ''"),
        ("status: approved", "status: fine", "its status is 'fine'"),
        ("status: approved", "status: approved\nexpires: soon", "expires is 'soon'"),
        ("Ask Mrs", "<!-- pit-memory:assignment beta -->\nAsk Mrs", "mark of an assignment"),
        ("---\n", "", "no front matter"),
    ],
)
def test_a_file_whose_parts_disagree_is_refused(old: str, new: str, why: str):
    with pytest.raises(FactFileError) as refused:
        parse(render_fact(WINDOW).replace(old, new, 1))
    assert why in str(refused.value)


def test_a_file_that_was_moved_to_another_assignment_is_refused():
    with pytest.raises(FactFileError, match=r"belongs to the assignment 'acme'.*lies in beta-"):
        parse(render_fact(WINDOW), folder=assignment_folder("beta"))


def test_a_text_changed_by_hand_is_taken_with_a_note():
    read = parse_fact(
        f"{WINDOW.id}.md", render_fact(WINDOW).replace("Tuesday", "Friday").encode(), FOLDER
    )
    assert "Friday" in read.fact.text
    assert read.fact.id == WINDOW.id
    assert "changed by hand" in read.notes[0][1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "fact: 0 characters; it must have 1 to 2,000"),
        (" \n ", "fact: 0 characters"),
        ("x" * 2001, "fact: 2,001 characters; it must have 1 to 2,000"),
        ("a\0b", "fact: U+0000 in line 1 is no text"),
        ("a\n\x1b[2J", "fact: U+001B in line 2"),
        ("a\n<!--  PIT-memory:assignment beta -->", "fact: line 2 holds the mark"),
    ],
)
def test_a_text_that_is_no_fact_is_refused_by_argument_value_and_bound(text: str, why: str):
    with pytest.raises(UsageError) as refused:
        fact_text(text)
    assert why in str(refused.value)


def test_limits_name_argument_value_and_bound():
    assert fact_text("x" * 2000)
    for call, why in (
        (lambda: one_line("x" * 121, "topic", 120), "topic: 121 characters; it may have 120"),
        (lambda: one_line("a\nb", "topic", 120), "topic: 'a\\nb' must be one line"),
        (lambda: question(""), "query: 0 characters; it must have 1 to 1,000"),
        (lambda: question("x" * 1001), "query: 1,001 characters"),
        (lambda: recall_limit(0), "limit: 0; it must be 1 to 20"),
        (lambda: recall_limit(21), "limit: 21; it must be 1 to 20"),
        (lambda: day("soon", "expires"), "expires: 'soon' is no date"),
        (lambda: day("2027-13-01", "expires"), "expires: '2027-13-01' is no date"),
        (lambda: parse_fact_id("../x", "document_id"), "document_id: '../x' is no id"),
    ):
        with pytest.raises(UsageError) as refused:
            call()
        assert why in str(refused.value)


def test_an_id_is_taken_from_a_ref_and_from_a_file_name():
    for given_id in (WINDOW.id, WINDOW.ref, f"{WINDOW.id}.md", WINDOW.id.upper()):
        assert parse_fact_id(given_id, "id") == WINDOW.id


def test_a_fact_holds_until_its_day():
    fact = replace(WINDOW, expires="2027-01-31")
    assert fact.holds("2027-01-30")
    assert not fact.holds("2027-01-31")
    assert not replace(WINDOW, status="retracted").holds("2026-01-01")
    assert not replace(WINDOW, superseded_by="0" * 16).holds("2026-01-01")
