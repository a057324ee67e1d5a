"""One store: a folder with a catalogue, the keyword index that follows it, and their locks."""

import shutil
import time
from pathlib import Path
from threading import RLock

from pit_memory.errors import StoreCorruptError
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.keyword_follower import KeywordFollower
from pit_memory.workspace.files import make_data_folder
from pit_memory.workspace.locks import FileLock

"""What the session hooks read; every look that changed something leaves it in the store."""
_CATALOGUES = "catalogue-*.sqlite3"
_SQLITE_COMPANIONS = ("", "-wal", "-shm")


class Store:
    """A folder of `stores-v<N>`; several processes and threads use one at the same time.

    The name of a catalogue is never used twice. So a damaged one can be replaced while others still
    have it open: they notice at their next look, and SQLite, which removes companion files by name
    when it closes, can't harm the new one.
    """

    def __init__(self, folder: Path) -> None:
        """Use `open`."""
        self.folder = folder
        self.sync_lock = FileLock(folder / "sync.lock")
        """Held by a sync from its listing to its end: one at a time."""
        self._beginning = FileLock(folder / "store.lock")
        self._mutex = RLock()
        self._notes: list[str] = []
        self._catalogue, self._keywords = self._open()

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """Open a store, made first where there is none.

        A damaged catalogue or keyword index is removed and begun anew, which `notes` says; the next
        look or sync fills it from the files.

        Raises:
            StoreNewerError: a newer version of pit-memory wrote it.
            StoreBusyError: another process holds it longer than the time limit.
            StorageFullError: no room, or a read-only folder.
        """
        make_data_folder(folder)
        return cls(folder)

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue; another object after damage, so ask for it each time."""
        return self._catalogue

    @property
    def keywords(self) -> KeywordFollower:
        """The keyword leg; another object after damage, so ask for it each time."""
        return self._keywords

    def close(self) -> None:
        """Close files and connections."""
        self._catalogue.close()

    def notes(self) -> tuple[str, ...]:
        """What was found damaged since the last call, one line each, for the answer."""
        with self._mutex:
            notes, self._notes = self._notes, []
        return (*notes, *self._keywords.notes())

    def begin_anew(self, damage: StoreCorruptError) -> None:
        """Replace the catalogue by an empty one if it is what an error is about.

        Args:
            damage: raised by a method of the store; it may be about a keyword index, which renews
                itself, or about a catalogue that another thread has replaced meanwhile.

        Raises:
            StoreBusyError, StorageFullError: as `open`.
        """
        with self._mutex:
            if damage.path != self._catalogue.path:
                return
            self._catalogue.close()
            self._catalogue = self._begin_catalogue(self._catalogue.path, str(damage))
            self._keywords = KeywordFollower(self.folder, self._catalogue)

    def reopen_if_replaced(self) -> None:
        """Follow another process that began the catalogue anew, or a person who removed it."""
        if newest_catalogue(self.folder) != self._catalogue.path:
            with self._mutex:
                make_data_folder(self.folder)
                self._catalogue.close()
                self._catalogue, self._keywords = self._open()

    def scrub(self) -> None:
        """Make sure that nothing is left of what was removed: files keep deleted text for a while.

        Raises:
            StoreBusyError: others hold the catalogue or the keyword index all that time.
        """
        with self._mutex:
            self._catalogue.vacuum()
            self._keywords.rebuild()
        shutil.rmtree(self.folder / "vectors", ignore_errors=True)  # published again when needed

    def _open(self) -> tuple[Catalogue, KeywordFollower]:
        catalogue = self._open_catalogue()
        try:
            return catalogue, KeywordFollower(self.folder, catalogue)
        except StoreCorruptError as damage:
            catalogue.close()
            catalogue = self._begin_catalogue(catalogue.path, str(damage))
            return catalogue, KeywordFollower(self.folder, catalogue)

    def _open_catalogue(self) -> Catalogue:
        newest = newest_catalogue(self.folder)
        if newest is None:
            return self._begin_catalogue(None, "")
        if self._stays_empty(newest):
            return self._begin_catalogue(newest, f"{newest} is empty")
        try:
            return Catalogue.open(newest, must_exist=True)
        except StoreCorruptError as error:
            return self._begin_catalogue(newest, str(error))

    def _stays_empty(self, catalogue: Path) -> bool:
        """Tell an empty file from one that another process is just beginning."""
        if not _is_empty(catalogue):
            return False
        with self._beginning:
            return _is_empty(catalogue)

    def _begin_catalogue(self, damaged: Path | None, damage: str) -> Catalogue:
        """Begin an empty catalogue, unless another process did so meanwhile."""
        with self._beginning:
            newest = newest_catalogue(self.folder)
            if newest is not None and newest != damaged:
                return Catalogue.open(newest, must_exist=True)
            catalogue = Catalogue.open(self.folder / f"catalogue-{time.time_ns():x}.sqlite3")
            if damaged is not None:
                self._notes.append(f"{damage}; it is built again from the files")
                for ending in _SQLITE_COMPANIONS:
                    damaged.with_name(damaged.name + ending).unlink(missing_ok=True)
            return catalogue


def newest_catalogue(folder: Path) -> Path | None:
    """The catalogue in use in a store's folder, if there is one: names sort by when they began."""
    return max(folder.glob(_CATALOGUES), default=None)


def _is_empty(file: Path) -> bool:
    try:
        return not file.stat().st_size
    except FileNotFoundError:
        return False
