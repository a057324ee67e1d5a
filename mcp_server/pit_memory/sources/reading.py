"""Read one file of a source: its document, or why there is none."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pit_memory.core.documents.documents import KEPT_AS_FACT, Document, Problem
from pit_memory.core.facts.facts import FactFileError
from pit_memory.core.push.memory_entries import kind_and_slug
from pit_memory.core.source import Source
from pit_memory.core.text.globs import Globs
from pit_memory.errors import DocumentError, FactAmongDocumentsError
from pit_memory.sources.facts import read_fact
from pit_memory.sources.formats import RawFile, most_bytes, read_contents
from pit_memory.workspace.files import read_file, reason

MEMORY = "memory"
"""The collection of push memory."""
INCIDENTS = "incidents"
"""The collection of incident records."""
_NO_RECORD = re.compile(r"(?:_?index|readme|.*template)\.[a-z]+$|_", re.IGNORECASE)
"""Names of files among the records that are none: pages of the folder, forms to fill in."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file, read and taken apart."""

    document: Document
    size: int
    mtime_ns: int
    ctime_ns: int
    """0 where the stamps can't tell whether it changes again: see `workspace.files.FileRead`."""


def read_source_file(source: Source, path: str) -> ReadFile | Problem | None:
    """Read a file, whatever is in it; None where it vanished meanwhile.

    Args:
        source: where it belongs.
        path: POSIX path below the source's root.
    """
    try:
        read = read_file(Path(source.root, path), most_bytes(path, source.max_file_bytes))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Problem(path, 0, "unreadable", f"the file can't be read: {reason(error)}")
    try:
        document = _document(source, path, read.data)
    except FactFileError as error:
        return Problem(path, 0, "fact", f"it is not taken for a fact: {error}")
    except FactAmongDocumentsError as error:
        return Problem(path, 0, KEPT_AS_FACT, str(error))
    except DocumentError as error:
        return Problem(path, 0, "unreadable", str(error))
    except Exception as error:  # noqa: BLE001 -- a defect met in one file must not hide the others
        return defect(path, f"{type(error).__name__}: {error}")
    return ReadFile(document, read.size, read.mtime_ns, read.ctime_ns)


def _document(source: Source, path: str, data: bytes) -> Document:
    if source.assignment is not None:
        return read_fact(path, data, Path(source.root).name)
    kind, collection = _kind_and_collection(source, path)
    return read_contents(RawFile(path, data, kind, collection, source.dialect)).document


def _kind_and_collection(source: Source, path: str) -> tuple[str, str]:
    """What a file is: its source's say, but for entries of push memory and incident records."""
    folder, _, name = path.rpartition("/")
    if folder == source.entries and (named := kind_and_slug(name)):
        return named[0], MEMORY
    if source.incidents and _is_incident(source.incidents, path):
        return "incident", INCIDENTS
    return source.kind, source.collection


def _is_incident(globs: tuple[str, ...], path: str) -> bool:
    """Whether a path is a record: not the page of a folder, not a template."""
    name = path.rpartition("/")[2]
    return not _NO_RECORD.match(name) and _compiled(globs).match(path)


@cache
def _compiled(globs: tuple[str, ...]) -> Globs:
    return Globs(globs)


def defect(path: str, what: str) -> Problem:
    """The problem of a file that our own code fails on."""
    message = (
        f"the file can't be indexed because of a defect in pit-memory; please report it: {what}"
    )
    return Problem(path, 0, "defect", message)
