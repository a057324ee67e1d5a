"""The search over real stores: catalogue, keyword index and files in a folder."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from pit_memory.core.answers.answer_text import answer_text
from pit_memory.core.source import Source
from pit_memory.core.tokens import estimate
from pit_memory.errors import UnknownCollectionError, UsageError
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.searching.search import SearchedStore, SearchRequest, search
from pit_memory.stores.store import Store
from tests.builders import write_files
from tests.operations.searching.searched_project import Project, paths

# Answers


def test_a_question_is_answered_with_the_section_its_lines_and_a_citation(docs: Project):
    answer = docs.ask("how often do we rotate the signing key?")
    hit = answer.hits[0]
    assert re.fullmatch(r"docs/keys\.md#rotation@[0-9a-f]{8}", hit.ref)
    assert hit.breadcrumb == ("Signing keys", "Rotation")
    assert hit.lines == (7, 11)
    assert (9, "Rotate the signing key every quarter with `keyctl rotate --grace 24h`.") in [
        (line.line, line.text) for line in hit.snippet
    ]
    assert hit.band == "strong"
    assert (answer.mode, answer.abstained) == ("keyword", False)


def test_text_before_any_heading_is_cited_by_its_lines(docs: Project):
    [hit] = docs.ask("hippopotamus").hits
    assert re.fullmatch(r"notes/plain\.md:L1@[0-9a-f]{8}", hit.ref)
    assert hit.anchor == ""


@pytest.mark.parametrize(
    ("literal", "path"),
    [
        ("MAX_IDLE_SECONDS", "docs/net.md"),
        ("max_idle", "docs/net.md"),
        ("CONNECTION_RESET", "docs/net.md"),
        ("docker01.lan", "docs/net.md"),
        ("--grace", "docs/keys.md"),
        ("`keyctl rotate`", "docs/keys.md"),
        ("全文検索", "docs/net.md"),
        ("文", "docs/net.md"),
        ("検索", "docs/net.md"),
    ],
)
def test_a_literal_is_found_whole_and_inside_longer_words(docs: Project, literal, path):
    answer = docs.ask(literal)
    assert paths(answer)[:1] == [path]
    assert answer.hits[0].band == "strong" or len(literal) < 3


def test_every_section_that_holds_a_lone_word_is_shown_or_counted(project: Project):
    animals = ["newt", "toad", "carp", "pike", "tench", "bream", "roach", "perch"]
    others = {f"docs/{it}.md": f"# The {it}\n\nA {it} eats zebrafish.\n" for it in animals}
    write_files(project.root, {"docs/fish.md": "# Zebrafish\n\nAll of them.\n", **others})
    project.sync()
    answer = project.ask("zebrafish")
    assert paths(answer)[0] == "docs/fish.md"
    assert len(answer.hits) + answer.more == 1 + len(animals)
    assert {*paths(project.ask("zebrafish", limit=20))} == {"docs/fish.md", *others}


def test_a_section_whose_title_and_heading_are_whole_texts_is_shown(project: Project):
    long = "words " * 10_000
    text = f"---\ntitle: {long}\n---\n# {long}\n\nThe okapi eats 12 kg of leaves.\n"
    write_files(project.root, {"docs/okapi.md": text})
    project.sync()
    [hit] = project.ask("okapi leaves").hits
    assert re.fullmatch(r"docs/okapi\.md:L4-L6@[0-9a-f]{8}", hit.ref)
    assert (6, "The okapi eats 12 kg of leaves.") in [(it.line, it.text) for it in hit.snippet]


def test_a_page_is_found_by_its_front_matter_and_its_file_name(docs: Project):
    assert paths(docs.ask("everything about keys"))[0] == "docs/keys.md"
    assert "notes/plain.md" in paths(docs.ask("plain hippopotamus notes"))


def test_drafts_are_found_and_marked_and_can_be_left_out(docs: Project):
    question = "signing key of the new region"
    assert docs.ask(question).hits[0].status == "draft"
    assert "docs/_drafts/region.md" not in paths(docs.ask(question, include_drafts=False))


@pytest.mark.parametrize(
    ("asked", "only"),
    [
        ({"path": "docs/_drafts"}, {"docs/_drafts/region.md"}),
        ({"path": "docs/k*.md"}, {"docs/keys.md"}),
        ({"path": "docs/keys.md"}, {"docs/keys.md"}),
        ({"tags": ("ops",)}, {"docs/keys.md"}),
        ({"tags": ("ops", "none")}, set()),
        ({"source": "vault"}, set()),
        ({"collection": "incidents"}, set()),
        ({"assignment": "acme"}, set()),
        ({"exclude": ("docs",)}, set()),
    ],
)
def test_filters_narrow_the_answer(docs: Project, asked, only):
    assert set(paths(docs.ask("signing key rotation", **asked))) == only


# Nothing found, and could not look


def test_a_question_about_something_else_finds_nothing_and_names_the_nearest(docs: Project):
    answer = docs.ask("tomorrow's weather in Paris and the quarter final")
    assert answer.abstained
    assert answer.hits == ()
    assert answer.nearest == tuple(ref for ref in answer.nearest if ref.startswith("docs/"))
    assert answer_text(answer).startswith("nothing found")


def test_the_nearest_are_sections_of_what_was_asked_and_no_memory_beside_it(tmp_path: Path):
    pages = write_files(tmp_path / "docs", {"a.md": "# Parsers\n\nThe final parser is slow.\n"})
    rules = {f"rule_{n}.md": f"# Quarter {n}\n\nThe quarter final is on.\n" for n in range(5)}
    own = Source("personal", str(write_files(tmp_path / "memory", rules)), collection="memory")
    with closing(Store.open(tmp_path / "store")) as store:
        sync(store, [Source("", str(pages)), own])
        asked = "tomorrow's weather in Paris before the quarter final of chess"

        def nearest(source: str | None = None, collection: str = "docs") -> list[str]:
            request = SearchRequest(asked, mode="keyword", source=source, collection=collection)
            answer = search([SearchedStore(store)], request)
            assert answer.abstained
            return [ref.partition("#")[0] for ref in answer.nearest]

        assert nearest() == ["a.md"]
        for named in (nearest(source="personal"), nearest(collection="memory")):
            assert [ref.partition("::")[0] for ref in named] == ["personal"] * 3


def test_an_identifier_that_stands_nowhere_is_said_to(docs: Project):
    answer = docs.ask("signing key rotation with KEYCTL_FORCE_NOW")
    assert "nowhere in these documents: KEYCTL_FORCE_NOW" in answer.notes
    assert {hit.band for hit in answer.hits} <= {"weak"}


def test_a_lone_identifier_that_stands_nowhere_finds_nothing(docs: Project):
    answer = docs.ask("KEYCTL_ROTATE_FORCE")
    assert answer.abstained
    assert answer.notes == ("nowhere in these documents: KEYCTL_ROTATE_FORCE",)


def test_a_word_in_another_form_is_no_missing_literal(docs: Project):
    answer = docs.ask("rotating")
    assert paths(answer)
    assert answer.notes == ()


@pytest.mark.parametrize(
    "question",
    [
        "?!.,;/#",
        "🙂",
        "\0",
        "a\0b signing",
        "\ud800",
        "x" * 10_000,
        "signing key " * 1000,
        '"unclosed signing key',
        "NOT x",
        "a AND",
        "a:b",
        "foo:bar",
        "http://example.org/?q=[1]",
        "BENCH-100821",
        "name::part",
        "שלום עולם",
        "مرحبا",
        "ก",
        "--",
        "{{<<",
        "SELECT * FROM chunks; --",
    ],
)
def test_no_question_raises_and_every_answer_can_be_shown(docs: Project, question: str):
    answer = docs.ask(question)
    answer_text(answer).encode()
    assert estimate(answer_text(answer)) <= answer.budget


def test_a_noun_that_stands_nowhere_is_asked_for_as_the_verb_that_it_is_made_of(project: Project):
    laptop = "# Onboarding\n\n## Set up the laptop\n\nAsk for the image.\n"
    write_files(project.root, {"docs/start.md": laptop, "docs/fun.md": "# Fun\n\nLaptop dances.\n"})
    project.sync()
    assert project.ask("laptop setup").hits[0].anchor == "set-up-the-laptop"
    assert project.ask("setup").abstained
    assert project.ask("billing rollback").abstained

    write_files(project.root, {"docs/keys.md": "# Keys\n\n## Setup\n\nWhat a laptop needs.\n"})
    project.sync()
    assert project.ask("laptop setup").hits[0].anchor == "setup"


def test_operators_exclude_nothing(docs: Project):
    assert paths(docs.ask("-rotation NOT signing"))[0] == "docs/keys.md"


def test_a_question_in_a_language_that_no_document_has_is_told_which_to_ask_in(docs: Project):
    answer = docs.ask("Wie lange ist das alte Zeichen noch gültig, und für wen?")
    assert answer.abstained
    assert answer.notes == (
        "the question reads as German, the documents as English: ask in English",
    )


def test_an_empty_store_finds_nothing(tmp_path: Path):
    store = Store.open(tmp_path / "store")
    answer = search([SearchedStore(store)], SearchRequest("Was ist das, und für wen ist es da?"))
    assert answer.abstained
    assert (answer.nearest, answer.notes) == ((), ())
    store.close()


def test_the_look_is_heard_in_the_answer(docs: Project):
    notes = ("docs: the root is on another disk; its index is kept",)
    answer = search([docs.searched], SearchRequest("signing key"), pending_files=3, notes=notes)
    text = answer_text(answer)
    assert "3 files not indexed yet" in text
    assert notes[0] in text


# What is refused


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused(docs: Project, question: str):
    with pytest.raises(UsageError, match="question is empty"):
        docs.ask(question)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"limit": 0}, "limit is 0; it must lie between 1 and 50"),
        ({"limit": 51}, "limit is 51; it must lie between 1 and 50"),
        ({"budget": 49}, "budget is 49; it must lie between 50 and 20,000"),
        ({"path": "docs/["}, r"docs/\["),
    ],
)
def test_a_limit_out_of_its_bounds_is_told_with_value_and_bound(docs: Project, asked, said):
    with pytest.raises(UsageError, match=said):
        docs.ask("signing key", **asked)


def test_an_unknown_collection_is_told_with_the_nearest(docs: Project):
    with pytest.raises(UnknownCollectionError, match="did you mean docs"):
        docs.ask("signing key", collection="doc")


@pytest.mark.parametrize("asked", [{"path": "\udcff"}, {"tags": ("\udcff",)}])
def test_a_filter_that_is_no_text_is_refused_and_harms_no_index(docs: Project, asked):
    with pytest.raises(UsageError, match=r"'\\udcff' holds what is no text; write it in UTF-8"):
        docs.ask("signing key", **asked)
    assert docs.ask("signing key").hits
