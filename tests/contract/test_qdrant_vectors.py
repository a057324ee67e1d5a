"""The contract on Qdrant's own engine in memory, and what only a shared server can show."""

import numpy as np
import pytest
from qdrant_client import QdrantClient

from pit_memory.core.indexing.vector_server import ServerOptions, collection_name
from pit_memory.core.search.legs import SearchFilters
from pit_memory.errors import StoreError
from pit_memory.stores.qdrant_points import QdrantPoints
from pit_memory.stores.qdrant_vectors import QdrantVectors
from pit_memory.stores.store import Store
from tests.contract.vector_store_contract import (
    MODEL,
    VectorStoreContract,
    embed,
    found,
    search,
)
from tests.vector_builders import DIMENSION, document, put, unit_vectors

pytestmark = [
    pytest.mark.timeout(90),
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect"),
]


@pytest.fixture
def server():
    """The engine that a server runs, in this process."""
    client = QdrantClient(":memory:")
    yield client
    client.close()


def points_on(server, fingerprint=MODEL, dimension=DIMENSION, options=None):
    return QdrantPoints(
        lambda _: server,
        "memory",
        collection_name("test", fingerprint),
        fingerprint,
        dimension,
        options or ServerOptions(),
    )


def vectors_on(server, store, cache, fingerprint=MODEL, namespace="project"):
    return QdrantVectors(
        store,
        cache,
        points_on(server, fingerprint),
        fingerprint=fingerprint,
        dimension=DIMENSION,
        namespace=namespace,
        alias="test",
    )


