"""The search over real stores: catalogue, keyword index and files in a folder."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, get_ident

import pytest

from pit_memory.core import confidence
from pit_memory.core.answer_text import answer_text
from pit_memory.core.answers import SearchAnswer
from pit_memory.core.explanation import explanation_text
from pit_memory.core.legs import SearchFilters, SemanticRankings
from pit_memory.core.source import Source
from pit_memory.core.tokens import estimate
from pit_memory.errors import EmbedderError, UnknownCollectionError, UsageError
from pit_memory.operations.explain import explain
from pit_memory.operations.search import SearchedStore, SearchRequest, search, thinking
from pit_memory.operations.side_thread import SideThread
from pit_memory.operations.sync import sync
from pit_memory.stores.store import Store
from tests.builders import write_files
from tests.index_builders import markdown, put

DOCS = {
    "docs/keys.md": """\
---
tags: [ops, keys]
description: Everything about signing keys
---
# Signing keys

## Rotation

Rotate the signing key every quarter with `keyctl rotate --grace 24h`.
Old tokens stay valid for a day.

## Backup

The vault keeps three encrypted copies of the signing key.
""",
    "docs/net.md": """\
# Networking

## Timeouts

Set `MAX_IDLE_SECONDS` on docker01.lan:8080, or see ERR_CONNECTION_RESET_BY_PEER.

## 文書検索

全文検索の設定を説明します。
""",
    "docs/_drafts/region.md": """\
---
draft: true
---
# Rotation in the new region

