"""The search by both legs, and why hits rank as they do."""

import threading
from contextlib import closing
from threading import Event, get_ident

import pytest

from pit_memory.core.answers import confidence
from pit_memory.core.answers.answer_text import answer_text
from pit_memory.core.answers.explanation import explanation_text
from pit_memory.core.search.legs import SearchFilters, SemanticRankings
from pit_memory.errors import UsageError
from pit_memory.operations.searching.explain import explain
from pit_memory.operations.searching.search import SearchedStore, SearchRequest, search, thinking
from pit_memory.stores.store import Store
from pit_memory.wiring import open_services
from pit_memory.workspace.side_thread import SideThread
from tests.builders import write_files
from tests.builtin_model import builtin_embedder
from tests.operations.searching.searched_project import DOCS, Broken, Project, Vectors, paths


def test_meaning_finds_what_no_word_names(docs: Project):
    meaning = Vectors(docs.store, {"notes/plain.md": 0.8})
    answer = search([SearchedStore(docs.store, meaning)], SearchRequest("large grey animal"))
    assert answer.mode == "hybrid"
    assert paths(answer)[0] == "notes/plain.md"
    assert answer.hits[0].snippet[0].text == "Before any heading there is a hippopotamus."


@pytest.mark.parametrize("asked", ["Backup", "the backup", "Signing keys", "Timeouts"])
def test_a_section_that_is_called_as_the_question_is_no_weak_hit(docs: Project, asked: str):
    meaning = Vectors(docs.store, dict.fromkeys(DOCS, 0.2))  # a name says little to a model
    answer = search([SearchedStore(docs.store, meaning)], SearchRequest(asked))
    best = answer.hits[0]
    assert best.breadcrumb[-1].casefold() == asked.casefold().removeprefix("the ")
    assert best.band == "strong"


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


class BroughtUp(Preparing):
    """A leg whose question's vector takes as long as bringing in what changed."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.was_brought_up = Event()

    def prepare(self, question: str) -> None:
        assert self.was_brought_up.wait(timeout=60)
        super().prepare(question)

    def bring_up(self) -> None:
        self.was_brought_up.set()


def test_vectors_are_brought_up_while_the_questions_one_is_made(docs: Project):
    leg, beside = BroughtUp(docs.store), SideThread()
    with closing(beside):
        search([SearchedStore(docs.store, leg, beside=beside)], SearchRequest("signing key"))
    assert leg.prepared == ["signing key"]


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


@pytest.mark.parametrize("shared", [False, True], ids=["one", "many"])
def test_searches_of_one_reader_have_a_second_thread_those_of_many_have_none(tmp_path, shared):
    builtin_embedder()  # or the test is skipped
    project = write_files(tmp_path / "project", DOCS)
    with open_services(project, background="none", shared=shared) as services:
        services.search(SearchRequest("how is the signing key rotated?"))
        assert ("beside_0" in {thread.name for thread in threading.enumerate()}) is not shared
    assert "beside_0" not in {thread.name for thread in threading.enumerate()}
