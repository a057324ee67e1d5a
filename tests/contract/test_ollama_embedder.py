import pytest

from pit_memory.embedders.ollama import OllamaEmbedder, OllamaModel
from tests.contract.embedder_contract import EmbedderContract
from tests.ollama_server import FakeOllama, running


class TestOllamaEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path):
        with running(FakeOllama()) as fake:
            made = OllamaEmbedder(OllamaModel(fake.url, "nomic-embed-text"), tmp_path)
            made.check()
            yield made
            made.close()
