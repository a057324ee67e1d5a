"""The contract on a real Qdrant server: `QDRANT_URL=http://... scripts/test tests/live`."""

import os
from uuid import uuid4

import pytest

from pit_memory.core.indexing.vector_server import ServerOptions, collection_name
from pit_memory.stores.qdrant_points import QdrantPoints, qdrant_client
from pit_memory.stores.qdrant_vectors import QdrantVectors
from tests.contract.vector_store_contract import VectorStoreContract
from tests.vector_builders import DIMENSION

URL = os.environ.get("QDRANT_URL", "")
pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(120),
    pytest.mark.skipif(not URL, reason="QDRANT_URL names no server"),
]


@pytest.mark.parametrize(
    "options", [ServerOptions(), ServerOptions("int8", on_disk=True)], ids=["plain", "int8"]
)
class TestLiveQdrant(VectorStoreContract):
    @pytest.fixture(autouse=True)
    def _collections_of_this_test(self, options):
        self.options = options
        self.prefix = f"pit_memory_test_{uuid4().hex[:8]}"
        self.opened: list[QdrantPoints] = []
        yield
        client = qdrant_client(URL, os.environ.get("QDRANT_API_KEY", ""))(30)
        for points in self.opened:
            client.delete_collection(points.collection)
            points.close()
        client.close()

    def new_vectors(self, store, cache, fingerprint):
        client = qdrant_client(URL, os.environ.get("QDRANT_API_KEY", ""))
        name = collection_name(self.prefix, fingerprint)
        points = QdrantPoints(client, URL, name, fingerprint, DIMENSION, self.options)
        self.opened.append(points)
        return QdrantVectors(
            store,
            cache,
            points,
            fingerprint=fingerprint,
            dimension=DIMENSION,
            namespace="project",
            alias=self.prefix,
        )
