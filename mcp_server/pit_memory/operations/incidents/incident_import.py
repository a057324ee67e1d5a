"""Import incidents of other systems: new files, the same ones never twice, newer ones replaced."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO

from pit_memory.core.incidents.import_marks import OWN_KEYS, is_as_imported, marked
from pit_memory.core.incidents.imported_again import is_another_incident, own_id
from pit_memory.core.incidents.incident_imports import ImportedIncident
from pit_memory.core.kinds import Form, written_kind
from pit_memory.core.progress import Progress
from pit_memory.core.text.globs import Globs
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_line
from pit_memory.core.text.secrets import find_secrets
from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.core.writing.writings import Writing
from pit_memory.errors import PathError, SourceError, StoreBusyError, UsageError
from pit_memory.operations.incidents.imported_records import (
    ID_KEY,
    UNMAPPED_ID,
    ImportedRecord,
    imported_records,
    is_older,
)
from pit_memory.operations.incidents.incident_sources import incident_source
from pit_memory.operations.writing.write import WritableProject
from pit_memory.operations.writing.write_places import WritePlace, place_for
from pit_memory.workspace.files import make_folder, settle_files, write_atomic, write_new
from pit_memory.workspace.large_commits import commit_large
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import commit_lock, import_lock
from pit_memory.workspace.work_trees import work_tree_of

_KIND = "incident"
_SHOWN = 50
_TOLD_EVERY = 50
"""Records between two words about progress."""
_WAIT_SECONDS = 10.0
"""For another import into the same project."""


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
    """There already, or older than what is there, or than another of the same id."""
    other_labels: int = 0
    """Not asked for, by their labels."""
    shown: list[ImportedFile] = field(default_factory=list)
    """The first of those added and replaced."""
    refused: list[LeftOut] = field(default_factory=list)
    unread: dict[str, int] = field(default_factory=dict)
    """Keys of the export that no field of a record took, dotted, to the records that have them;
    those of most records first."""
    commit: str = ""
    """What became of the commit, one line; empty where there was nothing to commit."""
    outcome: CommitOutcome | None = None
    """The same as a value; None where no commit was tried."""
    is_indexed: bool = True
    """False while so many are indexed in the background."""


def import_incidents(
    project: WritableProject,
    source: str,
    standard_input: IO[str],
    options: ImportOptions,
    progress: Progress | None = None,
) -> ImportReport:
    """Import what a folder, a file or standard input holds; the source is only read.

    What a killed import has written the same import again finds, goes on from and commits.

    Args:
        project: where to; the caller looks at it afterwards.
        source: path, or `-`.
        standard_input: read where the source is `-`.
        options: how.
        progress: told how many records were read, of about how many (0 where nobody knows).

    Raises:
        SourceError: there is no such source.
        UsageError: a setting of the mapping is wrong.
        StorageFullError: no room; what was written stays, and the same import goes on from there.
        StoreBusyError: another import into this project is at work.
    """
    lock = FileLock(import_lock(project.where, project.root), timeout=_WAIT_SECONDS)
    fields = project.settings.incidents.fields
    is_own = partial(_is_own_record, Path(project.own.root), Globs(project.own.incidents))
    with incident_source(source, standard_input, fields, is_own) as opened, _alone(lock):
        run = _Import(project, options)
        number = 0
        for number, (where, item) in enumerate(opened.items, start=1):
            run.take(where, item)
            if progress and number % _TOLD_EVERY == 0:
                progress(number, opened.expected(number))
        if progress:
            progress(number, number)
        return run.finish(source)


def _is_own_record(root: Path, records: Globs, file: Path) -> bool:
    """Tell whether a file is a record of the project where it lies."""
    real = file.resolve()
    return real.is_relative_to(root) and records.match(real.relative_to(root).as_posix())


@contextmanager
def _alone(lock: FileLock) -> Iterator[None]:
    """Keep other imports into the project out: two would give one record two files."""
    try:
        lock.acquire(lock.timeout)
    except StoreBusyError as error:
        message = "another import into this project is at work; try again when it has ended"
        raise StoreBusyError(message) from error
    try:
        yield
    finally:
        lock.release()


class _Import:
    """One import on its way."""

    def __init__(self, project: WritableProject, options: ImportOptions) -> None:
        _, form = written_kind(_KIND)
        self._report = ImportReport()
        self._project = project
        self._form = form
        self._place = place_for(form, "project", project.settings, project.own, project.personal)
        self._options = options
        self._labels = {label.casefold() for label in options.labels}
        self._home = self._place.path_of("")
        self._records = imported_records(project, self._home)
        self._by_unmapped_id = {
            record.unmapped_id: record for record in self._records.values() if record.unmapped_id
        }
        self._unread: Counter[str] = Counter()
        self._names = _Names(self._place, self._home, form, is_dry=options.dry_run)
        self._first: list[tuple[ImportedRecord, str]] = []
        """The first records that were written, and their titles."""
        self._taken = 0

    def take(self, where: str, item: ImportedIncident | str) -> None:
        """Write one record, or say why not."""
        if isinstance(item, str):
            self._refuse(where, item)
            return
        if self._labels and self._labels.isdisjoint(label.casefold() for label in item.labels):
            self._report.other_labels += 1
            return
        self._unread.update(item.unread)
        item = replace(
            item, source_id=_one_line(item.source_id), unmapped_id=_one_line(item.unmapped_id)
        )
        try:
            self._write(where, item)
        except (UsageError, SourceError, PathError) as error:
            self._refuse(where, str(error))

    def finish(self, source: str) -> ImportReport:
        """Commit what was written, as the settings say, and tell what was done."""
        report = self._report
        records = self._records.values()
        report.unread = dict(self._unread.most_common())
        report.added = sum(record.is_new for record in records)
        report.replaced = sum(record.is_replaced for record in records)
        report.unchanged = self._taken - report.added - report.replaced
        report.shown = [
            ImportedFile("added" if record.is_new else "replaced", self._shown(record.path), title)
            for record, title in self._first
            if record.is_new or record.is_replaced
        ]
        if not self._options.dry_run:
            written = report.added + report.replaced
            if written:
                settle_files()
            report.commit = self._commit(source, written)
        return report

    def _refuse(self, where: str, why: str) -> None:
        self._report.refused.append(LeftOut(where, why))

    def _write(self, where: str, item: ImportedIncident, *, is_apart: bool = False) -> None:
        writing = _writing(item)
        self._form.check(writing)
        whole = self._form.render(writing, "").encode("utf-8", "replace")  # JSON has half signs
        text = marked(whole.decode())
        if secret := next(find_secrets(text), None):
            self._refuse(where, f"it holds a secret ({secret.rule}); take it out of the source")
            return
        record = self._records.get(item.source_id)
        if record is None and not is_apart:
            record = self._known_otherwise(item, text)
        if record and not is_apart and self._is_of_another(record, text):
            self._write(
                where,
                replace(item, source_id=own_id(item.source_id, item.title)),
                is_apart=True,
            )
        elif record is None:
            self._add(item, writing, text)
        else:
            self._replace(where, record, item, text)

    def _known_otherwise(self, item: ImportedIncident, text: str) -> ImportedRecord | None:
        """The record as it was called while `incidents.fields` named another key for its id.

        One that this import has met is another incident's.
        """
        same_key = self._by_unmapped_id.get(item.unmapped_id or item.source_id)
        record = self._records.get(item.unmapped_id) or same_key
        if record is None or record.is_current or record.is_new:
            return None
        if record.id_key and record.id_key == item.id_key:
            return None  # two ids of one key are two incidents, though they say the same
        if is_another_incident(_read(record.path), text):
            return None
        del self._records[record.source_id]
        record.source_id, record.unmapped_id = item.source_id, item.unmapped_id
        record.id_key = item.id_key
        self._records[record.source_id] = record
        return record

    def _is_of_another(self, record: ImportedRecord, text: str) -> bool:
        """Whether a record that an import wrote, and nobody changed, tells of another incident."""
        there = _read(record.path)
        return there != text and is_as_imported(there) and is_another_incident(there, text)

    def _add(self, item: ImportedIncident, writing: Writing, text: str) -> None:
        path = self._names.make(writing, text)
        names = item.source_id, item.unmapped_id, item.id_key
        record = ImportedRecord(path, item.updated, *names, is_new=True, is_current=True)
        self._records[item.source_id] = record
        self._taken += 1
        self._show(record, item)

    def _replace(
        self, where: str, record: ImportedRecord, item: ImportedIncident, text: str
    ) -> None:
        is_unwritten = self._options.dry_run and (record.is_new or record.before is not None)
        there = "" if is_unwritten else _read(record.path)
        if there == text:
            record.is_current = True
        elif not is_older(item.updated, record.updated):
            if there and not is_as_imported(there) and not self._options.force:
                why = "was edited since it was imported; --force replaces it"
                self._refuse(where, f"{self._shown(record.path)} {why}")
                return
            self._overwrite(record, item, there, text)
        self._taken += 1

    def _overwrite(
        self, record: ImportedRecord, item: ImportedIncident, there: str, text: str
    ) -> None:
        if not self._options.dry_run:
            write_atomic(Path(record.path), text.encode())
        record.updated = item.updated
        record.is_current = True
        if record.is_new:
            return
        if record.before is None:
            record.before = _hash_of(there)
            self._show(record, item)
        record.after = _hash_of(text)

    def _show(self, record: ImportedRecord, item: ImportedIncident) -> None:
        if len(self._first) < _SHOWN:
            self._first.append((record, item.title))

    def _shown(self, path: str) -> str:
        return self._place.shown(Path(path))

    def _commit(self, source: str, written: int) -> str:
        tree = work_tree_of(self._place.root)
        policy = self._project.settings.commit_policy(_KIND)
        if tree is None:
            reason = f"{self._project.root} is no git repository"
            return f"written, not committed: {reason}" if written else ""
        if policy != "each":
            command = f"git add {self._place.folder} && git commit"
            why = f"written, not committed (commit.{_KIND} is {policy}): {command}"
            return f"{counted(written, 'file')} {why}" if written else ""
        name = "standard input" if source == "-" else safe_line(Path(source).name)
        count, outcome = commit_large(
            tree.top,
            _relative(tree.top, (it.path for it in self._records.values() if it.is_current)),
            lambda count: f"docs: import {counted(count, 'file')} of incidents from {name}",
            FileLock(commit_lock(self._project.where, tree.git_dir)),
            protected=self._project.settings.commit.protected,
        )
        if not count:
            return ""
        self._report.outcome = outcome
        return _commit_line(outcome, counted(count, "file"))


class _Names:
    """The names of new records."""

    def __init__(self, place: WritePlace, home: Path, form: Form, *, is_dry: bool) -> None:
        self._place = place
        self._home = home
        self._form = form
        self._is_dry = is_dry
        self._last: dict[str, int] = {}
        """By name of which there is more than one, the number of the last."""
        self._promised: set[str] = set()
        """Paths that a dry run would make."""

    def make(self, writing: Writing, text: str) -> str:
        """Make the file of a record under a name that nothing has; return its path."""
        identity = self._form.identify(writing)
        if not identity:
            message = f"title {writing.title!r} has no letter or digit to make a file's name of"
            raise UsageError(message)
        while True:
            number = self._last.get(identity, 0) + 1
            free = identity if number == 1 else f"{identity}-{number}"
            name = self._form.file.format(kind=_KIND, id=free)
            path = self._home / name
            if path.is_symlink():  # what it leads to is none of ours
                path = self._place.path_of(name)
            named = str(path)
            if self._make(path, named, text):
                return named
            self._last[identity] = number

    def _make(self, path: Path, named: str, text: str) -> bool:
        if self._is_dry:
            is_free = named not in self._promised and not path.exists()
            self._promised.add(named)
            return is_free
        make_folder(path.parent)
        try:
            write_new(path, text.encode(), settle=False)
        except FileExistsError:
            return False
        return True


def _writing(item: ImportedIncident) -> Writing:
    said = {key: value for key, value in item.fields.items() if key not in OWN_KEYS}
    updated = {"source_updated": item.updated} if item.updated else {}
    unmapped = {UNMAPPED_ID: item.unmapped_id, ID_KEY: item.id_key} if item.id_key else {}
    fields = {**said, "source_id": item.source_id, **unmapped, **updated}
    created = ""  # a record without a date happened on some day, and hardly on this one
    return Writing(_KIND, item.title, item.body, fields, "", created)


def _one_line(source_id: str) -> str:
    """An id as the record's front matter holds it."""
    return " ".join(source_id.split()).encode("utf-8", "replace").decode()


def _relative(top: Path, paths: Iterable[str]) -> list[str]:
    start = f"{top.resolve()}/"
    return [path.removeprefix(start) for path in paths if path.startswith(start)]


def _commit_line(outcome: CommitOutcome, files: str) -> str:
    if outcome.state == "committed":
        also = f", with {', '.join(outcome.also)}, which a hook added" if outcome.also else ""
        said = f"; {outcome.reason}" if outcome.reason else ""
        return f"{files} committed as {outcome.id}{also}{said}"
    return f"{files} written, not committed: {outcome.reason}"


def _read(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
