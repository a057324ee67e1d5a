"""A store's keyword index as a follower of its catalogue: kept current, renewed when damaged."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock, Thread
from typing import TypeVar

from pit_memory.core.indexing.keyword_entry import ENTRIES_VERSION, entries_for
from pit_memory.core.search.legs import KeywordLeg, KeywordTerms, Ranking, SearchFilters
from pit_memory.errors import StorageFullError, StoreCorruptError, StoreError
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.keyword_index import KEYWORD_FORMAT, KeywordIndex
from pit_memory.workspace.locks import FileLock

_PREFIX = "keywords-"
_NAME = f"{_PREFIX}{KEYWORD_FORMAT}.{ENTRIES_VERSION}"
"""Two versions of pit-memory that would index other entries have a follower each."""
_STEP_DOCUMENTS = 500
"""Documents to a commit at most: bounds memory, and how long others wait for the lock."""
_OPEN_SECONDS = 10.0
"""How long the opening of a store waits for a commit of another process."""
_PAUSE_SECONDS = 0.005
"""Between two looks at whether another process is done; its commit takes ten times as long."""
_REPAIR_SECONDS = 0.3
"""Work that a search puts into an index that it found damaged; looks and syncs do the rest."""

_UNUSED_SECONDS = 30 * 86_400.0
"""Since the last commit; an index that is missed all the same is built again."""

T = TypeVar("T")


class KeywordFollower(KeywordLeg):
    """A store's keyword leg; safe to use from several threads.

    Whoever needs it current brings in everyone's pending rows, in one commit. A damaged index is
    replaced by one of a new name and filled from the catalogue again.
    """

    def __init__(self, folder: Path, catalogue: Catalogue) -> None:
        """Open the index that the catalogue names, or begin one.

        Raises:
            StoreBusyError: another process holds its lock longer than we wait.
            StorageFullError: no room, or a read-only folder.
        """
        self._folder = folder
        self._catalogue = catalogue
        self.lock = FileLock(folder / "keywords.lock", timeout=_OPEN_SECONDS)
        self._mutex = RLock()
        self._notes: list[str] = []
        self._reached, directory = catalogue.follower(_NAME)
        try:
            self._index = KeywordIndex.open(folder / directory)
        except StoreCorruptError:
            with self.lock:
                self._index = self._usable(None)

    def notes(self) -> tuple[str, ...]:
        """What was found damaged since the last call, one line each, for the answer."""
        with self._mutex:
            notes, self._notes = tuple(self._notes), []
        return notes

    # Following

    def follow(self, *, wait_seconds: float, work_seconds: float | None = None) -> int:
        """Bring the index up to the catalogue.

        Args:
            wait_seconds: for another process that is at it.
            work_seconds: after this no further commit is begun; None works to the end.

        Returns:
            How many changed documents the index still lacks; it answers from what it has.
        """
        began = waiting_since = time.monotonic()
        while True:
            with self._mutex:
                if self._is_current():
                    return 0
                left = self._step_if_free()
                now = time.monotonic()
                if left is None:
                    if now - waiting_since >= wait_seconds:
                        return self._catalogue.changes_since(self._reached).count
                elif left and work_seconds is not None and now - began >= work_seconds:
                    return left
                else:
                    waiting_since = now
            if left is None:  # whoever holds the lock may bring in what we need
                time.sleep(_PAUSE_SECONDS)

    def see(self) -> None:
        """Answer from now on by what others have brought in, without bringing in anything.

        Raises:
            StoreError, StorageFullError: the index is damaged and can't be built again now.
        """
        with self._mutex:
            if self._is_current():
                return
            _, directory = self._catalogue.follower(_NAME)
            if directory == self._index.folder.name and not self._index.damaged:
                return  # as far as whoever writes has come
        self.follow(wait_seconds=_REPAIR_SECONDS, work_seconds=_REPAIR_SECONDS)

    def verify(self) -> None:
        """Begin the index anew where it doesn't hold what the catalogue does.

        Both agree after every kill; this finds what a power cut or a restored backup made of them.
        """
        with self._mutex, self.lock:
            if not self._is_current():
                return  # others are writing: nothing to compare
            expected = self._catalogue.counts().chunks
            held = self._index.chunk_count()
            if held != expected and self._is_current():
                self._index = self._begin(
                    f"{self._index.folder} holds {held:,} chunks and not {expected:,}"
                )

    def rebuild(self) -> None:
        """Begin the index anew and fill it from the catalogue: deleted entries leave nothing."""
        with self._mutex, self.lock:
            self._index = self._begin("")
        self.follow(wait_seconds=_OPEN_SECONDS)

    def tidy(self) -> None:
        """Remove the indexes of versions of pit-memory that nobody has used for a month."""
        long_ago = time.time() - _UNUSED_SECONDS
        with self._mutex, self.lock:
            used = set()
            for row in self._catalogue.followers():
                ours = row.name.startswith(_PREFIX)
                if ours and row.name != _NAME and row.recorded_at < long_ago:
                    self._catalogue.forget_follower(row.name)
                else:
                    used.add(row.directory)
            for folder in self._folder.glob(f"{_PREFIX}*"):
                if folder.is_dir() and folder.name not in used:
                    KeywordIndex.remove(folder)

    def _is_current(self) -> bool:
        """See what others committed; False where there is something left to do."""
        generation, directory = self._catalogue.follower(_NAME)
        if self._index.damaged or directory != self._index.folder.name:
            return False
        if generation != self._reached:
            try:
                self._index.reload()
            except StoreCorruptError:
                return False
            self._reached = generation
        return generation == self._catalogue.generation()

    def _step_if_free(self) -> int | None:
        """Bring in one batch; how many documents are left, None where another is at it."""
        if not self.lock.try_acquire():
            return None
        try:
            return self._step()
        finally:
            if self._index.is_merging:  # what was written can be found: nobody waits for the rest
                Thread(target=self._finish_merges, args=(self._index,), name="merging").start()
            else:
                self.lock.release()

    def _finish_merges(self, index: KeywordIndex) -> None:
        try:
            with suppress(StoreError, StorageFullError):  # whoever asks it next meets the damage
                index.finish_merges()
        finally:
            self.lock.release()

    def _step(self) -> int:
        """Bring in one batch; how many documents are left. The lock is held."""
        self._index = self._usable(self._index)
        changes = self._catalogue.changes_since(self._reached, limit=_STEP_DOCUMENTS)
        if changes.generation != self._reached:
            whole = tuple(self._catalogue.whole_documents(changes.changed))
            few = len(whole) < _STEP_DOCUMENTS
            self._index.apply(changes.removed, whole, entries_for, leave_merges=few)
            self._catalogue.set_follower(_NAME, changes.generation, self._index.folder.name)
            self._reached = changes.generation
        return changes.left

    def _usable(self, index: KeywordIndex | None) -> KeywordIndex:
        """The index as the last commit left it; a new one where it is damaged. The lock is held."""
        self._reached, directory = self._catalogue.follower(_NAME)
        try:
            if index is None or directory != index.folder.name:
                return KeywordIndex.open(self._folder / directory)
            if index.damaged:
                return self._begin(index.damaged)
            index.reload()
        except StoreCorruptError as error:
            return self._begin(str(error) if directory else "")
        return index

    def _begin(self, damage: str) -> KeywordIndex:
        """Begin an index of a new name; the others go. The lock is held."""
        if damage:
            self._notes.append(f"{damage}; it is built again")
        index = KeywordIndex.create(self._folder / f"{_NAME}-{time.time_ns():x}")
        self._catalogue.set_follower(_NAME, 0, index.folder.name)
        self._reached = 0
        for old in self._folder.glob(f"{_NAME}-*"):
            if old != index.folder:
                KeywordIndex.remove(old)
        return index

    # The leg

    def rank(self, terms: KeywordTerms, filters: SearchFilters, limit: int) -> Ranking:
        """Rank chunks by words, at most `limit`.

        Raises:
            UsageError: a path filter is a glob that can't be compiled.
        """
        return self._ask(lambda index: index.rank(terms, filters, limit))

    def rank_pages(self, terms: KeywordTerms, filters: SearchFilters, limit: int) -> Ranking:
        """Rank whole incident records by words, at most `limit`; ids are those of first chunks."""
        return self._ask(lambda index: index.rank_pages(terms, filters, limit))

    def chunk_frequencies(self, stems: Sequence[str]) -> list[int]:
        """In how many chunk entries each stem occurs, in the order given, whatever the filters."""
        return self._ask(lambda index: index.chunk_frequencies(stems))

    def languages(self) -> dict[str, int]:
        """How many chunk entries are in each language that any is in."""
        return self._ask(lambda index: index.languages())

    def chunk_count(self) -> int:
        """How many chunk entries the index holds."""
        return self._ask(lambda index: index.chunk_count())

    def holding(self, literal: str, filters: SearchFilters, limit: int) -> list[int] | None:
        """Ids of the chunks that may hold a literal in any case; None where more than `limit`."""
        return self._ask(lambda index: index.holding(literal, filters, limit))

    def held(self) -> frozenset[int]:
        """Ids of all chunks in the index, for checks against the catalogue."""
        return self._ask(lambda index: index.held())

    def _ask(self, question: Callable[[KeywordIndex], T]) -> T:
        try:
            return question(self._index)
        except StoreCorruptError:
            self.follow(wait_seconds=_REPAIR_SECONDS, work_seconds=_REPAIR_SECONDS)
            return question(self._index)
