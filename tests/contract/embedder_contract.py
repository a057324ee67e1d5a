"""What every embedder keeps to, whatever model is behind it: subclass and give `embedder`."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pit_memory.core.indexing.embedding import Embedder
from pit_memory.errors import EmbedderError

TEXTS = (
    "Upgrades > Pinning\nThe client is pinned because an old call was removed.",
    "Cooking > Soup\nSimmer the onions until they are soft.",
    "x",
    "日本語の文書",
    "```yaml\nkey: value\n```",
)


class EmbedderContract:
    """Subclasses say which embedder; every test here runs on it."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError

    def test_documents_become_one_unit_vector_each_in_their_order(self, embedder):
        vectors = embedder.embed_documents(TEXTS)

        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
        np.testing.assert_allclose(vectors[1], embedder.embed_documents([TEXTS[1]])[0], atol=1e-5)

    def test_no_texts_become_no_vectors(self, embedder):
        assert embedder.embed_documents([]).shape == (0, embedder.dimension)

    def test_a_question_is_a_unit_vector_nearest_to_the_text_that_answers_it(self, embedder):
        question = embedder.embed_query("why did we pin the client library?")

        assert question.shape == (embedder.dimension,)
        assert question.dtype == np.float32
        assert np.linalg.norm(question) == pytest.approx(1.0, abs=1e-5)
        assert np.argmax(embedder.embed_documents(TEXTS) @ question) == 0

    def test_the_same_text_has_the_same_vector_in_every_thread(self, embedder):
        alone = embedder.embed_documents(TEXTS)

        with ThreadPoolExecutor(4) as threads:
            together = list(threads.map(embedder.embed_documents, [TEXTS] * 8))

        assert all(np.array_equal(vectors, alone) for vectors in together)

    @pytest.mark.parametrize("blank", ["", " ", "\n\t \n"])
    def test_blank_text_is_refused_instead_of_getting_a_meaningless_vector(self, embedder, blank):
        with pytest.raises(EmbedderError, match="blank"):
            embedder.embed_documents(["text", blank])
        with pytest.raises(EmbedderError, match="blank"):
            embedder.embed_query(blank)

    @pytest.mark.parametrize(
        "text",
        [
            "word " * 20_000,
            "w" * 100_000,
            "\u200b" * 100_000 + "end",
            "a lone \ud800 surrogate",
            "nul \0 and \x1b[31m escapes",
        ],
        ids=["long prose", "one long word", "invisible", "surrogate", "control characters"],
    )
    def test_odd_and_very_long_texts_have_a_vector_too(self, embedder, text):
        vector = embedder.embed_documents([text])[0]

        assert np.isfinite(vector).all()
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)

    def test_the_fingerprint_names_the_model_and_its_dimension(self, embedder):
        assert str(embedder.dimension) in embedder.fingerprint
        assert embedder.fingerprint == embedder.fingerprint.strip() != ""
