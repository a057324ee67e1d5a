"""The builtin embedder: all-MiniLM-L6-v2 on this machine's processor, loaded when first needed."""

import platform
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from pit_memory.embedders.model_file import (
    DIMENSION,
    MODEL_SHA256,
    REPAIR,
    REWRITING,
    TOKEN_LIMIT,
    WEIGHT_BITS,
    check_model,
    find_model,
)
from pit_memory.errors import EmbedderError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from pit_memory.embedders.minilm import MiniLM

_RUNTIME: Final = ("onnxruntime", "tokenizers")
_LANGUAGES: Final = frozenset(("en",))
_QUESTIONS_KEPT: Final = 32
"""A search asks the same question of each store, and an agent asks again with other filters."""


class BuiltinEmbedder:
    """`core.indexing.embedding.Embedder` on packaged weights; safe to call from several threads."""

    def __init__(self, verdict: Path, model: Path | None = None) -> None:
        """Name the files; nothing is opened before the first text.

        Args:
            verdict: file in the data folder that keeps the outcome of the model's check.
            model: the weights; None for those of the installed package.
        """
        self._verdict = verdict
        self._path = model
        self._model: MiniLM | None = None
        self._loading = Lock()
        self._question = lru_cache(_QUESTIONS_KEPT)(self._embed_question)

    @property
    def fingerprint(self) -> str:
        """Identity of everything that shapes a vector."""
        arithmetic = f"int{WEIGHT_BITS}.{REWRITING}"
        return f"all-MiniLM-L6-v2:{MODEL_SHA256[:16]}:{arithmetic}:{DIMENSION}:{TOKEN_LIMIT}:mean"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return DIMENSION

    @property
    def languages(self) -> frozenset[str]:
        """English alone; other languages are found better by words."""
        return _LANGUAGES

    def check(self) -> None:
        """See whether the model can be used, without loading it. Raises EmbedderError."""
        for package in _RUNTIME:
            if find_spec(package) is None:
                raise _no_runtime(f"No module named {package!r}")
        check_model(self._path or find_model(), self._verdict)

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Embed texts; shape (len(texts), 384), rows of unit length.

        Raises:
            EmbedderError: a blank text, or the model can't run; with reason and remedy.
        """
        return self._loaded().embed_all(texts)

    def embed_query(self, text: str) -> "NDArray[float32]":
        """Embed one question; shape (384,), unit length, read-only. Raises like embed_documents."""
        return self._question(text)

    def _embed_question(self, text: str) -> "NDArray[float32]":
        vector = self._loaded().embed(text)
        vector.flags.writeable = False  # the same array answers the next caller
        return vector

    def _loaded(self) -> "MiniLM":
        with self._loading:
            if self._model is None:
                path = self._path or find_model()
                check_model(path, self._verdict)
                self._model = _load(path)
            return self._model


def _load(path: Path) -> "MiniLM":
    try:
        from pit_memory.embedders.minilm import MiniLM
    except ImportError as error:
        raise _no_runtime(str(error)) from error
    return MiniLM.load(path)


def _no_runtime(why: str) -> EmbedderError:
    return EmbedderError(
        f"onnxruntime or tokenizers can't be imported ({why}) on Python "
        f"{platform.python_version()}, {platform.system()} {platform.machine()}; {REPAIR}"
    )
