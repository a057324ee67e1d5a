"""Ollama: a model on a server of the person's own, asked through its client library."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pit_memory.errors import EmbedderError, StorageFullError
from pit_memory.workspace.files import make_data_folder, read_bytes, write_atomic
from pit_memory.workspace.outage import Outage

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray
    from ollama import Client

_PREFIXES: Final = {
    "nomic-embed-text": ("search_query: ", "search_document: "),
    "mxbai-embed-large": ("Represent this sentence for searching relevant passages: ", ""),
    "snowflake-arctic-embed": ("Represent this sentence for searching relevant passages: ", ""),
}
"""What models were trained to see before a question and before a document."""
_ENGLISH_MODELS: Final = frozenset({*_PREFIXES, "all-minilm"})
_ENGLISH: Final = frozenset({"en"})
AUTO: Final = "auto"
_QUESTION_SECONDS: Final = 4.0
"""Longer than a model needs that is loaded; an answer by words doesn't wait longer."""
_BATCH_SECONDS: Final = 300.0
"""A model that isn't loaded yet may take a minute, a batch on a busy machine two."""
_BATCH_TEXTS: Final = 32
_MAX_CHARACTERS: Final = 32_000
"""About 8,000 tokens, what these models read at most; the rest of a text is left out."""
_CUTS: Final = 6
"""How often a text that is too long for the model is halved."""
_QUESTIONS_KEPT: Final = 32
_PROBE: Final = "The model can read a plain sentence."
_MAX_CARD_BYTES: Final = 10_000
_MISSING: Final = 404
_TOO_LONG: Final = ("context length", "input length", "too long", "exceeds")


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """Which model, and how it is asked."""

    url: str
    name: str
    keep_alive: str = "30m"
    """How long the server keeps it loaded after a question."""
    query_prefix: str = AUTO
    document_prefix: str = AUTO

    @property
    def prefixes(self) -> tuple[str, str]:
        """What stands before a question and before a document."""
        query, document = _PREFIXES.get(self.name.partition(":")[0], ("", ""))
        return (
            query if self.query_prefix == AUTO else self.query_prefix,
            document if self.document_prefix == AUTO else self.document_prefix,
        )


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a server said of its model; kept, so that searches know it while it is out of reach."""

    digest: str
    """SHA-256 of the model, as the server names it."""
    dimension: int


class OllamaEmbedder:
    """`core.indexing.embedding.Embedder` over HTTP; safe to call from several threads."""

    def __init__(self, model: OllamaModel, cards: Path) -> None:
        """Name the parts; nothing is asked yet.

        Args:
            model: which one.
            cards: folder of what servers said of their models.
        """
        self._model = model
        key = sha256(f"{model.url} {model.name}".encode()).hexdigest()[:16]
        self._card_file = cards / f"{key}.json"
        self._card: ModelCard | None = None
        self._outage = Outage(f"Ollama at {model.url}")
        self._question = lru_cache(_QUESTIONS_KEPT)(self._embed_question)

    @property
    def fingerprint(self) -> str:
        """Identity of everything that shapes a vector. Raises EmbedderError before any contact."""
        card = self._known()
        prefixes = sha256("\0".join(self._model.prefixes).encode()).hexdigest()[:8]
        return f"ollama:{self._model.name}:{card.digest[:16]}:{card.dimension}:{prefixes}"

    @property
    def dimension(self) -> int:
        """Length of a vector. Raises EmbedderError before any contact."""
        return self._known().dimension

    @property
    def languages(self) -> frozenset[str] | None:
        """English for the models that are known to read nothing else; None for others."""
        return _ENGLISH if self._model.name.partition(":")[0] in _ENGLISH_MODELS else None

    def check(self) -> None:
        """Ask the server for its model; where it is out of reach, what it said before will do.

        Raises:
            EmbedderError: the server has no such model, or never was in reach.
        """
        known = self._read_card()
        try:
            digest = self._digest()
            if known is None or known.digest != digest:
                vector = self._embed([_PROBE], self._patient)[0]
                known = ModelCard(digest, len(vector))
                self._write_card(known)
        except EmbedderError:
            if known is None or not self._outage.lasts:
                raise
        self._card = known

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Embed texts; shape (len(texts), dimension), rows of unit length.

        Raises:
            EmbedderError: a blank text, an unusable vector, or the server can't be asked.
        """
        import numpy as np

        _, prefix = self._model.prefixes
        rows = [
            vector
            for begin in range(0, len(texts), _BATCH_TEXTS)
            for vector in self._embed(
                [_readable(prefix, text) for text in texts[begin : begin + _BATCH_TEXTS]],
                self._patient,
            )
        ]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension)

    def embed_query(self, text: str) -> "NDArray[float32]":
        """Embed one question; shape (dimension,), unit length, read-only. Raises likewise."""
        return self._question(text)

    def _embed_question(self, text: str) -> "NDArray[float32]":
        import numpy as np

        prefix, _ = self._model.prefixes
        (row,) = self._embed([_readable(prefix, text)], self._quick)
        vector = np.array(row, dtype=np.float32)
        if vector.shape != (self.dimension,):
            raise EmbedderError(self._another_length(len(vector)))
        vector.flags.writeable = False  # the same array answers the next caller
        return vector

    def close(self) -> None:
        """Close the connections."""
        for name in ("_quick", "_patient"):
            if client := self.__dict__.pop(name, None):
                client.close()

    # ---- asking ------------------------------------------------------------------------------

    @cached_property
    def _quick(self) -> "Client":
        from ollama import Client

        return Client(self._model.url, timeout=_QUESTION_SECONDS)

    @cached_property
    def _patient(self) -> "Client":
        from ollama import Client

        return Client(self._model.url, timeout=_BATCH_SECONDS)

    def _embed(self, texts: list[str], client: "Client") -> list[list[float]]:
        """Vectors of unit length of texts that aren't blank."""
        answer = self._ask(
            lambda: client.embed(
                model=self._model.name,
                input=texts,
                truncate=True,
                keep_alive=self._model.keep_alive,
            ),
            texts,
        )
        if answer is None:  # one of them is too long even so
            if len(texts) > 1:
                return [self._embed([text], client)[0] for text in texts]
            return [self._embed_shortened(texts[0], client)]
        vectors = [self._unit(vector) for vector in answer.embeddings]
        if len(vectors) != len(texts):
            message = (
                f"Ollama at {self._model.url} gave {len(vectors)} vectors for {len(texts)} texts"
            )
            raise EmbedderError(message)
        return vectors

    def _embed_shortened(self, text: str, client: "Client") -> list[float]:
        for _ in range(_CUTS):
            text = text[: len(text) // 2]
            answer = self._ask(
                lambda text=text: client.embed(
                    model=self._model.name, input=[text], keep_alive=self._model.keep_alive
                ),
                [text],
            )
            if answer is not None:
                return self._unit(answer.embeddings[0])
        message = f"{self._model.name} takes not even {len(text)} characters of a text"
        raise EmbedderError(message)

    def _digest(self) -> str:
        wanted = {self._model.name, f"{self._model.name}:latest"}
        listed = self._ask(self._quick.list, [])
        for model in listed.models if listed else ():
            if model.model in wanted and model.digest:
                return str(model.digest)
        raise EmbedderError(self._no_model())

    def _ask(self, call: Any, texts: list[str]) -> Any:  # noqa: ANN401 -- the library's answers
        """Ask the server; None where it says that a text is too long.

        Raises:
            EmbedderError: it can't be reached, has no such model, or refuses.
        """
        import httpx
        from ollama import ResponseError

        if not self._outage.is_asked:
            raise EmbedderError(str(self._outage))
        try:
            answer = call()
        except ResponseError as error:
            if error.status_code == _MISSING:
                raise EmbedderError(self._no_model()) from error
            if texts and any(sign in str(error).lower() for sign in _TOO_LONG):
                return None
            why = str(error).partition("\n")[0]
            message = f"Ollama at {self._model.url} answers {error.status_code}: {why}"
            raise EmbedderError(message) from error
        except (ConnectionError, httpx.HTTPError) as error:
            timed_out = isinstance(error, httpx.TimeoutException)
            self._outage.failed("no answer in time" if timed_out else _first_line(error))
            raise EmbedderError(str(self._outage)) from error
        self._outage.answered()
        return answer

    def _unit(self, vector: Sequence[float]) -> list[float]:
        length = math.sqrt(math.fsum(number * number for number in vector))
        if not math.isfinite(length) or length == 0:
            kind = "zero" if length == 0 else "not finite"
            message = f"{self._model.name} gave a vector that is {kind}; it is not kept"
            raise EmbedderError(message)
        if self._card is not None and len(vector) != self._card.dimension:
            raise EmbedderError(self._another_length(len(vector)))
        return [number / length for number in vector]

    def _no_model(self) -> str:
        name = self._model.name
        return f"Ollama at {self._model.url} has no model {name}: run `ollama pull {name}` there"

    def _another_length(self, length: int) -> str:
        return (
            f"{self._model.name} gives vectors of {length} numbers now, not of "
            f"{self.dimension}: the model was replaced; start pit-memory again"
        )

    # ---- the card ----------------------------------------------------------------------------

    def _known(self) -> ModelCard:
        if self._card is None:
            self.check()
        if self._card is None:
            raise EmbedderError(str(self._outage))
        return self._card

    def _read_card(self) -> ModelCard | None:
        try:
            return ModelCard(**json.loads(read_bytes(self._card_file, _MAX_CARD_BYTES)))
        except (OSError, ValueError, TypeError):
            return None  # the server says it again

    def _write_card(self, card: ModelCard) -> None:
        try:
            make_data_folder(self._card_file.parent)
            write_atomic(self._card_file, json.dumps(asdict(card)).encode())
        except StorageFullError:
            return  # the server is asked again next time


def _readable(prefix: str, text: str) -> str:
    if not text.strip():
        message = "a blank text has no meaning to embed"
        raise EmbedderError(message)
    cut = text[:_MAX_CHARACTERS].encode("utf-8", "replace").decode()
    return prefix + cut


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
