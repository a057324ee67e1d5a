"""Finish in a process of its own what searches left undone: words first, then meaning."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.source import Source
from pit_memory.errors import PitMemoryError, StorageFullError, StoreBusyError
from pit_memory.stores.store import Store
from pit_memory.workspace.files import write_atomic

if TYPE_CHECKING:
    from pit_memory.operations.searching.opened_store import Meaning

_WAIT_SECONDS = 30.0
"""For another sync: whoever asked has had an answer long ago."""
_TROUBLE_FILE = "background-trouble.txt"


def catch_up(store: Store, sources: Sequence[Source], meaning: "Meaning | None") -> None:
    """Index every changed file, then embed what has no vector, at the lowest priority.

    Args:
        store: what to complete.
        sources: what it is made from.
        meaning: None where there is no model.

    Raises:
        EmbedderError, StoreError, StorageFullError: it ended early; nobody hears this process, so
            `trouble_of` tells the next answer.
    """
    from pit_memory.operations.indexing.meaning import fill_behind
    from pit_memory.operations.indexing.sync import sync

    place = _trouble_file(store)
    try:
        try:
            sync(store, sources, wait_seconds=_WAIT_SECONDS)
        except StoreBusyError:
            return  # another process is indexing it, and starts another one of us if needed
        if meaning:
            fill_behind(store, meaning.cache, meaning.embedder, meaning.vectors, own_process=True)
    except PitMemoryError as error:
        with suppress(StorageFullError):
            write_atomic(place, str(error).encode("utf-8", "replace"))
        raise
    place.unlink(missing_ok=True)


def trouble_of(store: Store) -> str:
    """Why the last process of this kind ended early, one line; empty where it did not."""
    try:
        said = _trouble_file(store).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    return f"indexing in the background ended early: {' '.join(said.split())}"


def _trouble_file(store: Store) -> Path:
    return store.folder / _TROUBLE_FILE
