"""Finish in a process of its own what searches left undone: words first, then meaning."""

from collections.abc import Sequence

from pit_memory.core.source import Source
from pit_memory.errors import StoreBusyError
from pit_memory.operations.meaning import fill_behind
from pit_memory.operations.services import Meaning
from pit_memory.operations.sync import sync
from pit_memory.stores.store import Store

_WAIT_SECONDS = 30.0
"""For another sync: whoever asked has had an answer long ago."""


def catch_up(store: Store, sources: Sequence[Source], meaning: Meaning | None) -> None:
    """Index every changed file, then embed what has no vector, at the lowest priority.

    Args:
        store: what to complete.
        sources: what it is made from.
        meaning: None where there is no model.
    """
    try:
        sync(store, sources, wait_seconds=_WAIT_SECONDS)
    except StoreBusyError:
        return  # another process is indexing this store, and starts another one of us if needed
    if meaning:
        fill_behind(store, meaning.cache, meaning.embedder, meaning.vectors, own_process=True)
