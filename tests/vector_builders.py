"""Documents, hashes and unit vectors for tests of meaning, in one line each."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pit_memory.core.documents.documents import Chunk, Document, Section
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.rows import KnownFile

DIMENSION = 8
"""Small vectors where the numbers do not matter."""


def text_hash(text: str) -> bytes:
    """The key of a text in the vector cache."""
    return sha256(text.encode()).digest()


def unit_vectors(count: int, dimension: int = DIMENSION, seed: int = 0) -> NDArray[np.float32]:
    """Random unit vectors, always the same for a seed."""
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def document(path: str, texts: Sequence[str], **fields: Any) -> Document:
    """A document of one section and one chunk a text; `fields` replace the others' defaults."""
    sections = tuple(
        Section(
            number, 2, f"H{number}", f"h{number}", (), (f"H{number}",), number + 1, number + 1, ""
        )
        for number in range(len(texts))
    )
    chunks = tuple(
        Chunk(number, 0, number + 1, number + 1, text, text) for number, text in enumerate(texts)
    )
    values: dict[str, Any] = {
        "path": path,
        "title": path,
        "description": "",
        "tags": (),
        "aliases": (),
        "kind": "document",
        "collection": "docs",
        "status": "published",
        "audience": "team",
        "assignment": None,
        "content_hash": sha256("\n".join(texts).encode()).hexdigest(),
        "line_count": len(texts),
        "sections": sections,
        "chunks": chunks,
    }
    return Document(**(values | fields))


def put(catalogue: Catalogue, *documents: Document, source: str = "", mtime_ns: int = 1) -> None:
    """Write documents in one transaction."""
    with catalogue.write() as writer:
        for one in documents:
            file = KnownFile(one.path, 1, mtime_ns, mtime_ns, one.content_hash)
            writer.put_document(source, one, file)
