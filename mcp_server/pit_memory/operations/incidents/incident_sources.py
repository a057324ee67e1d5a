"""What an import reads: a folder of postmortems, a file, an export, standard input."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pit_memory.core.front_matter.block import locate_front_matter
from pit_memory.core.incidents.import_mapping import mapping_of
from pit_memory.core.incidents.imported_again import export_name
from pit_memory.core.incidents.incident_imports import ImportedIncident, imported_incidents
from pit_memory.core.source import MARKDOWN_ENDINGS
from pit_memory.core.text.decoding import with_lf
from pit_memory.core.text.plurals import counted
from pit_memory.errors import PathError, PitMemoryError, SourceError, UsageError
from pit_memory.sources.csv_items import csv_items
from pit_memory.sources.front_matter import read_front_matter
from pit_memory.sources.json_items import Item, json_items, json_lines
from pit_memory.workspace.files import MAX_TEXT_BYTES, read_bytes, reason, resolve_inside

_TITLE_CHARACTERS = 120
_DIGITS = 2
"""That count of an estimate."""
_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_ACCEPTED = (
    "an import takes a folder of markdown, or a file that ends in .md, .json, .jsonl or .csv "
    "(with a header row); on standard input JSON"
)
_OWN = "among the records of this project already; nothing is to be imported"

ReadItem = tuple[str, ImportedIncident | str]
"""Where it stands, and the record or why there is none."""


@dataclass(frozen=True, slots=True)
class IncidentSource:
    """A source, open to be read."""

    items: Iterator[ReadItem]
    stream: IO[str] | None = None
    """Of an export; None for what is not read from one file."""
    size: int = 0
    """Of the export, in bytes; 0 where nobody knows."""

    def expected(self, number: int) -> int:
        """About how many items there are in all, after so many; 0 where nobody knows.

        Rounded, as a bar whose end moves can't tell how long it takes.
        """
        if self.stream is None or not self.size:
            return 0
        position = os.lseek(self.stream.fileno(), 0, os.SEEK_CUR)
        about = number * self.size // max(1, position)
        return max(number, round(about, _DIGITS - len(str(about))))


@contextmanager
def incident_source(
    source: str,
    standard_input: IO[str],
    fields: tuple[str, ...],
    is_own: Callable[[Path], bool],
) -> Iterator[IncidentSource]:
    """Open what is to be imported; it is only read.

    Args:
        source: path, or `-`.
        standard_input: read where the source is `-`.
        fields: the setting `incidents.fields`.
        is_own: tells of a file whether it is a record of the project as it is.

    Raises:
        SourceError: there is no such source.
        UsageError: a setting of the mapping is wrong.
    """
    mapping = mapping_of(fields)
    if source == "-":
        yield IncidentSource(_of_items(json_items(standard_input), "item", "stdin", mapping))
        return
    path = Path(source).expanduser()
    if path.is_dir():
        yield IncidentSource(_of_folder(path, is_own))
        return
    if not path.is_file():
        message = f"{path} is no file or folder; give what to import, or - for standard input"
        raise SourceError(message)
    if path.suffix.lower() in MARKDOWN_ENDINGS:
        record = (path.name, _OWN) if is_own(path) else _of_markdown(path, path.name)
        yield IncidentSource(iter([record]))
        return
    unit, read = "item", json_items
    if path.suffix.lower() in _LINES:
        unit, read = "line", json_lines
    elif path.suffix.lower() in _TABLES:
        unit, read = "row", csv_items
    with path.open(encoding="utf-8-sig", newline="" if read is csv_items else None) as stream:
        items = _of_items(read(stream), unit, export_name(path.stem), mapping)
        yield IncidentSource(items, stream, path.stat().st_size)


def _of_items(
    items: Iterator[Item], unit: str, name: str, mapping: Mapping[str, str]
) -> Iterator[ReadItem]:
    number = 0
    try:
        for number, value, why in items:
            if why:
                is_another_format = number == 1 and unit == "item"
                yield f"{unit} {number}", f"{why}; {_ACCEPTED}" if is_another_format else why
                continue
            try:
                for record in imported_incidents(value, mapping, name):
                    yield f"{unit} {number}", record
            except UsageError as error:
                yield f"{unit} {number}", str(error)
    except UnicodeDecodeError as error:
        why = f"not UTF-8 ({error.reason}); save it as UTF-8: what follows can't be read"
        yield f"{unit} {number + 1}", why


def _of_folder(folder: Path, is_own: Callable[[Path], bool]) -> Iterator[ReadItem]:
    own = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent, name)
            if path.suffix.lower() not in MARKDOWN_ENDINGS or name.startswith((".", "_")):
                continue
            if is_own(path):
                own += 1
            else:
                yield _of_file_below(folder, path.relative_to(folder).as_posix())
    if own:
        yield counted(own, "file"), _OWN


def _of_file_below(folder: Path, name: str) -> ReadItem:
    try:
        return _of_markdown(resolve_inside(folder, name), name)
    except PathError as error:
        return name, str(error)


def _of_markdown(path: Path, name: str) -> ReadItem:
    """A postmortem as it is, its front matter kept."""
    try:
        text = read_bytes(path, MAX_TEXT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return name, f"not UTF-8 at byte {error.start}; save it as UTF-8"
    except OSError as error:
        return name, f"it can't be read: {reason(error)}"
    return name, _markdown_incident(text, name)


def _markdown_incident(text: str, name: str) -> ImportedIncident | str:
    """The record that a postmortem is; its date, where nothing states it, that of its text."""
    lines = with_lf(text).split("\n")
    block = locate_front_matter(lines)
    fields: dict[str, object] = {}
    if block and block.has_keys:
        front = read_front_matter(block.text, block.format)
        if front.problems:
            return f"line {front.problems[0].line}: {front.problems[0].message}"
        fields = dict(front.values)
        lines = lines[block.line_end :]
    body = "\n".join(lines).strip()
    if not body:
        return "it is empty"
    return _dated(fields, body, text, name)


def _dated(fields: dict[str, object], body: str, text: str, name: str) -> ImportedIncident | str:
    from pit_memory.core.documents.sections import split
    from pit_memory.core.incidents.incident_reading import read_incident

    parsed = split(text)
    title = str(fields.pop("title", "") or parsed.h1 or Path(name).stem)
    try:
        read = read_incident(name, title, fields, parsed)
    except PitMemoryError as error:
        return str(error)
    found = {"date": read.date, "services": list(read.services), "severity": read.severity}
    stated = {key: value for key, value in found.items() if value and key not in fields}
    return ImportedIncident(
        f"file:{name}", "", " ".join(title.split())[:_TITLE_CHARACTERS], body, fields | stated
    )