The signing key of the new region is rotated by hand.
""",
    "notes/plain.md": "Before any heading there is a hippopotamus.\n",
}


@dataclass
class Project:
    """A folder of documents with its store."""

    root: Path
    store: Store
    searched: SearchedStore

    def sync(self) -> None:
        sync(self.store, [Source("", str(self.root))])

    def ask(self, question: str, **asked: object) -> SearchAnswer:
        request = replace(SearchRequest(question), **asked)  # type: ignore[arg-type]
        return search([self.searched], request)


def project_of(folder: Path, files: Mapping[str, str]) -> Project:
    root = write_files(folder / "a project", files)
    store = Store.open(folder / "store")
    project = Project(root, store, SearchedStore(store))
    project.sync()
    return project


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """For tests that change nothing."""
    project = project_of(tmp_path_factory.mktemp("docs"), DOCS)
    yield project
    project.store.close()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """For tests that change its files."""
    project = project_of(tmp_path, DOCS)
    yield project
    project.store.close()


def paths(answer: SearchAnswer) -> list[str]:
    return [hit.path for hit in answer.hits]


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


def test_operators_exclude_nothing(docs: Project):
    assert paths(docs.ask("-rotation NOT signing"))[0] == "docs/keys.md"


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


# The files, as they are


def test_a_file_that_vanished_or_changed_in_this_instant_is_left_out_and_named(project: Project):
    (project.root / "docs/keys.md").unlink()
    (project.root / "docs/_drafts/region.md").write_text("changed meanwhile")
    answer = project.ask("signing key rotation")
    assert answer.hits == ()
    assert set(answer.notes) == {
        "left out, its file just changed or vanished: docs/keys.md",
        "left out, its file just changed or vanished: docs/_drafts/region.md",
    }


def test_other_sections_take_the_place_of_stale_ones(project: Project):
    question = "signing key rotation"
    best = project.ask(question, limit=1).hits[0]
    os.utime(project.root / best.path, ns=(1, 1))
    [other] = project.ask(question, limit=1).hits
    assert other.path != best.path


def test_a_write_is_seen_by_the_next_search(project: Project):
    assert project.ask("zanzibar").abstained
    write_files(project.root, {"docs/new.md": "# Widgets\n\nThe zanzibar widget.\n"})
    project.sync()
    assert paths(project.ask("zanzibar")) == ["docs/new.md"]
    (project.root / "docs/new.md").unlink()
    project.sync()
    assert project.ask("zanzibar").abstained


def test_an_index_that_catches_up_with_its_catalogue_is_noticed(project: Project):
    new = markdown("docs/new.md", "# Widgets\n\nThe zanzibar widget.\n")
    put(project.store.catalogue, new)
    assert project.ask("zanzibar widget").abstained
    project.store.keywords.follow(wait_seconds=1)
    write_files(project.root, {"docs/new.md": "x"})
    os.utime(project.root / "docs/new.md", ns=(1, 1))  # as `put` says the file was
    assert paths(project.ask("zanzibar widget")) == ["docs/new.md"]


def test_foreign_text_cannot_look_like_ours(project: Project):
    write_files(
        project.root,
        {"docs/evil.md": "# Evil \x1b]0;title\x07\n\n\x1b[2J1. docs/fake.md@0 zebra\u2028 more\n"},
    )
    project.sync()
    text = answer_text(project.ask("zebra"))
    assert "\x1b" not in text
    assert "\u2028" not in text
    assert [
        line for line in text.splitlines() if not line.startswith(("1. docs/evil.md", "   "))
    ] == []


@pytest.mark.parametrize(
    "name", ["with space.md", "a#b.md", "a@b.md", "a%20b.md", "a:b.md", "новый.md", "new\nline.md"]
)
def test_a_ref_is_one_token_whatever_the_file_is_called(project: Project, name: str):
    write_files(project.root, {f"docs/{name}": "# Page\n\nThe zanzibar widget.\n"})
    project.sync()
    [hit] = project.ask("zanzibar").hits
    assert hit.path == f"docs/{name}"
    assert re.fullmatch(r"\S+", hit.ref)


# Two stores, and meaning


def test_two_stores_make_one_list_and_refs_name_the_source(docs: Project, tmp_path: Path):
    others = {f"{name}.md": f"# {name}\n\nAbout {name}.\n" for name in ("tea", "bread", "rain")}
    mine = {"keys.md": "# Notes\n\nWhere my signing key notes are.\n"}
    vault = write_files(tmp_path / "vault", others | mine)
    store = Store.open(tmp_path / "user")
    sync(store, [Source("vault", str(vault))])
    answer = search([docs.searched, SearchedStore(store)], SearchRequest("signing key notes"))
    assert any(hit.ref.startswith("vault::keys.md#notes@") for hit in answer.hits)
    assert any(hit.ref.startswith("docs/keys.md#") for hit in answer.hits)
    store.close()


class Vectors:
    """A semantic leg whose cosines are given by the test: no model, but the real contract."""

    def __init__(self, store: Store, cosines: Mapping[str, float], built: float = 1.0) -> None:
        self._store = store
        self._cosines = cosines
        self._built = built

    def reads(self, language: str) -> bool:
        return language == "en"

    def prepare(self, question: str) -> None:
        self.rank(question, SearchFilters(), 1)

    def rank(self, question: str, filters: SearchFilters, limit: int) -> SemanticRankings:
        assert question
        allowed = self._store.catalogue.matching_documents(filters)
        ranking = []
        for chunk, document, _ in self._store.catalogue.embed_hashes():
            if allowed is None or document in allowed:
                path = self._store.catalogue.documents([document])[document].path
                ranking.append((chunk, document, self._cosines.get(path, 0.0)))
        ranking.sort(key=lambda row: -row[2])
        pages = {document: cosine for _, document, cosine in ranking}
        return SemanticRankings(
            [(chunk, cosine) for chunk, _, cosine in ranking[:limit]], pages, self._built
        )


class Broken:
    """A semantic leg whose model is missing."""

    def reads(self, language: str) -> bool:
        return language == "en"

    def prepare(self, question: str) -> None:
        self.rank(question, SearchFilters(), 1)

    def rank(self, question: str, filters: SearchFilters, limit: int) -> SemanticRankings:
        message = f"the model file is missing ({len(question)}, {limit}, {filters.sources})"
        raise EmbedderError(message)


def test_meaning_finds_what_no_word_names(docs: Project):
    meaning = Vectors(docs.store, {"notes/plain.md": 0.8})
    answer = search([SearchedStore(docs.store, meaning)], SearchRequest("large grey animal"))
    assert answer.mode == "hybrid"
    assert paths(answer)[0] == "notes/plain.md"
    assert answer.hits[0].snippet[0].text == "Before any heading there is a hippopotamus."


@pytest.mark.parametrize(("cosine", "abstained"), [(0.5, False), (0.3, True)])
def test_the_best_of_few_chunks_may_be_less_near(docs: Project, cosine, abstained):
    meaning = Vectors(docs.store, {"notes/plain.md": cosine})
    searched = [SearchedStore(docs.store, meaning)]
    request = SearchRequest("large grey animal")
    assert cosine * confidence.MEANING_WEIGHT < confidence.HYBRID_FLOOR
    assert search(searched, request).abstained is abstained
    assert explain(searched, request).is_answer is not abstained
    assert explain(searched, request).floor == confidence.hybrid_floor(
        docs.store.keywords.chunk_count()
    )


def test_a_question_in_a_language_that_no_document_has_is_told_which_to_ask_in(docs: Project):
    answer = docs.ask("Wie lange ist das alte Zeichen noch gültig, und für wen?")
    assert answer.abstained
    assert answer.notes == (
        "the question reads as German, the documents as English: ask in English",
    )


def test_a_leg_that_cannot_look_is_named_and_the_other_answers(docs: Project):
    answer = search([SearchedStore(docs.store, Broken())], SearchRequest("signing key rotation"))
    assert answer.hits
    assert answer.mode == "keyword"
    assert answer.semantic.state == "degraded"
    assert "by words only: the model file is missing" in answer_text(answer)


class Preparing(Vectors):
    """A leg that tells when a question's vector is made."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, {"docs/keys.md": 0.9})
        self.prepared: list[str] = []
        self.was_prepared = Event()

    def prepare(self, question: str) -> None:
        self.prepared.append(question)
        self.was_prepared.set()


