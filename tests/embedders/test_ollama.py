"""The Ollama embedder against a server on loopback that is strict about what it is asked."""

import numpy as np
import pytest

from pit_memory.embedders.ollama import OllamaEmbedder, OllamaModel
from pit_memory.errors import EmbedderError
from tests.ollama_server import DIMENSION, FakeOllama, running


@pytest.fixture
def fake():
    with running(FakeOllama()) as server:
        yield server


@pytest.fixture
def embedder(fake, tmp_path):
    made = OllamaEmbedder(OllamaModel(fake.url, "nomic-embed-text"), tmp_path / "cards")
    made.check()
    fake.asked.clear()
    yield made
    made.close()


def test_questions_and_documents_have_the_prefixes_of_the_model(fake, embedder):
    embedder.embed_query("why?")
    embedder.embed_documents(["because"])

    assert fake.asked[0]["input"] == ["search_query: why?"]
    assert fake.asked[1]["input"] == ["search_document: because"]
    assert {asked["keep_alive"] for asked in fake.asked} == {"30m"}


def test_a_model_without_known_prefixes_has_none_and_settings_win(fake, tmp_path):
    fake.models["own-model:7b"] = "b" * 64
    plain = OllamaEmbedder(OllamaModel(fake.url, "own-model:7b"), tmp_path)
    told = OllamaEmbedder(
        OllamaModel(fake.url, "nomic-embed-text", query_prefix="Q: ", document_prefix=""), tmp_path
    )

    plain.embed_query("why?")
    told.embed_query("why?")
    told.embed_documents(["because"])

    asked = [body["input"] for body in fake.asked if "sentence" not in body["input"][0]]
    assert asked == [["why?"], ["Q: why?"], ["because"]]
    assert plain.fingerprint != told.fingerprint
    plain.close()
    told.close()


def test_many_texts_go_in_batches(fake, embedder):
    vectors = embedder.embed_documents([f"text {number}" for number in range(70)])

    assert vectors.shape == (70, DIMENSION)
    assert [len(asked["input"]) for asked in fake.asked] == [32, 32, 6]


def test_a_model_that_is_missing_is_named_with_the_command_that_gets_it(fake, tmp_path):
    fake.models.clear()
    made = OllamaEmbedder(OllamaModel(fake.url, "nomic-embed-text"), tmp_path)

    with pytest.raises(EmbedderError, match="`ollama pull nomic-embed-text`"):
        made.check()
    made.close()


def test_a_model_that_goes_away_later_is_named_too(fake, embedder):
    fake.models.clear()
    with pytest.raises(EmbedderError, match="`ollama pull nomic-embed-text`"):
        embedder.embed_query("why?")


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        ([0.0] * DIMENSION, "zero"),
        ([float("nan")] * DIMENSION, "not finite"),
        ([1.0] * (DIMENSION - 1), "vectors of 63 numbers now, not of 64"),
    ],
)
def test_a_vector_that_is_no_use_is_refused(fake, embedder, vector, said):
    fake.answers = lambda texts: [vector for _ in texts]

    with pytest.raises(EmbedderError, match=said):
        embedder.embed_documents(["text"])
    with pytest.raises(EmbedderError, match=said):
        embedder.embed_query("why?")


def test_fewer_vectors_than_texts_are_an_error(fake, embedder):
    fake.answers = lambda texts: [[1.0] * DIMENSION] * (len(texts) - 1)
    with pytest.raises(EmbedderError, match="1 vectors for 2 texts"):
        embedder.embed_documents(["one", "two"])


def test_a_text_that_is_too_long_is_shortened_and_the_others_are_not(fake, embedder):
    fake.longest = 100

    vectors = embedder.embed_documents(["short", "long " * 1_000])

    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert ["search_document: short"] in [asked["input"] for asked in fake.asked]


def test_a_server_that_is_out_of_reach_is_not_asked_again_at_once(tmp_path):
    with running(FakeOllama()) as fake:
        made = OllamaEmbedder(OllamaModel(fake.url, "nomic-embed-text"), tmp_path)
        made.check()
        fake.away = True
        for _ in range(2):
            with pytest.raises(EmbedderError, match="out of reach"):
                made.embed_query("why?")
        fake.away = False
        with pytest.raises(EmbedderError, match="out of reach"):
            made.embed_query("why?")
        made.close()


def test_a_model_is_known_while_its_server_is_out_of_reach(tmp_path):
    with running(FakeOllama()) as fake:
        before = OllamaEmbedder(OllamaModel(fake.url, "nomic-embed-text"), tmp_path)
        before.check()
        later = OllamaEmbedder(OllamaModel(fake.url, "nomic-embed-text"), tmp_path)

        fake.away = True
        later.check()

    assert later.fingerprint == before.fingerprint
    assert later.dimension == DIMENSION
    before.close()
    later.close()


def test_a_server_that_was_never_in_reach_is_an_error(tmp_path):
    made = OllamaEmbedder(OllamaModel("http://127.0.0.1:9", "nomic-embed-text"), tmp_path)
    with pytest.raises(EmbedderError, match="out of reach"):
        made.check()
    made.close()


def test_a_model_that_was_pulled_anew_has_another_fingerprint(fake, embedder, tmp_path):
    before = embedder.fingerprint
    fake.models["nomic-embed-text:latest"] = "c" * 64
    fake.dimension = 8

    again = OllamaEmbedder(OllamaModel(fake.url, "nomic-embed-text"), tmp_path / "cards")
    again.check()

    assert again.fingerprint != before
    assert again.dimension == 8
    again.close()


def test_an_error_of_the_server_is_passed_on(fake, embedder):
    fake.status = 503
    fake.answers = lambda texts: [[1.0] * DIMENSION for _ in texts]
    with pytest.raises(EmbedderError, match="answers 503"):
        embedder.embed_query("why?")
