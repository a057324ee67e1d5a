"""Finish in a process of its own what searches left undone: words first, then meaning."""

from collections.abc import Sequence

from pit_memory.core.source import Source
from pit_memory.operations.meaning import fill_behind
from pit_memory.operations.services import Meaning
from pit_memory.operations.sync import sync
from pit_memory.stores.store import Store


def catch_up(store: Store, sources: Sequence[Source], meaning: Meaning | None) -> None:
    """Index every changed file, then embed what has no vector, at the lowest priority.

    Args:
        store: what to complete.
        sources: what it is made from.
        meaning: None where there is no model.
    """
    sync(store, sources)
    if meaning:
        fill_behind(store, meaning.cache, meaning.embedder, meaning.vectors, own_process=True)
