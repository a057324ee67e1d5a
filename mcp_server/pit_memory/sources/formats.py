"""The formats of documents: one reader a file, one line here."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from pit_memory.core.documents.documents import Document
from pit_memory.core.facts.facts import is_fact_file
from pit_memory.core.source import Dialect
from pit_memory.errors import FactAmongDocumentsError

_READERS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "mdx",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
}
"""Ending of a file's name, in lower case, to the module here that reads it."""

_LARGE = {".pdf": 200_000_000}
"""Formats that are mostly pictures: their files may be so large whatever the limit for text is."""

ENDINGS = tuple(_READERS)
"""Every ending that a reader exists for."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file as it is on disk."""

    path: str
    """POSIX path relative to the source root."""
    data: bytes
    kind: str = "document"
    """A row of core.kinds."""
    collection: str = "docs"
    dialect: Dialect = "markdown"


@dataclass(frozen=True, slots=True)
class Contents:
    """What a reader makes of a file."""

    document: Document
    lines: Sequence[str]
    """What its line numbers count: the file's lines, or those of the text that was found in it."""


class _Reader(Protocol):
    def read(self, raw: RawFile) -> Contents:
        """Take a file apart; whatever is wrong in it becomes a Problem of the document."""


def ending_of(path: str) -> str:
    """The known ending of a path; empty where no reader exists."""
    name = path[-12:].lower()
    return next((ending for ending in ENDINGS if name.endswith(ending)), "")


def most_bytes(path: str, limit: int) -> int:
    """How large a file may be, where the limit for text is `limit` bytes."""
    return max(limit, _LARGE.get(ending_of(path), 0))


def read_contents(raw: RawFile) -> Contents:
    """Take a file of a known format apart.

    Raises:
        DocumentError: it can't be read at all.
        FactAmongDocumentsError: it is a fact: those are told by recall, within their assignment,
            and are no documents wherever their files lie.
    """
    if is_fact_file(raw.data):
        message = "it is a fact of an assignment; only `pit-memory facts` tells facts"
        raise FactAmongDocumentsError(message)
    module = import_module(f"{__package__}.{_READERS[ending_of(raw.path)]}")
    return cast("_Reader", module).read(raw)