class TestQdrantVectors(VectorStoreContract):
    @pytest.fixture(autouse=True)
    def _a_server(self, server):
        self.server = server

    def new_vectors(self, store, cache, fingerprint):
        return vectors_on(self.server, store, cache, fingerprint)

    def test_a_search_brings_in_a_few_changes_by_itself(self, catalogue, cache, vectors):
        vectors.follow()
        put(catalogue, document("a.md", ["one"]))
        made = embed(cache, "one")

        assert found(catalogue, vectors.search(made["one"], SearchFilters(), 5)) == ["one"]

    def test_a_search_leaves_much_work_to_the_filler_and_says_so(self, catalogue, cache, vectors):
        put(catalogue, *(document(f"{n}.md", [str(n)]) for n in range(60)))
        made = embed(cache, *map(str, range(60)))

        before = vectors.search(made["7"], SearchFilters(), 5)
        assert (before.chunks, before.built) == ([], 0.0)

        vectors.follow()
        after = vectors.search(made["7"], SearchFilters(), 5)
        assert (found(catalogue, after)[0], after.built) == ("7", 1.0)

    def test_another_replica_finds_and_fills_the_same_points(
        self, tmp_path, catalogue, cache, vectors
    ):
        put(catalogue, document("a.md", ["one"]), document("b.md", ["two"]))
        made = embed(cache, "one", "two")
        vectors.follow()
        other_store = Store.open(tmp_path / "replica")
        try:
            put(other_store.catalogue, document("b.md", ["two"]), document("a.md", ["one"]))
            other = vectors_on(self.server, other_store, cache)
            other.follow()

            assert self.server.count(collection_name("test", MODEL)).count == 2
            assert found(other_store.catalogue, search(other, made["two"]))[0] == "two"
            assert found(catalogue, search(vectors, made["two"]))[0] == "two"
        finally:
            other_store.close()

    def test_a_project_never_sees_the_points_of_another(self, tmp_path, catalogue, cache, vectors):
        put(catalogue, document("a.md", ["ours"]))
        made = embed(cache, "ours", "theirs")
        vectors.follow()
        other_store = Store.open(tmp_path / "other")
        try:
            put(other_store.catalogue, document("a.md", ["theirs"]), document("c.md", ["ours"]))
            other = vectors_on(self.server, other_store, cache, namespace="other")
            search(other, made["ours"])

            assert found(catalogue, search(vectors, made["theirs"])) == ["ours"]
            with other_store.catalogue.write() as writer:
                writer.remove("", ["a.md", "c.md"])
            assert not search(other, made["ours"]).chunks
            assert found(catalogue, search(vectors, made["ours"])) == ["ours"]
        finally:
            other_store.close()

    def test_points_of_documents_that_went_while_nobody_looked_are_taken_out(
        self, store, catalogue, cache, vectors
    ):
        put(catalogue, document("a.md", ["one"]), document("b.md", ["two"]))
        embed(cache, "one", "two")
        vectors.follow()
        with catalogue.write() as writer:
            writer.remove("", ["b.md"])

        vectors_on(self.server, store, cache).follow()  # another process, which knows no names

        assert self.server.count(collection_name("test", MODEL)).count == 1

    def test_a_point_that_is_behind_shows_nothing_to_another_scope(self, catalogue, cache, vectors):
        put(catalogue, document("a.md", ["secret"], assignment="acme"))
        made = embed(cache, "secret")
        vectors.follow()
        collection = collection_name("test", MODEL)
        self.server.set_payload(collection, {"assignment": ["=other"]}, points=_all(self.server))

        found_by_other = vectors.search(made["secret"], SearchFilters(assignment="other"), 5)

        assert list(found_by_other.chunks) == []

    def test_a_server_that_was_emptied_is_filled_again_without_embedding(
        self, catalogue, cache, vectors
    ):
        put(catalogue, document("a.md", ["one"]))
        made = embed(cache, "one")
        vectors.follow()
        self.server.delete_collection(collection_name("test", MODEL))

        with pytest.raises(StoreError):
            vectors.search(made["one"], SearchFilters(), 5)
        fresh = self.new_vectors(vectors._store, cache, MODEL)
        assert found(catalogue, search(fresh, made["one"])) == ["one"]

    def test_the_alias_moves_when_the_new_model_is_complete(self, store, catalogue, cache):
        put(catalogue, document("a.md", ["one", "two"]))
        made = embed(cache, "one", "two")
        older = self.new_vectors(store, cache, MODEL)
        older.follow()
        assert _alias(self.server) == collection_name("test", MODEL)

        embed(cache, "one", fingerprint="model:2")
        newer = self.new_vectors(store, cache, "model:2")
        newer.follow()
        assert _alias(self.server) == collection_name("test", MODEL)
        assert found(catalogue, search(older, made["two"]))[0] == "two", "the old one still serves"

        embed(cache, "two", fingerprint="model:2")
        newer.follow()
        assert _alias(self.server) == collection_name("test", "model:2")

    def test_scores_and_pages_are_those_of_an_exact_scan(self, catalogue, cache, vectors):
        texts = [str(number) for number in range(40)]
        put(catalogue, *(document(f"{n}.md", texts[4 * n : 4 * n + 4]) for n in range(10)))
        made = embed(cache, *texts)
        question = unit_vectors(1, seed=9)[0]

        rankings = search(vectors, question, limit=12)

        rows = catalogue.chunks([chunk for chunk, _ in rankings.chunks])
        for chunk, score in rankings.chunks:
            assert score == pytest.approx(made[rows[chunk].text] @ question, abs=2e-3)
        document_id = rows[rankings.chunks[0][0]].document.id
        mean = sum(made[row.text] for row in catalogue.chunks_of(document_id))
        expected = mean @ question / np.linalg.norm(mean)
        assert rankings.pages[document_id] == pytest.approx(expected, abs=2e-3)


def _all(server):
    return [point.id for point in server.scroll(collection_name("test", MODEL))[0]]


def _alias(server):
    aliases = {it.alias_name: it.collection_name for it in server.get_aliases().aliases}
    return aliases.get("test")


@pytest.mark.parametrize("options", [ServerOptions("int8", on_disk=True), ServerOptions("binary")])
def test_quantized_collections_find_the_same(server, tmp_path, options):
    points = points_on(server, options=options)
    store = Store.open(tmp_path / "store")
    points.born()
    store.close()
    config = server.get_collection(points.collection).config
    assert config.params.vectors["text"].size == DIMENSION


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"vectors_config": {"size": 3, "distance": "Cosine"}}, "no vectors of this model"),
        (
            {
                "vectors_config": {"text": {"size": 3, "distance": "Cosine"}},
                "metadata": {"pit_memory": {"fingerprint": MODEL, "born": "x"}},
            },
            "vectors of 3 numbers",
        ),
    ],
)
def test_a_collection_that_is_not_ours_is_named_and_left_alone(server, config, said):
    from qdrant_client import models

    vectors = config["vectors_config"]
    if "text" in vectors:
        made = {"text": models.VectorParams(**vectors["text"])}
    else:
        made = models.VectorParams(**vectors)
    name = collection_name("test", MODEL)
    server.create_collection(name, made, metadata=config.get("metadata"))

    with pytest.raises(StoreError, match=rf"{said}.*vectors\.prefix"):
        points_on(server).born()
    assert server.count(name).count == 0
