"""Every search looks first: list and stat the sources, index what changed, say what waits."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TypeVar

from pit_memory.core.source import Source
from pit_memory.errors import StorageFullError, StoreBusyError, StoreCorruptError
from pit_memory.operations.indexing.domain_map import write_domain_map
from pit_memory.operations.indexing.indexing import Reading, carry_out
from pit_memory.operations.indexing.source_plan import SourcePlan, plan_source
from pit_memory.sources.kept_listing import KeptListing
from pit_memory.sources.reading import read_source_file
from pit_memory.stores.store import Store

LOOK_FILES = 50
"""Changed files that a search indexes before it answers."""
LOOK_SECONDS = 0.3
"""Work that a search does before it answers; the rest follows in the background. Reading is
measured in time of the processor: a busy machine makes a search slow, not blind."""
LOOK_WALL_SECONDS = 2.0
"""Reading stops then, however little of that was work: the disk may be slow as well."""
LOOK_FILE_BYTES = 1_000_000
"""A larger file takes longer than that by itself: it is left to the background."""
LOOK_AGAIN_SECONDS = 0.25
"""A look is good for so long: the questions of one turn share it."""
_READING_SHARE = 0.5
"""Of the work; the other half goes into the keyword index."""
_ROUNDS = 3
"""Of plans for a source while other processes write the same files first."""
_WAIT_SECONDS = 2.0
"""For another process that commits to the keyword index, usually some 50 ms; rather late than
without what was just written."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LookedStore:
    """A store and those of its sources that a question is about."""

    store: Store
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class LookReport:
    """What a look saw and did."""

    indexed_files: int
    """Files that this look indexed, moved or removed."""
    pending_files: int
    """Files that changed and can't be found by words yet."""
    notes: tuple[str, ...]
    """One line each, for the answer: what was refused, damaged or busy."""
    not_looked: int = 0
    """Files and folders that can't be looked at: what they hold is not found, or as it was."""
    behind: str = ""
    """Why the index could not be brought up to the files, one of the notes; empty where it could.

    Files that are left for later, or can't be looked at, are no trouble of the index.
    """
    failed: bool = False
    """Whether the look at a source was refused, or the index could not be brought up."""

    @property
    def complete(self) -> bool:
        """Whether the index now holds what the files hold: nothing refused, nothing left."""
        return not self.failed and not self.pending_files


Kept = defaultdict[tuple[Path, str], KeptListing]
"""What looks leave to later ones, by the folder of a store and the name of a source."""


def look(looked: Sequence[LookedStore], kept: Kept | None = None) -> LookReport:
    """Index up to 50 changed files or 300 ms of work before a search, newest files first.

    The caller starts a sync in the background where files are pending. A store that is full, busy
    or being repaired answers from what it has, and a note says so.
    """
    budget = _Budget()
    kept = Kept(KeptListing) if kept is None else kept
    reports = [_look_at(each, budget, kept) for each in looked]
    return LookReport(
        sum(report.indexed_files for report in reports),
        sum(report.pending_files for report in reports),
        tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        sum(report.not_looked for report in reports),
        next((report.behind for report in reports if report.behind), ""),
        any(report.failed for report in reports),
    )


class Looker:
    """The looks of a process that lives longer than one question; several threads may use it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Remember nothing yet.

        Args:
            clock: seconds, from any start.
        """
        self._clock = clock
        self._looking = Lock()
        self._recent: tuple[object, float, LookReport] | None = None
        self._kept = Kept(KeptListing)
        self.complete_at = 0.0
        """Seconds since the epoch of the last look after which nothing was left to do; 0: none."""
        self.pending_files = 0
        """Of the last look."""

    def forget(self) -> None:
        """Let the next look be a new one, however soon it comes."""
        with self._looking:
            self._recent = None

    def look(self, looked: Sequence[LookedStore]) -> LookReport:
        """Look, unless the last look at the same is younger than a quarter of a second."""
        what = tuple((each.store.folder, each.sources) for each in looked)
        with self._looking:  # who waits here shares the look that is under way
            if self._recent is not None:
                seen, at, report = self._recent
                if seen == what and self._clock() - at <= LOOK_AGAIN_SECONDS:
                    return report
            report = look(looked, self._kept)
            self._recent = what, self._clock(), report
            self.pending_files = report.pending_files
            if report.complete:
                self.complete_at = time.time()
            return report


