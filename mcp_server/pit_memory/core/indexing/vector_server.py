"""How a store's vectors are laid out on a server that searches them: names, options, identities."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal
from uuid import UUID, uuid5

LAYOUT = 1
"""Of points and payload; another one gets collections of its own."""
VECTOR = "text"
"""Name of the vector that stands for a chunk's text."""
_POINTS = UUID("6f1d5b0e-6c0f-4a55-9c2e-4d1f3c0a7b11")
_HASH_DIGITS = 12

Quantization = Literal["none", "int8", "binary"]


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server keeps and searches vectors."""

    quantization: Quantization = "none"
    """`int8` takes a quarter of the memory, `binary` a thirtieth; both are rescored."""
    on_disk: bool = False
    """Full vectors and payload stay on disk: with quantization, memory holds what is ranked."""
    shards: int = 1
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class PointPlace:
    """Where the text of a point stands: the same on every replica, whatever its catalogue's ids."""

    source: str
    path: str
    section: int
    """Ordinal of the section in its document."""
    part: int
    hash: bytes
    """SHA-256 of the text that was embedded."""


def collection_name(prefix: str, fingerprint: str) -> str:
    """The collection of a model's vectors: `<prefix>_v<layout>_<12 hex of its fingerprint>`."""
    digest = sha256(fingerprint.encode()).hexdigest()[:_HASH_DIGITS]
    return f"{prefix}_v{LAYOUT}_{digest}"


def document_key(source: str, path: str) -> str:
    """What a document is called on the server, 32 hex digits."""
    return sha256(f"{source}\0{path}".encode("utf-8", "surrogateescape")).hexdigest()[:32]


def point_id(namespace: str, place: PointPlace) -> str:
    """The id of a point: the same text at the same place has the same one."""
    parts = (namespace, place.source, place.path, place.section, place.part, place.hash.hex())
    text = "\0".join(map(str, parts))
    return str(uuid5(_POINTS, text.encode("utf-8", "surrogateescape").hex()))
