"""Move the client's own notes into push memory and drafts; the notes stay as they are."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from pit_memory.core.push.memory_entries import PREAMBLE
from pit_memory.core.push.migration import Home, Migration, NewFile, homeless_lines, plan_migration
from pit_memory.core.text.decoding import decode
from pit_memory.core.text.secrets import find_secrets
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.errors import SourceError
from pit_memory.operations.writing.site_guard import refuse_published
from pit_memory.workspace.files import make_folder, read_bytes, reason, resolve_inside, write_new
from pit_memory.workspace.memory_files import MOST_BYTES


@dataclass(frozen=True, slots=True)
class MovedLines:
    """Lines of a note, one after the other, and where they are now."""

    source: str
    first: int
    last: int
    target: str
    """The file, as people are told; empty where the lines have no new home."""
    target_first: int
    """0 where the target only says the same."""
    reason: str
    """Why there is no new home; empty where there is one."""


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What became of a folder of notes."""

    written: tuple[str, ...]
    """Files that were made, or would be."""
    already_there: tuple[str, ...]
    """Files that an earlier migration made."""
    left: Mapping[str, str]
    """Files of the folder that were not moved, and why."""
    lines: tuple[MovedLines, ...]
    """Every line that isn't blank, in the order of the notes."""

    @property
    def is_complete(self) -> bool:
        """Whether every line of every note has a new home."""
        return not self.left and all(lines.target for lines in self.lines)


@dataclass(frozen=True, slots=True)
class Homes:
    """The folders that take what is moved."""

    root: Path
    """The project."""
    project: Path
    person: Path

    def folder(self, home: Home) -> Path:
        """The folder of a home."""
        if home == "drafts":
            return self.root / DRAFTS_HOME
        return self.project if home == "project" else self.person

    def shown(self, path: Path) -> str:
        """A path as people are told: within the project relative to it."""
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)


def migrate_memory(folder: Path, homes: Homes, *, dry_run: bool = False) -> MigrationReport:
    """Write every note of a folder to where it belongs by its type.

    Args:
        folder: the client's memory folder; it is only read.
        homes: where notes go.
        dry_run: say what would be done.

    Raises:
        SourceError: the folder can't be read, or two migrations run at once.
        PathError: a home leads out of the project.
        WriteRefusedError: a site would publish the drafts; nothing was written.
        StorageFullError: a file can't be written; those written before stay.
    """
    notes, left = _read_notes(folder)
    for inside in (homes.project, homes.folder("drafts")):
        resolve_inside(homes.root, str(inside.relative_to(homes.root)))
    migration = plan_migration(notes)
    if any(file.home == "drafts" for file in migration.files):
        refuse_published(homes.root, DRAFTS_HOME)
    places = {_key(file): _place(file, homes) for file in migration.files}
    for file in migration.files:
        place = places[_key(file)]
        if place.path and not (place.is_there or dry_run):
            make_folder(place.path.parent)
            try:
                write_new(place.path, file.text.encode())
            except FileExistsError as error:
                message = f"{place.path} was made by another process just now; run it again"
                raise SourceError(message) from error
    shown = [(homes.shown(place.path), place) for place in places.values() if place.path]
    return MigrationReport(
        written=tuple(path for path, place in shown if not place.is_there),
        already_there=tuple(path for path, place in shown if place.is_there),
        left=left,
        lines=tuple(_grouped(_moved_lines(notes, migration, places, homes))),
    )


class _Place(NamedTuple):
    path: Path | None
    """None where the file is not made."""
    is_there: bool = False
    reason: str = ""


class _Line(NamedTuple):
    source: str
    number: int
    target: str
    target_number: int
    reason: str


def _read_notes(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Name to text of every note, and of every other file why it is left."""
    notes, left = {}, {}
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        message = f"can't read {folder}: {reason(error)}; give the client's memory folder"
        raise SourceError(message) from error
    for path in paths:
        if path.suffix != ".md" or not path.is_file():
            left[path.name] = "it is no note: only markdown files are moved"
            continue
        try:
            notes[path.name] = decode(read_bytes(path, MOST_BYTES)).text
        except OSError as error:
            left[path.name] = f"it can't be read: {reason(error)}"
    return notes, left


def _key(file: NewFile) -> tuple[str, str]:
    return file.home, file.name


def _place(file: NewFile, homes: Homes) -> _Place:
    """Where a file goes: where an earlier migration put it, else to a name nothing has."""
    if secret := next(find_secrets(file.text), None):
        line = next((old for old, new in file.lines.items() if new == secret.line), 0)
        return _Place(None, reason=f"{file.source}:{line} holds a secret ({secret.rule})")
    data = file.text.encode()
    path = homes.folder(file.home) / file.name
    number = 1
    while os.path.lexists(path):  # a symlink to nothing has the name, too
        with suppress(OSError):
            if read_bytes(path, len(data)) == data:
                return _Place(path, is_there=True)
        number += 1
        path = path.with_name(f"{file.name.removesuffix('.md')}-{number}.md")
    return _Place(path)


def _moved_lines(
    notes: Mapping[str, str],
    migration: Migration,
    places: Mapping[tuple[str, str], _Place],
    homes: Homes,
) -> Iterator[_Line]:
    copied = {
        (file.source, old): (file, new)
        for file in migration.files
        for old, new in file.lines.items()
    }
    copied |= {(PREAMBLE, said.line): (said.file, 0) for said in migration.said_there}
    homeless = set(homeless_lines(notes, migration))
    for name, text in notes.items():
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            file, new = copied.get((name, number), (None, 0))
            place = places[_key(file)] if file else _Place(None, reason="it was not understood")
            if place.path and (name, number) not in homeless:
                yield _Line(name, number, homes.shown(place.path), new, "")
            else:
                yield _Line(name, number, "", 0, place.reason or "it is lost: a defect, report it")


def _grouped(lines: Iterator[_Line]) -> Iterator[MovedLines]:
    """Lines that moved together as one row."""
    for _, group in groupby(lines, lambda line: (*line[:1], *line[2:3], _shift(line), line.reason)):
        first, *_, last = (rows := list(group))[0], rows[-1]
        yield MovedLines(
            first.source, first.number, last.number, first.target, first.target_number, first.reason
        )


def _shift(line: _Line) -> int:
    return line.target_number - line.number if line.target_number else 0