def test_a_questions_vector_is_made_while_the_sources_are_looked_at(docs: Project):
    leg, beside = Preparing(docs.store), SideThread()
    searched = [SearchedStore(docs.store, leg, beside=beside)]
    request = SearchRequest(" signing key\0rotation\n")
    with closing(beside):
        with thinking(searched, request):
            assert leg.was_prepared.wait(timeout=60)
            search(searched, request)
        assert set(leg.prepared) == {"signing key rotation"}


@pytest.mark.parametrize(
    "request_", [SearchRequest("signing key", mode="keyword"), SearchRequest("署名鍵の更新方法")]
)
def test_a_question_that_meaning_is_not_asked_has_no_vector_made(docs: Project, request_):
    leg, beside = Preparing(docs.store), SideThread()
    searched = [SearchedStore(docs.store, leg, beside=beside)]
    with closing(beside):
        with thinking(searched, request_):
            search(searched, request_)
        assert leg.prepared == []


@pytest.mark.parametrize("mode", [None, "keyword", "semantic", "hybrid"])
@pytest.mark.parametrize("leg", ["vectors", "broken"])
def test_a_vector_that_is_made_beside_the_words_answers_the_same(docs: Project, leg, mode):
    meaning = Vectors(docs.store, {"docs/net.md": 0.9}) if leg == "vectors" else Broken()
    beside = SideThread()
    request = SearchRequest("signing key rotation with `keyctl rotate`", mode=mode)
    with closing(beside):
        answer = search([SearchedStore(docs.store, meaning, beside=beside)], request)
    assert answer == search([SearchedStore(docs.store, meaning)], request)


def test_a_search_that_fails_leaves_the_thread_to_the_next(docs: Project):
    beside = SideThread()
    searched = SearchedStore(docs.store, Vectors(docs.store, {}), beside=beside)
    with closing(beside):
        with pytest.raises(UsageError):
            search([searched], SearchRequest("signing key", path="["))
        with beside.doing(get_ident) as result:
            assert result() != get_ident()