def look_and_ask(
    looked: Sequence[LookedStore],
    question: Callable[[LookReport], T],
    *,
    look: Callable[[Sequence[LookedStore]], LookReport] = look,
) -> T:
    """Look, then ask; where a store turns out to be damaged, begin it anew, look and ask again.

    Args:
        looked: the stores that the question is about.
        question: gets what the look saw, reads the stores.
        look: `Looker.look` in a process that lives longer.
    """
    try:
        return question(look(looked))
    except StoreCorruptError as damage:
        for each in looked:
            each.store.begin_anew(damage)
    return question(look(looked))


@dataclass(slots=True)
class _Budget:
    """What a look may still do, over all stores and sources."""

    files: int = LOOK_FILES
    work: float = _READING_SHARE * LOOK_SECONDS
    """Seconds of `time.thread_time` left for reading."""
    wall: float = LOOK_WALL_SECONDS
    """Seconds of `time.monotonic` left, likewise."""
    _since: tuple[float, float] | None = field(default=None)
    """Both times when it was last asked; None while nothing is read: other work is no reading."""

    def take(self) -> bool:
        """Tell whether one more file may be read, and count it."""
        self.spend()
        self._since = time.thread_time(), time.monotonic()
        if not self.files or self.work <= 0 or self.wall <= 0:
            return False
        self.files -= 1
        return True

    def spend(self) -> None:
        """Count what was spent since a file was taken; until the next one nothing is."""
        if self._since is not None:
            work, wall = self._since
            self.work -= time.thread_time() - work
            self.wall -= time.monotonic() - wall
            self._since = None


def _look_at(looked: LookedStore, budget: _Budget, kept: Kept) -> LookReport:
    store = looked.store
    store.reopen_if_replaced()
    try:
        seen = _index_changes(looked, budget, kept)
    except StoreCorruptError as damage:
        store.begin_anew(damage)
        seen = _index_changes(looked, budget, kept)
    return replace(seen, notes=(*store.notes(), *seen.notes))


def _index_changes(looked: LookedStore, budget: _Budget, kept: Kept) -> LookReport:
    store = looked.store
    indexed = pending = not_looked = 0
    refused = False
    behind = ""
    notes: list[str] = []
    try:
        for source in looked.sources:
            listing = kept[store.folder, source.name]
            planned, written, left = _index_source(store, source, budget, listing)
            indexed += written
            pending += left
            notes += [planned.refused] if planned.refused else []
            refused |= planned.refused is not None
            notes += planned.notes
            not_looked += planned.not_looked
        pending += store.keywords.follow(wait_seconds=_WAIT_SECONDS, work_seconds=LOOK_SECONDS)
        if indexed and not pending:  # what a part of a tree is about says little
            write_domain_map(store)
    except (StoreBusyError, StorageFullError) as error:
        behind = f"the index may be behind your files: {error}"
        notes.append(behind)
    failed = refused or bool(behind)
    return LookReport(indexed, pending, tuple(notes), not_looked, behind, failed)


def _index_source(
    store: Store, source: Source, budget: _Budget, listing: KeptListing
) -> tuple[SourcePlan, int, int]:
    """Plan and carry out, anew where another process wrote the same files first.

    Returns:
        The last plan, how many files were written and how many are left.
    """
    written = rounds = 0
    while True:
        planned = plan_source(store.catalogue, source, spares_networks=True, remembered=listing)
        if planned.is_done:
            return planned, written, 0
        read: list[str] = []
        files = _files_to_read(store, planned)
        tally = carry_out(store.catalogue, planned, _read(source, files, budget, read))
        written += tally.written
        rounds += 1
        if not tally.overtaken or rounds == _ROUNDS:
            return planned, written, len(planned.waiting) - len(read) + tally.overtaken


def _files_to_read(store: Store, planned: SourcePlan) -> list[str]:
    """The files that this look should read, newest first.

    Where a sync is at many files, what changed before it began is its business: read twice, it
    would be done no sooner.
    """
    seen = planned.seen
    files = [path for path in planned.waiting if seen[path].size <= LOOK_FILE_BYTES]
    if len(files) <= LOOK_FILES or not _is_sync_running(store):
        return files
    started = store.catalogue.sync_started_ns()
    return [path for path in files if max(seen[path].mtime_ns, seen[path].ctime_ns) >= started]


def _is_sync_running(store: Store) -> bool:
    if not store.sync_lock.try_acquire():
        return True
    store.sync_lock.release()
    return False


def _read(
    source: Source, paths: Sequence[str], budget: _Budget, read: list[str]
) -> Iterator[Reading]:
    """Read files as long as the budget lasts, and list them."""
    for path in paths:
        if not budget.take():
            break
        read.append(path)
        yield path, read_source_file(source, path)
    budget.spend()
