"""Carry out a source's plan: write what was read, in short transactions."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pit_memory.core.documents import Problem
from pit_memory.core.freshness import renames
from pit_memory.core.source import Source
from pit_memory.operations.source_plan import SourcePlan
from pit_memory.sources.reading import ReadFile
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.catalogue_writer import CatalogueWriter
from pit_memory.stores.rows import KnownFile

BATCH_FILES = 400
_BATCH_CHUNKS = 4_000
"""To a transaction: about a second of work between two, and well below one inside."""

Reading = tuple[str, ReadFile | Problem | None]
"""A path and what was read there; None where the file vanished."""


@dataclass(slots=True)
class Tally:
    """How many files were treated in which way."""

    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    same: int = 0
    """Read, and found to be what is indexed already."""

    @property
    def written(self) -> int:
        """Files that made a difference."""
        return self.added + self.changed + self.renamed + self.removed

    def add(self, other: "Tally") -> None:
        """Count what another tally counted."""
        self.added += other.added
        self.changed += other.changed
        self.renamed += other.renamed
        self.removed += other.removed
        self.same += other.same


def carry_out(
    catalogue: Catalogue,
    planned: SourcePlan,
    readings: Iterable[Reading],
    *,
    force: bool = False,
    after_batch: Callable[[int], None] = lambda _: None,
) -> Tally:
    """Write what a plan asks for.

    A document that is gone waits as long as one of its size is still to be read: it may have been
    renamed, and then keeps its chunks and vectors.

    Args:
        catalogue: where to write.
        planned: what a look found out.
        readings: as many of the plan's waiting files as are to be indexed now.
        force: replace what is indexed though the file's bytes are the same.
        after_batch: called after each transaction with the number of files it treated.
    """
    tally = Tally()
    arriving = {planned.seen[path].size for path in planned.plan.add}
    maybe_moved = catalogue.content_hashes(
        planned.source.name,
        [path for path in planned.plan.remove if planned.known[path].size in arriving],
    )
    _start(catalogue, planned, [p for p in planned.plan.remove if p not in maybe_moved], tally)
    treated: set[str] = set()
    for batch in _batches(readings):
        with catalogue.write() as writer:
            _write(writer, planned, batch, maybe_moved, tally, force=force)
        treated.update(path for path, _ in batch)
        after_batch(len(batch))
    if maybe_moved and treated.issuperset(planned.plan.add):
        with catalogue.write() as writer:
            writer.remove(planned.source.name, maybe_moved)
        tally.removed += len(maybe_moved)
    return tally


def write_files(catalogue: Catalogue, source: Source, readings: Iterable[Reading]) -> None:
    """Write single files without a look at the rest; one that vanished is forgotten."""
    with catalogue.write() as writer:
        for path, read in readings:
            if read is None:
                writer.remove(source.name, [path])
            elif isinstance(read, Problem):
                writer.put_unreadable(source.name, KnownFile(path, 0, 0, 0, ""), read)
            else:
                writer.put_document(source.name, read.document, _known(read))


def _start(catalogue: Catalogue, planned: SourcePlan, remove: list[str], tally: Tally) -> None:
    """Record the look itself, and what is certainly gone."""
    name = planned.source.name
    if planned.row is None:
        return
    with catalogue.write() as writer:
        writer.set_source(planned.row)
        if planned.taken_anew:
            writer.doubt(name)
        writer.remove(name, remove)
    tally.removed += len(remove)


def _batches(readings: Iterable[Reading]) -> Iterator[list[Reading]]:
    batch: list[Reading] = []
    chunks = 0
    for path, read in readings:
        batch.append((path, read))
        chunks += len(read.document.chunks) if isinstance(read, ReadFile) else 0
        if len(batch) >= BATCH_FILES or chunks >= _BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch


def _write(
    writer: CatalogueWriter,
    planned: SourcePlan,
    batch: list[Reading],
    maybe_moved: dict[str, str],
    tally: Tally,
    *,
    force: bool,
) -> None:
    source = planned.source.name
    old_paths = _old_paths(planned, batch, maybe_moved)
    for path, read in batch:
        if isinstance(read, Problem):
            seen = planned.seen[path]
            writer.put_unreadable(source, KnownFile(*seen, content_hash=""), read)
            continue
        if read is None:  # it vanished; if it was indexed, the next look sees that it is gone
            continue
        file = _known(read)
        if old_path := old_paths.get(path):
            writer.rename_document(source, old_path, read.document, file)
            del maybe_moved[old_path]
            tally.renamed += 1
        elif not writer.put_document(source, read.document, file, force=force):
            tally.same += 1
        elif path in planned.known:
            tally.changed += 1
        else:
            tally.added += 1


def _old_paths(
    planned: SourcePlan, batch: list[Reading], maybe_moved: dict[str, str]
) -> dict[str, str]:
    """Where new files were before, by their new path."""
    if not maybe_moved:
        return {}
    arrived = {
        path: read.document.content_hash
        for path, read in batch
        if isinstance(read, ReadFile) and path not in planned.known
    }
    return {new: old for old, new in renames(maybe_moved, arrived).items()}


def _known(read: ReadFile) -> KnownFile:
    document = read.document
    return KnownFile(document.path, read.size, read.mtime_ns, read.ctime_ns, document.content_hash)
