"""Who goes on with the work after an answer."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import Places

if TYPE_CHECKING:
    from pit_memory.operations.indexing.background import Background
    from pit_memory.operations.searching.opened_store import OpenedStore
    from pit_memory.stores.store import Store

BackgroundKind = Literal["process", "thread", "none"]
"""Where work goes on after an answer: for one-shot commands, for the server, nowhere."""


def background_of(
    kind: BackgroundKind,
    stores: "Sequence[OpenedStore]",
    where: Places,
    root: Path,
    environ: Mapping[str, str],
) -> "Background":
    """Return who finishes what answers from some stores of a project leave undone."""
    from pit_memory.operations.indexing.background import (
        NoBackground,
        ProcessBackground,
        ThreadBackground,
    )

    if kind == "thread":
        from pit_memory.operations.indexing.background_fill import BackgroundFill
        from pit_memory.operations.indexing.sync import sync

        def index() -> None:
            for opened in stores:
                sync(opened.store, opened.sources)

        fill = None
        if meaning := stores[0].meaning:
            parts = [(opened.store, opened.meaning.vectors) for opened in stores if opened.meaning]
            fill = BackgroundFill(parts, meaning.cache, meaning.embedder)
        return ThreadBackground(index, fill)
    if kind == "process":
        from pit_memory.operations.upkeep.catch_up import trouble_of
        from pit_memory.workspace.detached import start_detached

        def trouble() -> str:
            return next(filter(None, (trouble_of(opened.store) for opened in stores)), "")

        arguments = ("sync", "--background", "--root", str(root))
        start = partial(start_detached, arguments, environ, str(where.data))
        runs = partial(_is_held, background_lock(stores[0].store))
        return ProcessBackground(start, runs, trouble)
    return NoBackground()


def background_lock(store: "Store") -> FileLock:
    """Held by the process that catches up, so that there is one."""
    return FileLock(store.folder / "background.lock")


def _is_held(lock: FileLock) -> bool:
    if lock.try_acquire():
        lock.release()
        return False
    return True
