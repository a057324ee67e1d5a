from pit_memory.stores.vectors import LocalVectors
from tests.contract.vector_store_contract import VectorStoreContract
from tests.vector_builders import DIMENSION


class TestLocalVectors(VectorStoreContract):
    def new_vectors(self, store, cache, fingerprint):
        return LocalVectors(store, cache, fingerprint=fingerprint, dimension=DIMENSION)
