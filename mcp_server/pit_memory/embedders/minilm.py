"""all-MiniLM-L6-v2 in memory: text to unit vector.

The only file that imports onnxruntime and tokenizers.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Self

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from pit_memory.embedders.integer_model import with_integer_arithmetic
from pit_memory.embedders.model_file import DIMENSION, TOKEN_LIMIT
from pit_memory.errors import EmbedderError

VOCABULARY: Final = Path(__file__).parent / "data" / "minilm-vocab.txt"

_WORKERS: Final = min(2, os.cpu_count() or 1)
"""Threads that embed several texts: more would take the machine from its user."""
_CHARACTERS_READ: Final = 100 * TOKEN_LIMIT
"""Characters of a text that are tokenized at all: the longest word that is not `[UNK]` has 100."""
_LONGEST_WORD: Final = 100
_UNKNOWN: Final = "[UNK]"

_RUNTIME_ERRORS: Final = (
    runtime_errors.Fail,
    runtime_errors.EPFail,
    runtime_errors.InvalidArgument,
    runtime_errors.InvalidGraph,
    runtime_errors.InvalidProtobuf,
    runtime_errors.NoModel,
    runtime_errors.NoSuchFile,
    runtime_errors.NotImplemented,
    runtime_errors.RuntimeException,
    MemoryError,
)
"""onnxruntime's exceptions have no common base below Exception."""


class MiniLM:
    """The loaded model: about 60 MB. Safe to call from several threads at once."""

    def __init__(self, session: "onnxruntime.InferenceSession", tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer

    @classmethod
    def load(cls, model: Path) -> Self:
        """Load weights and vocabulary (about 0.2 s).

        Raises:
            EmbedderError: the runtime can't load the file.
        """
        options = onnxruntime.SessionOptions()
        # One thread a run and one text a run: without padding and hand-over between threads a core
        # embeds most; several texts at a time are several runs in threads of the caller, so their
        # priority is the caller's.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors: warnings would go to the terminal
        try:
            session = onnxruntime.InferenceSession(
                with_integer_arithmetic(model.read_bytes()),
                options,
                providers=["CPUExecutionProvider"],
            )
        except (OSError, *_RUNTIME_ERRORS) as error:
            raise EmbedderError(
                f"onnxruntime {onnxruntime.__version__} can't load {model}: {_one_line(error)}"
            ) from error
        return cls(session, make_tokenizer())

    def embed_all(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The unit vectors of texts, shape (len(texts), 384). Raises like `embed`."""
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        with ThreadPoolExecutor(_WORKERS) as workers:
            for row, vector in enumerate(workers.map(self.embed, texts)):
                vectors[row] = vector
        return vectors

    def embed(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a text, shape (384,); its first TOKEN_LIMIT word pieces count.

        Raises:
            EmbedderError: blank text, or the model gave no direction (zero, NaN or infinite).
        """
        if not text.strip():
            raise EmbedderError("blank text has no meaning; leave it out")
        # A lone surrogate can come in with a JSON escape; the tokenizer takes UTF-8 only.
        readable = text[:_CHARACTERS_READ].encode("utf-8", "replace").decode()
        ids = np.array([self._tokenizer.encode(readable).ids], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        try:
            (states,) = self._session.run(["last_hidden_state"], inputs)
        except _RUNTIME_ERRORS as error:
            raise EmbedderError(f"the model failed on a text: {_one_line(error)}") from error
        return unit(np.asarray(states[0].mean(axis=0), dtype=np.float32))


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """A vector's direction; raises EmbedderError where it has none (zero, NaN or infinite)."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        raise EmbedderError(f"the model gave a vector of length {length}, which has no direction")
    return vector / np.float32(length)


def make_tokenizer() -> Tokenizer:
    """The model's own cutting of text: WordPiece over lower-cased, accent-free words."""
    pieces = VOCABULARY.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(
        models.WordPiece(vocabulary, unk_token=_UNKNOWN, max_input_chars_per_word=_LONGEST_WORD)
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    tokenizer.enable_truncation(TOKEN_LIMIT)
    return tokenizer


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
