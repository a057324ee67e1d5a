"""The contract on a real Ollama server: `OLLAMA_URL=http://... scripts/test tests/live`."""

import os

import pytest

from pit_memory.embedders.ollama import OllamaEmbedder, OllamaModel
from tests.contract.embedder_contract import EmbedderContract

URL = os.environ.get("OLLAMA_URL", "")
pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not URL, reason="OLLAMA_URL names no server"),
]


class TestLiveOllama(EmbedderContract):
    @pytest.fixture
    def embedder(self, tmp_path):
        model = OllamaModel(URL, os.environ.get("OLLAMA_MODEL", "nomic-embed-text"))
        made = OllamaEmbedder(model, tmp_path)
        made.check()
        yield made
        made.close()
