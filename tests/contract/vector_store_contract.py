"""What every place for vectors keeps to: subclass and give `new_vectors`.

A store is followed before it is asked, as whoever fills it does.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pit_memory.core.indexing.vectors import VectorStore
from pit_memory.core.search.legs import SearchFilters, SemanticRankings
from pit_memory.errors import EmbedderError, StoreCorruptError
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache
from tests.vector_builders import DIMENSION, document, put, text_hash, unit_vectors

MODEL = "model:1"
TODAY = 20_000
ALL = SearchFilters()

FILTERED: list[tuple[str, dict[str, Any]]] = [
    ("a.md", {"collection": "docs", "tags": ("ops",)}),
    ("howto/b.md", {"collection": "docs", "status": "draft", "kind": "reference"}),
    ("c.md", {"collection": "incidents", "kind": "incident"}),
    ("d.md", {"collection": "facts", "assignment": "customer", "audience": "ai_internal"}),
    ("e.md", {"collection": "facts", "assignment": "other", "audience": "ai_internal"}),
]


def embed(
    cache: VectorCache, *texts: str, fingerprint: str = MODEL, seed: int = 0
) -> dict[str, NDArray[np.float32]]:
    """Put a vector of each text into the cache and return them by text."""
    made = unit_vectors(len(texts), seed=seed)
    cache.write(fingerprint, [text_hash(text) for text in texts], made, TODAY)
    return dict(zip(texts, made, strict=True))


def search(
    vectors: VectorStore,
    question: NDArray[np.float32],
    filters: SearchFilters = ALL,
    limit: int = 10,
) -> SemanticRankings:
    """Follow, then search."""
    vectors.follow()
    return vectors.search(question, filters, limit)


def found(catalogue: Catalogue, rankings: SemanticRankings) -> Sequence[str]:
    """The texts of a ranking, best first."""
    rows = catalogue.chunks([chunk for chunk, _ in rankings.chunks])
    return [rows[chunk].text for chunk, _ in rankings.chunks]


class VectorStoreContract:
    """Subclasses say which place; every test here runs on it."""

    def new_vectors(self, store: Store, cache: VectorCache, fingerprint: str) -> VectorStore:
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path):
        opened = Store.open(tmp_path / "store")
        yield opened
        opened.close()

    @pytest.fixture
    def catalogue(self, store):
        return store.catalogue

    @pytest.fixture
    def cache(self, tmp_path):
        opened = VectorCache.open(tmp_path / "vectors.sqlite")
        yield opened
        opened.close()

    @pytest.fixture
    def vectors(self, store, cache):
        return self.new_vectors(store, cache, MODEL)

    def test_a_store_without_documents_answers_nothing_and_lacks_nothing(self, vectors):
        rankings = search(vectors, unit_vectors(1)[0])

        assert (list(rankings.chunks), dict(rankings.pages), rankings.built) == ([], {}, 1.0)

    def test_chunks_are_found_by_the_vectors_of_their_texts(self, catalogue, cache, vectors):
        put(catalogue, document("a.md", ["one", "two"]), document("b.md", ["three"]))
        made = embed(cache, "one", "two", "three")

        for text, vector in made.items():
            assert found(catalogue, search(vectors, vector))[0] == text

    def test_a_chunk_is_found_as_soon_as_its_vector_is_in_the_cache(
        self, catalogue, cache, vectors
    ):
        put(catalogue, document("a.md", ["one", "two", "three", "four"]))
        question = unit_vectors(1)[0]
        assert search(vectors, question).built == 0.0

        embed(cache, "one")
        assert found(catalogue, search(vectors, question)) == ["one"]
        assert search(vectors, question).built == 0.25

        embed(cache, "two", "three", "four", "of another store")
        assert len(search(vectors, question).chunks) == 4
        coverage = vectors.coverage()
        assert (coverage.built, coverage.total, coverage.share) == (4, 4, 1.0)

    def test_changed_and_removed_documents_are_found_as_they_are_now(
        self, catalogue, cache, vectors
    ):
        put(catalogue, document("a.md", ["old", "stays"]), document("b.md", ["goes"]))
        embed(cache, "old", "stays", "goes", "new")
        question = unit_vectors(1)[0]
        search(vectors, question)

        put(catalogue, document("a.md", ["new", "stays"]))
        with catalogue.write() as writer:
            writer.remove("", ["b.md"])

        assert sorted(found(catalogue, search(vectors, question))) == ["new", "stays"]
        assert vectors.coverage().total == 2

    def test_another_process_and_this_one_see_the_same(self, store, catalogue, cache, vectors):
        put(catalogue, document("a.md", ["one"]))
        embed(cache, "one", "two")
        other = self.new_vectors(store, cache, MODEL)
        question = unit_vectors(1)[0]
        search(other, question, ALL, 10)

        put(catalogue, document("b.md", ["two"]))

        assert search(other, question, ALL, 10) == search(vectors, question)

    def test_the_same_text_in_two_places_is_two_chunks_of_one_vector(
        self, catalogue, cache, vectors
    ):
        put(catalogue, document("a.md", ["same"]), document("b.md", ["same"]))
        made = embed(cache, "same")

        rankings = search(vectors, made["same"])
        assert [score for _, score in rankings.chunks] == pytest.approx([1.0, 1.0], abs=1e-6)
        assert len(rankings.pages) == 2

    def test_vectors_of_another_model_are_not_searched(self, store, catalogue, cache, vectors):
        put(catalogue, document("a.md", ["one"]))
        embed(cache, "one", fingerprint="model:2")

        assert search(vectors, unit_vectors(1)[0]).built == 0.0
        other = self.new_vectors(store, cache, "model:2")
        assert search(other, unit_vectors(1)[0], ALL, 10).built == 1.0

    @pytest.mark.parametrize(
        ("filters", "paths"),
        [
            (SearchFilters(), ["a.md", "howto/b.md", "c.md"]),
            (SearchFilters(collections=("docs",)), ["a.md", "howto/b.md"]),
            (SearchFilters(kinds=("incident",)), ["c.md"]),
            (SearchFilters(statuses=("draft",)), ["howto/b.md"]),
            (SearchFilters(assignment="customer"), ["d.md"]),
            (SearchFilters(assignment="nobody"), []),
            (SearchFilters(audiences=("ai_internal",), assignment="other"), ["e.md"]),
            (SearchFilters(paths=("howto",)), ["howto/b.md"]),
            (SearchFilters(left_out=("a.md", "c.md")), ["howto/b.md"]),
            (SearchFilters(tags=("OPS",)), ["a.md"]),
            (SearchFilters(sources=("vault",)), []),
        ],
    )
    def test_filters_are_applied_before_the_best_are_taken(
        self, catalogue, cache, vectors, filters, paths
    ):
        put(catalogue, *(document(path, [path], **fields) for path, fields in FILTERED))
        embed(cache, *(path for path, _ in FILTERED))

        question = unit_vectors(1, seed=3)[0]
        # A filter after the best were taken would lose the hit at limit 1.
        assert len(search(vectors, question, filters, 1).chunks) == min(1, len(paths))
        assert sorted(found(catalogue, search(vectors, question, filters, 10))) == sorted(paths)

    def test_a_catalogue_that_was_begun_anew_is_followed_from_its_start(
        self, store, cache, vectors
    ):
        put(store.catalogue, document("a.md", ["old"]), document("b.md", ["old too"]))
        embed(cache, "old", "old too", "new")
        question = unit_vectors(1)[0]
        assert len(search(vectors, question).chunks) == 2

        store.begin_anew(StoreCorruptError("is damaged", store.catalogue.path))
        put(store.catalogue, document("a.md", ["new"]))

        assert found(store.catalogue, search(vectors, question)) == ["new"]
        assert vectors.coverage().total == 1

    def test_the_time_left_comes_from_the_rate_measured_on_this_machine(
        self, catalogue, cache, vectors
    ):
        put(catalogue, document("a.md", [str(number) for number in range(60)]))
        embed(cache, "0")
        vectors.follow()
        assert vectors.coverage().line() == "meaning: 1 % built"

        cache.set_rate(MODEL, 0.25)

        assert vectors.coverage().seconds_left == pytest.approx(59 * 4)
        assert search(vectors, unit_vectors(1)[0], ALL, 1).seconds_left == pytest.approx(59 * 4)
        assert vectors.coverage().line() == "meaning: 1 % built, about 4 min to go"

    def test_a_document_that_changes_scope_leaves_the_old_one_at_once(
        self, catalogue, cache, vectors
    ):
        put(catalogue, document("a.md", ["secret"], assignment="customer"))
        made = embed(cache, "secret")
        assert search(vectors, made["secret"], SearchFilters(assignment="customer"), 5).chunks

        put(catalogue, document("a.md", ["secret"], assignment="other"))

        assert not search(vectors, made["secret"], SearchFilters(assignment="customer"), 5).chunks
        assert search(vectors, made["secret"], SearchFilters(assignment="other"), 5).chunks

    def test_a_question_of_another_length_is_refused(self, vectors):
        with pytest.raises(EmbedderError, match="another model"):
            vectors.search(unit_vectors(1, dimension=DIMENSION + 1)[0], ALL, 10)
