"""Qdrant over HTTP: every request and answer by its OpenAPI document, and what can go wrong."""

import pytest

from pit_memory.core.indexing.vector_server import ServerOptions, collection_name
from pit_memory.core.search.legs import SearchFilters
from pit_memory.errors import StoreError
from pit_memory.stores.keyword_filters import FILTER_FIELDS
from pit_memory.stores.qdrant_points import QdrantPoints, qdrant_client
from pit_memory.stores.qdrant_vectors import QdrantVectors
from tests.contract.vector_store_contract import FILTERED, MODEL, embed, found, search
from tests.qdrant_server import FakeQdrant, Interface, running
from tests.shared_material import shared
from tests.vector_builders import DIMENSION, document, put

pytestmark = [
    pytest.mark.timeout(90),
    pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection"),
]


@pytest.fixture(scope="module")
def interface():
    return Interface(shared("qdrant-openapi.json.gz"))


@pytest.fixture
def fake(interface):
    server = FakeQdrant(interface)
    with running(server):
        yield server
    server.engine.close()
    assert server.broken == []


@pytest.fixture
def connect(store, cache):
    """Make the vectors of a server; all connections are closed at the end."""
    opened = []

    def connect(url, api_key="", options=ServerOptions()):  # noqa: B008
        name = collection_name("test", MODEL)
        client = qdrant_client(url, api_key)
        points = QdrantPoints(client, url, name, MODEL, DIMENSION, options)
        opened.append(points)
        return QdrantVectors(
            store,
            cache,
            points,
            fingerprint=MODEL,
            dimension=DIMENSION,
            namespace="project",
            alias="test",
        )

    yield connect
    for points in opened:
        points.close()


@pytest.mark.parametrize(
    "options",
    [
        ServerOptions(),
        ServerOptions("int8", on_disk=True, shards=2, replicas=2),
        ServerOptions("binary"),
    ],
    ids=["plain", "int8", "binary"],
)
def test_a_store_is_filled_filtered_and_changed_by_the_interface(
    fake, connect, store, cache, options
):
    vectors = connect(fake.url, options=options)
    put(store.catalogue, *(document(path, [path], **fields) for path, fields in FILTERED))
    made = embed(cache, *(path for path, _ in FILTERED))

    every_filter = SearchFilters(
        collections=("docs",),
        kinds=("document",),
        statuses=("published",),
        audiences=("team",),
        sources=("",),
        paths=("a.md", "how*/*.md"),
        left_out=("c.md",),
        tags=("ops",),
    )
    assert found(store.catalogue, search(vectors, made["a.md"], every_filter)) == ["a.md"]
    facts = SearchFilters(assignment="customer", audiences=("ai_internal",))
    assert found(store.catalogue, search(vectors, made["d.md"], facts)) == ["d.md"]

    with store.catalogue.write() as writer:
        writer.remove("", ["a.md"])
    assert found(store.catalogue, search(vectors, made["a.md"], every_filter)) == []
    assert fake.engine.get_aliases().aliases[0].alias_name == "test"


def test_every_filter_has_its_payload_index_and_the_tenant_is_the_assignment(fake, connect):
    connect(fake.url).follow()

    assert fake.indexes[collection_name("test", MODEL)] == {
        *("store", "document"),
        *FILTER_FIELDS,
    }


def test_an_index_that_a_kill_left_out_is_made_at_the_next_start(fake, connect):
    connect(fake.url).follow()
    fake.indexes[collection_name("test", MODEL)].discard("tag")

    connect(fake.url).follow()

    assert "tag" in fake.indexes[collection_name("test", MODEL)]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(fake, connect, store, cache, status):
    vectors = connect(fake.url)
    put(store.catalogue, document("a.md", ["one"]))
    made = embed(cache, "one")
    vectors.follow()

    fake.failures = [status]

    assert found(store.catalogue, vectors.search(made["one"], SearchFilters(), 5)) == ["one"]


def test_a_server_that_stays_busy_is_named(fake, connect, cache):
    vectors = connect(fake.url)
    made = embed(cache, "one")
    vectors.follow()
    fake.failures = [503] * 9

    with pytest.raises(StoreError, match=r"Qdrant at http://127.* answers 503"):
        vectors.search(made["one"], SearchFilters(), 5)


def test_a_wrong_key_is_named_with_the_setting(fake, connect, cache):
    fake.key = "right"
    made = embed(cache, "one")

    with pytest.raises(StoreError, match=r"vectors\.api_key"):
        connect(fake.url, "wrong").search(made["one"], SearchFilters(), 5)
    assert list(connect(fake.url, "right").search(made["one"], SearchFilters(), 5).chunks) == []


def test_a_server_that_goes_away_is_named_and_found_again_when_it_is_back(
    fake, connect, store, cache, monkeypatch
):
    put(store.catalogue, document("a.md", ["one"]))
    made = embed(cache, "one")
    vectors = connect(fake.url)
    vectors.follow()

    fake.away = True
    for _ in range(2):
        with pytest.raises(StoreError, match="out of reach"):
            vectors.search(made["one"], SearchFilters(), 5)
    assert vectors.coverage().built == 1  # the search says why; what is there is not forgotten

    monkeypatch.setattr("pit_memory.workspace.outage.AGAIN_SECONDS", 0.0)
    vectors._points._outage.failed("again")
    fake.away = False
    assert found(store.catalogue, vectors.search(made["one"], SearchFilters(), 5)) == ["one"]


def test_a_server_that_was_never_in_reach_leaves_the_search_to_words(connect, store, cache):
    put(store.catalogue, document("a.md", ["one"]))
    vectors = connect("http://127.0.0.1:9")
    made = embed(cache, "one")

    with pytest.raises(StoreError, match="out of reach"):
        vectors.search(made["one"], SearchFilters(), 5)
    assert (vectors.coverage().built, vectors.coverage().total) == (0, 1)


def test_a_server_that_lost_its_collection_is_filled_again(fake, connect, store, cache):
    vectors = connect(fake.url)
    put(store.catalogue, document("a.md", ["one"]))
    made = embed(cache, "one")
    vectors.follow()
    fake.engine.delete_collection(collection_name("test", MODEL))

    with pytest.raises(StoreError, match="has lost the collection"):
        vectors.search(made["one"], SearchFilters(), 5)

    assert found(store.catalogue, search(vectors, made["one"])) == ["one"]