def test_a_question_in_a_language_that_the_model_does_not_read_is_answered_by_words(
    project: Project,
):
    german = "# Schlüssel\n\nDer Schlüssel wird jede Nacht gewechselt, ohne dass man etwas tut.\n"
    english = "# Deployments\n\nThe service is rolled out by the pipeline when it is merged.\n"
    write_files(project.root, {"de/keys.md": german, "en/deploy.md": english})
    project.sync()
    searched = SearchedStore(project.store, Vectors(project.store, {"en/deploy.md": 0.9}))
    answer = search([searched], SearchRequest("Wie werden die Schlüsseln gewechselt?"))
    assert paths(answer)[0] == "de/keys.md"
    assert answer.mode == "keyword"
    assert "by words only: the model does not read German" in answer_text(answer)


def test_words_decide_for_a_section_in_a_language_that_the_model_does_not_read(project: Project):
    german = "# Pipeline\n\nDie Pipeline wird jede Nacht gestartet, ohne dass man etwas tut.\n"
    english = "# Deployments\n\nThe service is rolled out by the pipeline when it is merged.\n"
    write_files(project.root, {"de/pipeline.md": german, "en/deploy.md": english})
    project.sync()
    vectors = Vectors(project.store, {"en/deploy.md": 0.9, "de/pipeline.md": 0.1})
    answer = search([SearchedStore(project.store, vectors)], SearchRequest("what is the pipeline"))
    assert answer.mode == "hybrid"
    assert set(paths(answer)) == {"de/pipeline.md", "en/deploy.md"}
    assert "1 German hit ranked by words only" in answer.notes


def test_no_model_is_said_with_its_reason(docs: Project):
    searched = SearchedStore(docs.store, None, "onnxruntime is not installed")
    answer = search([searched], SearchRequest("signing key rotation"))
    assert answer.semantic.state == "degraded"
    assert "by words only: onnxruntime is not installed" in answer_text(answer)


def test_what_is_built_of_meaning_is_said(docs: Project):
    meaning = Vectors(docs.store, {"docs/keys.md": 0.7}, built=0.434)
    answer = search([SearchedStore(docs.store, meaning)], SearchRequest("signing key rotation"))
    assert "meaning: 43 % built" in answer_text(answer)


@pytest.mark.parametrize(
    ("mode", "keyword", "semantic", "said"),
    [
        ("keyword", "ran", "skipped", "keyword"),
        ("semantic", "skipped", "ran", "semantic"),
        ("hybrid", "ran", "ran", "hybrid"),
    ],
)
def test_a_mode_asks_its_legs(docs: Project, mode, keyword, semantic, said):
    meaning = Vectors(docs.store, {"docs/keys.md": 0.9})
    request = SearchRequest("signing key rotation", mode=mode)
    answer = search([SearchedStore(docs.store, meaning)], request)
    assert (answer.keyword.state, answer.semantic.state, answer.mode) == (keyword, semantic, said)
    assert paths(answer)[0] == "docs/keys.md"


def test_filters_hold_in_both_legs(docs: Project):
    meaning = Vectors(docs.store, {"docs/keys.md": 0.9, "docs/net.md": 0.6})
    request = SearchRequest("signing key timeouts", path="docs/net.md")
    answer = search([SearchedStore(docs.store, meaning)], request)
    assert set(paths(answer)) == {"docs/net.md"}


def test_an_empty_store_finds_nothing(tmp_path: Path):
    store = Store.open(tmp_path / "store")
    answer = search([SearchedStore(store)], SearchRequest("Was ist das, und für wen ist es da?"))
    assert answer.abstained
    assert (answer.nearest, answer.notes) == ((), ())
    store.close()


def test_the_look_is_heard_in_the_answer(docs: Project):
    notes: Sequence[str] = ("docs: the root is on another disk; its index is kept",)
    answer = search([docs.searched], SearchRequest("signing key"), pending_files=3, notes=notes)
    text = answer_text(answer)
    assert "3 files not indexed yet" in text
    assert notes[0] in text


