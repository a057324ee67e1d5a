"""Commits that many processes share: whoever holds the lock commits what all of them have written.

What waits is a mark, a file beside git's own. It is made before the file that it names, so that a
kill in between leaves that to the next commit.
"""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.errors import StorageFullError
from pit_memory.workspace.commits import LOCK_SECONDS, Changed, commit_locked
from pit_memory.workspace.files import make_folder, storage_errors
from pit_memory.workspace.git import GitFailure, tracked_among
from pit_memory.workspace.locks import FileLock

_WAITING = "pit-memory-waiting"
"""Folder below git's own: a file for each path that waits to be committed, which it names."""
_PAUSE_SECONDS = 0.01
_WRITING_SECONDS = 600.0
"""So long a mark may name a file that isn't there: its writer is at it, or was killed before."""
_MOST_AT_ONCE = 500
"""Paths to a commit: a command line has its limits."""


class SharedCommits:
    """The commits of one work tree."""

    def __init__(self, top: Path, own: Path, lock: FileLock, protected: Sequence[str] = ()) -> None:
        """Name the parts.

        Args:
            top: root of the work tree.
            own: git's folder of that work tree.
            lock: shared by all our processes that commit to this repository.
            protected: globs of branches on which nothing is committed.
        """
        self._top = top
        self._lock = lock
        self._protected = protected
        self._folder = own / _WAITING

    def announce(self, paths: Sequence[str]) -> list[Path]:
        """Note that files are about to be written; returns the marks for `commit`.

        Args:
            paths: POSIX paths relative to the top.

        Raises:
            StorageFullError: no room, or a read-only folder.
        """
        return [self._mark(path) for path in paths]

    def commit(
        self, paths: Sequence[str], message: str, announced: Sequence[Path] = ()
    ) -> CommitOutcome:
        """Commit files that only pit-memory writes, together with what others wait for.

        Args:
            paths: POSIX paths relative to the top; those that are gone are committed as gone.
            message: of a commit of these alone; one that takes others along names their number.
            announced: their marks where none of them was there when it was announced: whoever has
                taken such a mark has committed the file.

        Returns:
            What became of these paths; what could not be committed goes with a later commit.
        """
        outcome = CommitOutcome("committed")
        try:
            if announced:
                return self._commit_marked(announced, message)
            for begin in range(0, len(paths), _MOST_AT_ONCE):
                some, rest = paths[begin : begin + _MOST_AT_ONCE], paths[begin + _MOST_AT_ONCE :]
                outcome = self._commit_marked(self.announce(some), message)
                if outcome.state != "committed":
                    self.announce(rest)
                    return outcome
        except StorageFullError as error:
            return CommitOutcome("not committed", reason=str(error))
        return outcome

    def _commit_marked(self, marks: Sequence[Path], message: str) -> CommitOutcome:
        ends = time.monotonic() + LOCK_SECONDS
        while not self._lock.try_acquire():
            if not any(mark.exists() for mark in marks):
                return CommitOutcome("committed")
            if time.monotonic() > ends:
                reason = f"{self._lock.path} is held by another process; a later commit takes it"
                return CommitOutcome("not committed", reason=reason)
            time.sleep(_PAUSE_SECONDS)
        try:
            return self._commit_all(marks, message)
        finally:
            self._lock.release()

    def _commit_all(self, marks: Sequence[Path], message: str) -> CommitOutcome:
        outcome = CommitOutcome("committed")
        while own := {mark: None for mark in marks if mark.exists()}:
            others = sorted(self._folder.iterdir())
            some = [*own, *(mark for mark in others if mark not in own)][:_MOST_AT_ONCE]
            waiting = {mark: path for mark in some if (path := _path_of(mark))}
            paths = list(dict.fromkeys(waiting.values()))
            there = [path for path in paths if os.path.lexists(self._top / path)]
            gone = self._tracked([path for path in paths if path not in there])
            taken = {*there, *gone}
            more = len(taken - {waiting.get(mark, "") for mark in own})
            outcome = commit_locked(
                self._top,
                Changed((), gone, rewritten=there),
                f"{message} and {more} more" if more > 0 else message,
                protected=self._protected,
            )
            if outcome.state != "committed":
                return outcome
            for mark, path in waiting.items():
                if path in taken or mark in own or not _is_fresh(mark):
                    mark.unlink(missing_ok=True)
        return outcome

    def _tracked(self, paths: Sequence[str]) -> Sequence[str]:
        known = tracked_among(self._top, paths) if paths else frozenset()
        return [] if isinstance(known, GitFailure) else sorted(known)

    def _mark(self, path: str) -> Path:
        """Note that a path waits: anew each time, as it may change while others commit it."""
        mark = self._folder / os.urandom(8).hex()
        make_folder(self._folder)
        with storage_errors(mark):
            mark.write_text(path, encoding="utf-8")
        return mark


def forget_waiting(own: Path, folder: str) -> None:
    """Forget what waits below a folder; the lock of commits is held.

    Args:
        own: git's folder of the work tree.
        folder: POSIX path relative to its top.
    """
    for mark in _waiting_below(own, folder):
        mark.unlink(missing_ok=True)


def is_waiting(own: Path, folder: str) -> bool:
    """Whether something waits below a folder, as `forget_waiting` takes both."""
    return any(_waiting_below(own, folder))


def _waiting_below(own: Path, folder: str) -> Iterator[Path]:
    marks = (own / _WAITING).glob("*")
    return (mark for mark in marks if _path_of(mark).startswith(f"{folder}/"))


def _is_fresh(mark: Path) -> bool:
    try:
        return time.time() - mark.stat().st_mtime < _WRITING_SECONDS
    except FileNotFoundError:
        return False


def _path_of(mark: Path) -> str:
    """The path that a mark names; empty where it is gone or another process is writing it."""
    try:
        return mark.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
