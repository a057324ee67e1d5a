"""The records of a project that imports have made, by the id they have where they came from."""

import codecs
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pit_memory.core.front_matter.scalars import read_scalars
from pit_memory.operations.writing.write import WritableProject

_HEAD_BYTES = 4096
"""Most front matter fits in."""
_SIGNS = 6
"""Bytes of a byte order mark and of what opens front matter."""
UNMAPPED_ID = "source_was"
"""The id that a record has where `incidents.fields` doesn't say which key holds it."""
ID_KEY = "source_key"
"""The key that it says."""
_KEYS = ("source_id", "source_updated", UNMAPPED_ID, ID_KEY)


@dataclass(slots=True)
class ImportedRecord:
    """A record that this import, or an earlier one, has made."""

    path: str
    """Absolute."""
    updated: str
    """When it changed where it came from; empty where nothing tells."""
    source_id: str
    unmapped_id: str = ""
    """As it would be where `incidents.fields` names no key for it; empty where it does not."""
    id_key: str = ""
    """The key that it names."""
    is_new: bool = False
    """Whether this import has added it."""
    before: str | None = None
    """What this import has replaced, by its hash; None where it replaced nothing."""
    after: str = ""
    """What it wrote there last, by its hash."""
    is_current: bool = False
    """Whether the file holds what an import wrote there, and this import has seen so."""

    @property
    def is_replaced(self) -> bool:
        """Whether a file that was there before this import holds something else now."""
        return self.before is not None and self.before != self.after


def imported_records(project: WritableProject, home: Path) -> dict[str, ImportedRecord]:
    """Read who is who from the files: the index may be far behind a large import.

    Args:
        project: where records may have been moved to, as far as its index knows.
        home: folder of records.
    """
    records = {}
    for path, source_id, updated in project.store.catalogue.imported_records(project.own.name):
        moved = Path(project.own.root, path)
        if not moved.is_relative_to(home) and moved.is_file():
            head = {"source_updated": updated, **_imported_head(str(moved)), "source_id": source_id}
            records[source_id] = _record(str(moved), head)
    for file in _files_below(home):
        head = _imported_head(file)
        if "source_id" in head:
            records[head["source_id"]] = _record(file, head)
    return records


def _record(path: str, head: Mapping[str, str]) -> ImportedRecord:
    updated, unmapped = head.get("source_updated", ""), head.get(UNMAPPED_ID, "")
    return ImportedRecord(path, updated, head["source_id"], unmapped, head.get(ID_KEY, ""))


def is_older(updated: str, known: str) -> bool:
    """Whether a time lies before another; no if one of them is unknown."""
    if not updated or not known:
        return False
    try:
        return _moment(updated) < _moment(known)
    except ValueError:
        return updated < known


def _moment(written: str) -> datetime:
    moment = datetime.fromisoformat(written)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _files_below(folder: Path) -> Iterator[str]:
    """Markdown in the order of names, so that of two with one id the same one counts always."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (f"{parent}/{name}" for name in sorted(names) if name.endswith(".md"))


def _imported_head(path: str) -> dict[str, str]:
    try:
        head = _head(path)
    except OSError:
        return {}
    first, *lines = (line.rstrip("\r") for line in head.decode("utf-8-sig", "replace").split("\n"))
    if first != "---" or "---" not in lines:
        return {}
    said = [line for line in lines[: lines.index("---")] if line.startswith(_KEYS)]
    return read_scalars(["---", *said, "---"]).values


def _head(path: str) -> bytes:
    """The front matter of a file and what follows it; nothing of a file without our keys."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        head = os.read(opened, _HEAD_BYTES)
        if head[:_SIGNS].lstrip(codecs.BOM_UTF8).startswith(b"---"):
            while b"\n---" not in head and (more := os.read(opened, len(head))):
                head += more
    finally:
        os.close(opened)
    return head if b"source_id:" in head else b""
