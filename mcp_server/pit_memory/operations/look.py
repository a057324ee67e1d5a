"""Every search looks first: list and stat the sources, index what changed, say what waits."""

from collections.abc import Sequence
from dataclasses import dataclass

from pit_memory.core.source import Source
from pit_memory.stores.store import Store


@dataclass(frozen=True, slots=True)
class LookReport:
    """What a look saw and did."""

    indexed_files: int
    """Files that were indexed or removed by this look."""
    pending_files: int
    """Files that changed and are not indexed yet."""
    notes: tuple[str, ...]
    """One line each, for the answer: what was refused, damaged, busy or unreadable."""


def look(stores: Sequence[tuple[Store, Sequence[Source]]]) -> LookReport:
    """Index up to 50 changed files or 300 ms of work of the given sources before a search.

    The caller starts `operations.sync.sync` in the background where files are pending.
    """
    raise NotImplementedError
