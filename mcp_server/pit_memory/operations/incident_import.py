"""Import incidents of other systems: new files, the same ones never twice, newer ones replaced."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pit_memory.core.front_matter import locate_front_matter
from pit_memory.core.import_mapping import mapping_of
from pit_memory.core.incident_imports import ImportedIncident, imported_incidents
from pit_memory.core.kinds import Form, Kind, written_kind
from pit_memory.core.plurals import counted
from pit_memory.core.progress import Progress
from pit_memory.core.receipts import CommitOutcome
from pit_memory.core.safe_text import safe_line
from pit_memory.core.secrets import find_secrets
from pit_memory.core.writings import Writing
from pit_memory.errors import PathError, PitMemoryError, SourceError, UsageError
from pit_memory.operations.write import WritableProject
from pit_memory.operations.write_places import WritePlace, place_for
from pit_memory.sources.front_matter import read_front_matter
from pit_memory.sources.json_items import json_items, json_lines
from pit_memory.workspace.commits import Changed, commit_files
from pit_memory.workspace.files import (
    MAX_TEXT_BYTES,
    make_folder,
    read_bytes,
    reason,
    resolve_inside,
    write_atomic,
    write_new,
)
from pit_memory.workspace.git import git_dir, toplevel
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import commit_lock

_MARK = "imported: "
"""Line of the front matter: a hash of the rest of the file as the import wrote it."""
_SHOWN = 50
_MOST_NAMES = 1_000
_MOST_COMMITTED = 1_000
"""Files in one commit; more are for a person to look at first."""
_TITLE_CHARACTERS = 120
_MARKDOWN = (".md", ".markdown", ".mdx")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How to import."""

    labels: tuple[str, ...] = ()
    """Only issues with one of these, compared without case; empty: all."""
    dry_run: bool = False
    force: bool = False
    """Replace records that were edited since they were imported."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What became of one record."""

    what: str
    """`added` or `replaced`."""
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A record that was not imported."""

    place: str
    """Line, item or file of the export."""
    why: str


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    """There already, or older than what is there."""
    other_labels: int = 0
    """Not asked for, by their labels."""
    shown: list[ImportedFile] = field(default_factory=list)
    """The first of those added and replaced."""
    refused: list[LeftOut] = field(default_factory=list)
    commit: str = ""
    """What became of the commit, one line; empty where there was nothing to commit."""


@dataclass(slots=True)
class _Known:
    """A record that an earlier import, or this one, has made."""

    path: Path
    updated: str


def import_incidents(
    project: WritableProject,
    source: str,
    standard_input: IO[str],
    options: ImportOptions,
    progress: Progress | None = None,
) -> ImportReport:
    """Import what a folder, a file or standard input holds; the source is only read.

    Args:
        project: where to; the caller has looked at it before, and looks again afterwards.
        source: path, or `-`.
        standard_input: read where the source is `-`.
        options: how.
        progress: told how many records were read, of how many where that is known (else 0).

    Raises:
        SourceError: there is no such source.
        UsageError: a setting of the mapping is wrong.
        StorageFullError: no room; what was written stays, and the same import goes on from there.
    """
    kind, form = written_kind("incident")
    place = place_for(form, "project", project.settings, project.own, project.personal)
    run = _Import(project, kind, form, place, options)
    with ExitStack() as stack:
        items = _items(stack, source, standard_input, project.settings.incidents.fields)
        for number, (where, item) in enumerate(items, start=1):
            run.take(where, item)
            if progress:
                progress(number, 0)
    run.finish(source)
    return run.report


class _Import:
    """One import on its way."""

    def __init__(
        self,
        project: WritableProject,
        kind: Kind,
        form: Form,
        place: WritePlace,
        options: ImportOptions,
    ) -> None:
        self.report = ImportReport()
        self._project = project
        self._kind = kind
        self._form = form
        self._place = place
        self._options = options
        self._labels = {label.casefold() for label in options.labels}
        self._known = dict(_known(project))
        self._created: dict[Path, None] = {}
        self._edited: dict[Path, None] = {}

    def take(self, where: str, item: ImportedIncident | str) -> None:
        """Write one record, or say why not."""
        if isinstance(item, str):
            self._refuse(where, item)
            return
        if self._labels and self._labels.isdisjoint(label.casefold() for label in item.labels):
            self.report.other_labels += 1
            return
        if not item.source_id:
            item = _named_by_content(item)
        try:
            self._write(where, item)
        except (UsageError, SourceError, PathError) as error:
            self._refuse(where, str(error))

    def finish(self, source: str) -> None:
        """Commit what was written, as the settings say."""
        if self._options.dry_run or not (self._created or self._edited):
            return
        self.report.commit = self._commit(source)

    def _refuse(self, where: str, why: str) -> None:
        self.report.refused.append(LeftOut(where, why))

    def _write(self, where: str, item: ImportedIncident) -> None:
        text = self._text(item)
        if secret := next(find_secrets(text), None):
            self._refuse(where, f"it holds a secret ({secret.rule}); take it out of the source")
            return
        known = self._known.get(item.source_id)
        if known is None:
            self._add(item, text)
        else:
            self._replace(where, known, item, text)

    def _text(self, item: ImportedIncident) -> str:
        writing = self._writing(item)
        self._form.check(writing)
        text = self._form.render(writing, "")
        mark = hashlib.sha256(text.encode()).hexdigest()[:8]
        return text.replace("\n---\n", f"\n{_MARK}{mark}\n---\n", 1)

    def _writing(self, item: ImportedIncident) -> Writing:
        updated = {"source_updated": item.updated} if item.updated else {}
        fields = {**item.fields, "source_id": item.source_id, **updated}
        created = ""  # a record without a date happened on some day, and hardly on this one
        return Writing("incident", item.title, item.body, fields, "", created)

    def _add(self, item: ImportedIncident, text: str) -> None:
        identity = self._form.identify(self._writing(item))
        if not identity:
            message = f"title {item.title!r} has no letter or digit to make a file's name of"
            raise UsageError(message)
        path = self._free_path(identity, text)
        self._known[item.source_id] = _Known(path, item.updated)
        self._created[path] = None
        self.report.added += 1
        self._show("added", path, item)

    def _free_path(self, identity: str, text: str) -> Path:
        """Make the file under a name that nothing has."""
        for number in range(1, _MOST_NAMES):
            free = identity if number == 1 else f"{identity}-{number}"
            path = self._place.path_of(self._form.file.format(kind="incident", id=free))
            if self._options.dry_run:
                if not path.exists() and path not in self._created:
                    return path
                continue
            make_folder(path.parent)
            try:
                write_new(path, text.encode())
            except FileExistsError:
                continue
            return path
        message = f"{_MOST_NAMES} files are named {identity} already"
        raise UsageError(message)

    def _replace(self, where: str, known: _Known, item: ImportedIncident, text: str) -> None:
        is_new = known.path in self._created
        there = "" if self._options.dry_run and is_new else _read(known.path)
        older = bool(item.updated and known.updated and item.updated < known.updated)
        if there == text or older:
            self.report.unchanged += 1
            return
        if there and not _is_as_imported(there) and not self._options.force:
            self._refuse(
                where,
                f"{self._shown(known.path)} was edited since it was imported; --force replaces it",
            )
            return
        if not self._options.dry_run:
            write_atomic(known.path, text.encode())
        known.updated = item.updated
        if not is_new:
            self._edited[known.path] = None
        self.report.replaced += 1
        self._show("replaced", known.path, item)

    def _show(self, what: str, path: Path, item: ImportedIncident) -> None:
        if len(self.report.shown) < _SHOWN:
            self.report.shown.append(ImportedFile(what, self._shown(path), item.title))

    def _shown(self, path: Path) -> str:
        return self._place.shown(path)

    def _commit(self, source: str) -> str:
        count = len(self._created) + len(self._edited)
        files = counted(count, "file")
        folder = self._place.folder
        top = toplevel(self._place.root)
        own = git_dir(top) if top else None
        if top is None or own is None:
            return f"written, not committed: {self._project.root} is no git repository"
        policy = self._project.settings.commit_policy(self._kind.name)
        if policy != "each" or count > _MOST_COMMITTED:
            why = f"commit.incident is {policy}" if policy != "each" else "look at them first"
            return f"{files} written, not committed ({why}): git add {folder} && git commit"
        outcome = commit_files(
            top,
            Changed(_relative(top, self._created), edited=_relative(top, self._edited)),
            f"docs: import {files} of incidents from {safe_line(Path(source).name)}",
            FileLock(commit_lock(self._project.where, own.resolve())),
            protected=self._project.settings.commit.protected,
        )
        return _commit_line(outcome, files)


def _relative(top: Path, paths: Iterable[Path]) -> list[str]:
    return [path.relative_to(top.resolve()).as_posix() for path in paths]


def _commit_line(outcome: CommitOutcome, files: str) -> str:
    if outcome.state == "committed":
        return f"{files} committed as {outcome.id}"
    return f"{files} written, not committed: {outcome.reason}"


def _known(project: WritableProject) -> Iterator[tuple[str, _Known]]:
    """Records that an import has made, by their source id."""
    for path, source_id, updated in project.store.catalogue.imported_records(project.own.name):
        yield source_id, _Known(Path(project.own.root, path), updated)


def _is_as_imported(text: str) -> bool:
    """Whether nobody has changed a file since an import wrote it."""
    lines = text.split("\n")
    marks = [line for line in lines[:60] if line.startswith(_MARK)]
    if len(marks) != 1:
        return False
    lines.remove(marks[0])
    mark = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]
    return marks[0] == f"{_MARK}{mark}"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _named_by_content(item: ImportedIncident) -> ImportedIncident:
    """A record without an id is the same where it says the same."""
    said = f"{item.title}\n{item.body}"
    mark = hashlib.sha256(said.encode()).hexdigest()[:16]
    return ImportedIncident(
        f"content:{mark}", item.updated, item.title, item.body, item.fields, item.labels
    )


# Reading the source

_Read = tuple[str, ImportedIncident | str]
"""Where it stands, and the record or why there is none."""


def _items(
    stack: ExitStack, source: str, standard_input: IO[str], fields: tuple[str, ...]
) -> Iterator[_Read]:
    mapping = mapping_of(fields)
    if source == "-":
        return _of_stream(standard_input, "stdin", mapping, is_lines=False)
    path = Path(source).expanduser()
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        message = f"{path} is no file or folder; give what to import, or - for standard input"
        raise SourceError(message)
    if path.suffix.lower() in _MARKDOWN:
        return iter([_of_markdown(path, path.name)])
    stream = stack.enter_context(path.open(encoding="utf-8-sig"))
    is_lines = path.suffix.lower() in {".jsonl", ".ndjson"}
    return _of_stream(stream, path.stem, mapping, is_lines=is_lines)


def _of_stream(
    stream: IO[str], name: str, mapping: Mapping[str, str], *, is_lines: bool
) -> Iterator[_Read]:
    unit = "line" if is_lines else "item"
    items = json_lines(stream) if is_lines else json_items(stream)
    number = 0
    try:
        for number, value, why in items:
            if why:
                yield f"{unit} {number}", why
                continue
            try:
                for record in imported_incidents(value, mapping, name):
                    yield f"{unit} {number}", record
            except UsageError as error:
                yield f"{unit} {number}", str(error)
    except UnicodeDecodeError as error:
        yield f"{unit} {number + 1}", f"not UTF-8 ({error.reason}); what follows can't be read"


def _of_folder(folder: Path) -> Iterator[_Read]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent, name)
            if path.suffix.lower() in _MARKDOWN and not name.startswith((".", "_")):
                yield _of_file_below(folder, path.relative_to(folder).as_posix())


def _of_file_below(folder: Path, name: str) -> _Read:
    try:
        return _of_markdown(resolve_inside(folder, name), name)
    except PathError as error:
        return name, str(error)


def _of_markdown(path: Path, name: str) -> _Read:
    """A postmortem as it is, its front matter kept."""
    try:
        text = read_bytes(path, MAX_TEXT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return name, f"not UTF-8 at byte {error.start}; save it as UTF-8"
    except OSError as error:
        return name, f"it can't be read: {reason(error)}"
    return name, markdown_incident(text, name)


def markdown_incident(text: str, name: str) -> ImportedIncident | str:
    """The record that a postmortem is; its date, where nothing states it, that of its text."""
    lines = text.replace("\r\n", "\n").split("\n")
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
    from pit_memory.core.incident_reading import read_incident
    from pit_memory.core.sections import split

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
