"""How things are now, as numbers: what `/metrics` and `status` say of an index."""

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pit_memory import __version__
from pit_memory.core.serving.metrics import Labels
from pit_memory.operations.canary import NAME, CanaryReport

if TYPE_CHECKING:
    from pit_memory.operations.services import Services

Gauges = Mapping[tuple[str, Labels], float]


def gauges(services: "Services", canary: CanaryReport | None, fetched_at: float | None) -> Gauges:
    """Measure an index.

    Args:
        services: the project.
        canary: what was last found of the canary; None where nobody looked.
        fetched_at: when the server last fetched, in seconds since the epoch; None where it doesn't.

    Raises:
        StoreError: the catalogue can't be read now.
    """
    return dict(_measured(services, canary, fetched_at))


def _measured(
    services: "Services", canary: CanaryReport | None, fetched_at: float | None
) -> Iterator[tuple[tuple[str, Labels], float]]:
    catalogues = [opened.store.catalogue for opened in services.stores]
    counts = [catalogue.counts() for catalogue in catalogues]
    own, coverage = catalogues[0].counts(NAME), services.coverage()
    yield ("pit_memory_info", (__version__,)), 1.0
    yield ("pit_memory_documents_indexed", ()), sum(it.documents for it in counts) - own.documents
    yield ("pit_memory_chunks_indexed", ()), sum(it.chunks for it in counts) - own.chunks
    yield ("pit_memory_generation", ()), catalogues[0].generation()
    known_at = services.looker.complete_at or _last_look(services)
    since = known_at if fetched_at is None else min(known_at, fetched_at)
    yield ("pit_memory_index_age_seconds", ()), max(0.0, time.time() - since)
    yield ("pit_memory_pending_files", ()), services.looker.pending_files
    if coverage is not None:
        yield ("pit_memory_embedding_queue", ()), coverage.total - coverage.built
    yield ("pit_memory_embedding_failing", ()), float(bool(services.background.trouble))
    yield ("pit_memory_sync_problems", ()), sum(len(it.problems()) for it in catalogues)
    if canary is not None:
        yield ("pit_memory_canary", ("words",)), float(canary.words)
        if canary.meaning is not None:
            yield ("pit_memory_canary", ("meaning",)), float(canary.meaning)
        yield ("pit_memory_canary", ("filters",)), float(canary.filters)


def _last_look(services: "Services") -> float:
    names = {source.name for source in services.sources}
    looks = [row.looked_at for row in services.store.catalogue.sources() if row.name in names]
    return min(looks, default=0.0)
