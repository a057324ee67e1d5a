"""One store: a folder with the catalogue, the keyword index, and their locks."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pit_memory.core.documents import Document
from pit_memory.core.keyword_entry import KeywordEntry
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.keyword_index import KeywordIndex

EntryBuilder = Callable[[Document], Sequence[KeywordEntry]]
"""How a document becomes keyword entries: `core.keyword_entry` names the record."""


class Store:
    """A folder of `stores-v<N>`; several processes and threads use one at the same time."""

    folder: Path
    catalogue: Catalogue
    keywords: KeywordIndex

    @classmethod
    def open(cls, folder: Path, entries_for: EntryBuilder) -> "Store":
        """Open a store, made first where there is none.

        A damaged catalogue or keyword index is set aside and begun anew; `notes` then says so, and
        the next look fills it from the files.

        Raises:
            StoreNewerError: a newer version of pit-memory wrote it.
            StoreBusyError: another process holds it longer than the time limit.
            StorageFullError: no room, or a read-only folder.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close files and connections."""
        raise NotImplementedError

    def notes(self) -> tuple[str, ...]:
        """What was found damaged and is being rebuilt, one line each, for the answer."""
        raise NotImplementedError

    def follow(self, *, wait_seconds: float) -> bool:
        """Bring the keyword index up to the catalogue, everyone's pending rows in one commit.

        Returns:
            False where another process was at it for longer than `wait_seconds`: the index answers
            from what it has.
        """
        raise NotImplementedError
