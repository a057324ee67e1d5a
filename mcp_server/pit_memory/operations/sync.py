"""Index everything that changed, to the end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pit_memory.core.source import Source
from pit_memory.stores.store import Store

Progress = Callable[[int, int], None]
"""Called with (files done, files in all)."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did."""

    added: int
    changed: int
    renamed: int
    removed: int
    unchanged: int
    left_out: int
    problems: int
    """Problems in files of these sources as they stand now."""
    refused: tuple[str, ...]
    """A source whose plan would have wiped its index: one line each, with the way out."""
    notes: tuple[str, ...]
    """What was damaged and rebuilt, one line each."""
    seconds: float


def sync(
    store: Store,
    sources: Sequence[Source],
    *,
    allow_shrink: bool = False,
    full: bool = False,
    progress: Progress | None = None,
) -> SyncReport:
    """Bring the store up to its sources' files, words complete.

    Args:
        allow_shrink: accept a plan that loses most of a source.
        full: read every file again, whatever its times say.
    """
    raise NotImplementedError
