"""Index everything that changed, to the end."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pit_memory.core.progress import Progress
from pit_memory.core.source import Source
from pit_memory.core.text.plurals import counted
from pit_memory.errors import StoreBusyError, StoreCorruptError
from pit_memory.operations.indexing.domain_map import write_domain_map
from pit_memory.operations.indexing.indexing import (
    BATCH_FILES,
    Reading,
    Tally,
    carry_out,
    write_files,
)
from pit_memory.operations.indexing.source_plan import SourcePlan, plan_source
from pit_memory.sources.reading import read_source_file
from pit_memory.sources.reading_child import read_in_child
from pit_memory.stores.store import Store

_CHILD_BYTES = 2_000_000
"""Less is read before a child process has started (about 0.2 s)."""
_WAIT_SECONDS = 600.0
"""For another sync of the same store: it does what this one was asked for."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did."""

    added: int
    changed: int
    renamed: int
    removed: int
    unchanged: int
    left_out: int
    """Files and skipped folders that aren't indexed, as this look saw them."""
    problems: int
    """Problems in files of these sources as they stand now."""
    refused: tuple[str, ...]
    """A source whose plan would have wiped its index: one line each, with the way out."""
    notes: tuple[str, ...]
    """What was damaged and rebuilt, and what a person should know; one line each."""
    seconds: float


def sync(
    store: Store,
    sources: Sequence[Source],
    *,
    allow_shrink: bool = False,
    full: bool = False,
    progress: Progress | None = None,
    wait_seconds: float = _WAIT_SECONDS,
) -> SyncReport:
    """Bring the store up to its sources' files, words complete.

    Args:
        store: where to index.
        sources: what to index; other sources of the store stay as they are.
        allow_shrink: accept a plan that loses most of a source.
        full: read every file again, whatever its times say, and check the catalogue page by page.
        progress: told how far it is.
        wait_seconds: for another sync of this store.

    Raises:
        StoreBusyError: another sync ran all that time.
        StorageFullError: no room; what was written so far stays and is right.
    """
    began = time.monotonic()
    store.sync_lock.acquire(wait_seconds)
    try:
        store.reopen_if_replaced()
        try:
            plans, tally = _index(store, sources, allow_shrink, full, progress)
        except StoreCorruptError as damage:
            store.begin_anew(damage)
            plans, tally = _index(store, sources, allow_shrink, full, progress)
    finally:
        store.sync_lock.release()
    return SyncReport(
        added=tally.added,
        changed=tally.changed,
        renamed=tally.renamed,
        removed=tally.removed,
        unchanged=tally.same + sum(planned.plan.unchanged for planned in plans),
        left_out=sum(planned.left_out for planned in plans)
        + sum(len(store.catalogue.kept_as_facts(source.name)) for source in sources),
        problems=sum(len(store.catalogue.problems(source.name)) for source in sources),
        refused=tuple(planned.refused for planned in plans if planned.refused),
        notes=(*store.notes(), *(note for planned in plans for note in planned.notes)),
        seconds=time.monotonic() - began,
    )


def together(reports: Sequence[SyncReport]) -> SyncReport:
    """What the syncs of several stores did together."""
    return SyncReport(
        added=sum(report.added for report in reports),
        changed=sum(report.changed for report in reports),
        renamed=sum(report.renamed for report in reports),
        removed=sum(report.removed for report in reports),
        unchanged=sum(report.unchanged for report in reports),
        left_out=sum(report.left_out for report in reports),
        problems=sum(report.problems for report in reports),
        refused=tuple(line for report in reports for line in report.refused),
        notes=tuple(line for report in reports for line in report.notes),
        seconds=sum(report.seconds for report in reports),
    )


def index_paths(store: Store, source: Source, paths: Sequence[str]) -> None:
    """Index single files at once, such as one that was just written, whatever else has changed.

    Args:
        store: where the source is indexed.
        source: where the files belong.
        paths: POSIX paths below its root; one that doesn't exist is forgotten.

    Raises:
        StoreError, StorageFullError: they can't be indexed now; the next look tries again.
    """
    write_files(store.catalogue, source, [(path, read_source_file(source, path)) for path in paths])
    follow_to_the_end(store)


def _index(
    store: Store,
    sources: Sequence[Source],
    allow_shrink: bool,
    full: bool,
    progress: Progress | None,
) -> tuple[list[SourcePlan], Tally]:
    if full:
        store.catalogue.check()
    with store.catalogue.write() as writer:
        writer.set_sync_started(time.time_ns())
    plans = [
        plan_source(store.catalogue, source, allow_shrink=allow_shrink, full=full)
        for source in sources
    ]
    tally = Tally()
    done, total = 0, sum(len(planned.waiting) for planned in plans)
    unfollowed = 0
    with _following(store) as wake:

        def after_batch(files: int) -> None:
            nonlocal done, unfollowed
            done += files
            unfollowed += files
            if unfollowed >= BATCH_FILES:  # a thousand small folders are no thousand commits
                wake()
                unfollowed = 0
            if progress:
                progress(done, total)

        for planned in plans:
            done_now = carry_out(
                store.catalogue, planned, _readings(planned), force=full, after_batch=after_batch
            )
            tally.add(done_now)
            if done_now.overtaken:  # by a search that looked; should it happen again, the next look
                again = plan_source(store.catalogue, planned.source, allow_shrink=allow_shrink)
                tally.add(replace(carry_out(store.catalogue, again, _readings(again)), same=0))
    store.keywords.verify()
    follow_to_the_end(store)
    store.keywords.tidy()
    write_domain_map(store)
    return plans, tally


@contextmanager
def _following(store: Store) -> Iterator[Callable[[], None]]:
    """Let the keyword index follow in a thread, to the end: its commits wait for the disk.

    It is at most one batch behind, so that progress tells what can be found.
    """
    running: Future[int] | None = None
    with ThreadPoolExecutor(1) as pool:

        def wake() -> None:
            nonlocal running
            if running is not None:
                running.result()  # an error of it ends the sync
            running = pool.submit(store.keywords.follow, wait_seconds=_WAIT_SECONDS)

        yield wake
        if running is not None:
            running.result()
    follow_to_the_end(store)


def follow_to_the_end(store: Store) -> None:
    """Bring the keyword index up to everything that was written.

    Raises:
        StoreBusyError: another process held it all that time.
    """
    if left := store.keywords.follow(wait_seconds=_WAIT_SECONDS):
        message = (
            f"{counted(left, 'document')} can't be found by words yet: another process has held "
            f"{store.keywords.lock.path} for {_WAIT_SECONDS:g} s; end it and run sync again"
        )
        raise StoreBusyError(message)


def _readings(planned: SourcePlan) -> Iterator[Reading]:
    """Read all waiting files; many of them in a child process, beside the indexing."""
    waiting = planned.waiting
    size = sum(planned.seen[path].size for path in waiting)
    if size >= _CHILD_BYTES and (os.cpu_count() or 1) > 1:
        return read_in_child(planned.source, waiting)
    return ((path, read_source_file(planned.source, path)) for path in waiting)
