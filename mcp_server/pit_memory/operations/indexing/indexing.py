"""Carry out a source's plan: write what was read, in short transactions."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pit_memory.core.documents.documents import Problem
from pit_memory.core.documents.freshness import renames
from pit_memory.core.source import Source
from pit_memory.operations.indexing.source_plan import SourcePlan
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
    overtaken: int = 0
    """Left as others wrote them since the plan was made: who wants them right plans again."""

    @property
    def written(self) -> int:
        """Files that made a difference."""
        return self.added + self.changed + self.renamed + self.removed

    def add(self, other: "Tally") -> None:
        """Count what another tally counted, but for what was overtaken: that is planned again."""
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
    renamed, and then keeps its chunks and vectors. What another process wrote since the plan was
    made stays: it may have read the file later than this one.

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
            _remove(writer, planned, maybe_moved, tally)
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
        _remove(writer, planned, remove, tally)


def _remove(
    writer: CatalogueWriter, planned: SourcePlan, paths: Collection[str], tally: Tally
) -> None:
    """Forget documents that were gone when the plan was made, and have not come back since."""
    written_at = writer.written_at(planned.source.name, paths)
    gone = [path for path, generation in written_at.items() if generation <= planned.generation]
    writer.remove(planned.source.name, gone)
    tally.removed += len(gone)
    tally.overtaken += len(written_at) - len(gone)


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
    written_at = writer.written_at(source, [*maybe_moved, *(path for path, _ in batch)])
    for path in [path for path in maybe_moved if _is_overtaken(path, planned, written_at)]:
        del maybe_moved[path]
        tally.overtaken += path in written_at
    old_paths = _old_paths(planned, batch, maybe_moved)
    for path, read in batch:
        if read is None:  # it vanished; if it was indexed, the next look sees that it is gone
            continue
        if _is_overtaken(path, planned, written_at):
            if isinstance(read, ReadFile) and writer.holds(source, read.document):
                tally.same += 1
            else:
                tally.overtaken += 1
            continue
        if isinstance(read, Problem):
            seen = planned.seen[path]
            writer.put_unreadable(source, KnownFile(*seen, content_hash=""), read)
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


def _is_overtaken(path: str, planned: SourcePlan, written_at: Mapping[str, int]) -> bool:
    """Tell whether another process wrote or removed a document since the plan was made."""
    came_or_went = (path in written_at) != (path in planned.known)
    return came_or_went or written_at.get(path, 0) > planned.generation


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
