import pytest

from tests.builtin_model import builtin_embedder
from tests.contract.embedder_contract import EmbedderContract


class TestBuiltinEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return builtin_embedder()
