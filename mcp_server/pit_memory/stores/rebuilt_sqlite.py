"""A SQLite file that can be made again: damaged, it is set aside and begun anew, aloud."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

from pit_memory.errors import StoreCorruptError
from pit_memory.stores.sqlite import SqliteFile
from pit_memory.workspace.files import make_data_folder, storage_errors
from pit_memory.workspace.locks import FileLock

_Answer = TypeVar("_Answer")


class RebuiltSqliteFile:
    """A `SqliteFile` that follows its path: another process may set the file aside or remove it."""

    def __init__(self, path: Path, prepare: Callable[[sqlite3.Connection, Path], None]) -> None:
        """Open the file, made first where there is none.

        Args:
            path: the file; its folder is made where it is missing.
            prepare: makes the tables where they are missing; called once for each file opened.

        Raises:
            StoreNewerError: from `prepare`.
            StoreBusyError, StorageFullError: it can't be opened now.
        """
        self.path = path
        self._prepare = prepare
        self._notes: list[str] = []
        self._opening = Lock()
        self._retired: list[SqliteFile] = []
        self._file, self._inode = self._opened()

    def use(self, work: Callable[[SqliteFile], _Answer]) -> _Answer:
        """Do something with the file; where it turns out to be damaged, with a new one."""
        file = self._present()
        try:
            return work(file)
        except StoreCorruptError as error:
            with self._opening:
                if file is self._file:  # else another thread opened a new one meanwhile
                    self._set_aside(self._inode, error)
                    self._reopen()
            return work(self._present())

    def notes(self) -> tuple[str, ...]:
        """What was found damaged and set aside, one line each."""
        return tuple(self._notes)

    def close(self) -> None:
        """Close every connection; the object can't be used afterwards."""
        for file in (*self._retired, self._file):
            file.close()

    def _present(self) -> SqliteFile:
        """The file that is at the path now."""
        if _inode(self.path) != self._inode:
            with self._opening:
                if _inode(self.path) != self._inode:
                    self._reopen()
        return self._file

    def _reopen(self) -> None:
        self._retired.append(self._file)  # another thread may be in the middle of using it
        self._file, self._inode = self._opened()

    def _opened(self) -> tuple[SqliteFile, int]:
        make_data_folder(self.path.parent)  # it may have been removed under a running server
        inode = _inode(self.path)
        file = SqliteFile(self.path)
        try:
            with file.connection() as connection:
                self._prepare(connection, self.path)
        except StoreCorruptError as error:
            file.close()
            self._set_aside(inode, error)
            return self._opened()
        except BaseException:
            file.close()
            raise
        return file, _inode(self.path)

    def _set_aside(self, inode: int, error: StoreCorruptError) -> None:
        damaged = f"{self.path}.damaged"
        with FileLock(Path(f"{self.path}.lock")):
            if _inode(self.path) != inode:
                return  # another process did it
            with storage_errors(self.path):
                # The main file last: without its log it is old, but a foreign log is poison to it.
                for ending in ("-shm", "-wal", ""):
                    part = Path(f"{self.path}{ending}")
                    if part.exists():
                        part.replace(f"{damaged}{ending}")
        self._notes.append(f"{error}; it is begun anew, the damaged file is {damaged}")


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0
