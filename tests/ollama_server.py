"""A server that speaks Ollama's API on loopback, strict about what it is asked; no model in it."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from tests.loopback import serving

DIMENSION = 64
EMBED_KEYS = {"model", "input", "truncate", "keep_alive", "options", "dimensions"}


class FakeOllama:
    """What the server has, and what goes wrong with it; tests change it while it runs."""

    def __init__(self) -> None:
        self.models = {"nomic-embed-text:latest": "a" * 64}
        self.dimension = DIMENSION
        self.longest = 100_000
        """Characters of a text that the model takes."""
        self.answers: Any = None
        """A function of the texts that gives the vectors; None for a vector of their words."""
        self.status: int | None = None
        self.away = False
        """Nothing answers at its address."""
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def listed(self) -> dict[str, Any]:
        models = [
            {"model": name, "name": name, "digest": digest, "size": 1}
            for name, digest in self.models.items()
        ]
        return {"models": models}

    def embed(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        assert EMBED_KEYS >= body.keys() >= {"model", "input"}, body.keys()
        assert isinstance(body["input"], list)
        assert all(isinstance(text, str) and text.strip() for text in body["input"])
        self.asked.append(body)
        name = body["model"] if ":" in body["model"] else body["model"] + ":latest"
        if name not in self.models:
            said = f'model "{body["model"]}" not found, try pulling it first'
            return 404, {"error": said}
        if any(len(text) > self.longest for text in body["input"]):
            return 500, {"error": "the input length exceeds the context length"}
        make = self.answers or (lambda texts: [words_vector(it, self.dimension) for it in texts])
        return 200, {"model": name, "embeddings": make(body["input"])}


def words_vector(text: str, dimension: int = DIMENSION) -> list[float]:
    """A vector that is nearer to texts with the same words; not of unit length."""
    total = np.full(dimension, 1e-3)
    for word in text.lower().split():
        if word.endswith(":"):
            continue  # a prefix
        seed = int.from_bytes(hashlib.sha256(word[:3].encode()).digest()[:4], "big")
        total += np.random.default_rng(seed).standard_normal(dimension)
    numbers: list[float] = (3 * total).tolist()
    return numbers


@contextmanager
def running(fake: FakeOllama) -> Iterator[FakeOllama]:
    """The server, from here to the end of the block."""

    def answer(method: str, path: str, _: Mapping[str, str], body: Any) -> tuple[int, Any] | None:
        if fake.away:
            return None
        if (method, path) == ("get", "/api/tags"):
            status, value = 200, fake.listed()
        else:
            assert (method, path) == ("post", "/api/embed")
            status, value = fake.embed(body)
        return fake.status or status, value

    with serving(answer) as fake.url:
        yield fake