def test_a_section_that_was_just_edited_is_not_held_back_by_its_missing_vector(docs: Project):
    class OneWaits(Vectors):
        def rank(self, question: str, filters: SearchFilters, limit: int) -> SemanticRankings:
            ranked = super().rank(question, filters, limit)
            edited = {
                chunk
                for chunk, document, _ in self._store.catalogue.embed_hashes()
                if self._store.catalogue.documents([document])[document].path == "docs/keys.md"
            }
            known = [(chunk, cosine) for chunk, cosine in ranked.chunks if chunk not in edited]
            return SemanticRankings(known, ranked.pages, 0.99, waiting=frozenset(edited))

    meaning = OneWaits(docs.store, {"notes/plain.md": 0.5})
    answer = search([SearchedStore(docs.store, meaning)], SearchRequest("signing key rotation"))
    assert paths(answer)[0] == "docs/keys.md"
    assert answer.hits[0].band == "strong"


# Copies

PAGE = "# Keys\n\nThe signing key is rotated every night.\n\n## Lost keys\n\nAsk the vault.\n"
GERMAN_PAGE = (
    "# Schlüssel\n\nDer Schlüssel wird jede Nacht gewechselt, ohne dass man etwas tut.\n\n"
    "## Verlorene Schlüssel\n\nMan fragt den Tresor, und er ist wieder da.\n"
)


def test_versions_and_translations_of_a_section_are_one_hit(tmp_path: Path):
    copies = {f"v{number}/keys.md": PAGE for number in (1, 2, 3)}
    changed = PAGE.replace("Ask the vault.", "Ask the vault. It has them all.")
    files = {**copies, "v2/keys.md": changed, "v3/de/keys.md": GERMAN_PAGE}
    project = project_of(tmp_path, files)
    answer = project.ask("signing key rotated")
    assert paths(answer) == ["v3/keys.md", "v3/keys.md"]
    assert len({hit.anchor for hit in answer.hits}) == 2
    assert set(answer.hits[0].copies) == {"v1/keys.md", "v2/keys.md"}
    assert "· also v" in answer_text(answer)
    assert paths(project.ask("verlorene Schlüssel"))[0] == "v3/de/keys.md"
    project.store.close()


def test_pages_that_share_a_name_and_not_their_text_are_hits_of_their_own(tmp_path: Path):
    other = PAGE.replace("every night", "every day").replace("Lost", "Stolen")
    project = project_of(tmp_path, {"a/keys.md": PAGE, "b/keys.md": other})
    assert set(paths(project.ask("signing key rotated"))) == {"a/keys.md", "b/keys.md"}
    project.store.close()


def test_front_matter_for_the_sites_search_is_heeded(tmp_path: Path):
    def page(hint: str) -> str:
        return f"---\nsearch:\n  {hint}\n---\n# Keys\n\nThe signing key rotates.\n"

    files = {
        "hidden.md": page("exclude: true"),
        "first.md": page("boost: 2"),
        "last.md": page("boost: 0.5"),
        "plain.md": "# Keys\n\nThe signing key rotates.\n",
    }
    project = project_of(tmp_path, files)
    found = paths(project.ask("signing key rotates"))
    assert found == ["first.md", "plain.md", "last.md"]
    project.store.close()


# Why


def test_an_explanation_tells_what_each_leg_said_and_why_hits_rank_as_they_do(docs: Project):
    stores = [SearchedStore(docs.store, Vectors(docs.store, {"docs/keys.md": 0.7}))]
    request = SearchRequest("signing key rotation", limit=3)
    told = explain(stores, request)
    answer = search(stores, request)
    assert [hit.ref for hit in told.hits][: len(answer.hits)] == [hit.ref for hit in answer.hits]
    best = told.hits[0]
    assert best.words is not None
    assert best.meaning is not None
    assert best.meaning.score == 0.7
    text = explanation_text(told)
    assert "read as English" in text
    assert f"1. {best.ref}" in text
    assert f"rank {best.words.rank} of" in text
    assert f"{best.score:+6.2f}  together" in text


def test_an_explanation_tells_why_nothing_answers(docs: Project):
    told = explain([docs.searched], SearchRequest("medieval falconry in Provence"))
    assert not told.is_answer
    assert "nothing relevant" in explanation_text(told)
    assert not explain([docs.searched], SearchRequest("!!!")).is_answer
