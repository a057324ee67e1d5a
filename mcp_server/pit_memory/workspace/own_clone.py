"""A clone that a server keeps at its remote: one process at a time, and whole after any kill.

The lock lies in git's own folder, and the kernel frees it when the process that holds it has ended,
with every git that it has started. A file beside it names what is being merged: where it is there
and the lock is free, a merge was cut off, and what it had brought in by then is taken back.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import names_of
from pit_memory.workspace.git_remote import FETCH_SECONDS, CutOffError, run_remote_git
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.work_trees import work_tree_of

_LEASE_SECONDS: Final = 120.0
"""For another process that writes, or brings in what was pushed."""
_YIELD_SECONDS: Final = 0.05
"""Longer than the pause between two tries of others who wait: one of them is next."""
_STALE_SECONDS: Final = 2.0
"""A git that holds the index longer has been killed, where all of ours have ended."""
_PATHS_AT_ONCE: Final = 500
"""In one command: a command line has its limits."""
_LITERAL: Final = "--literal-pathspecs"


class OwnClone:
    """A clone of a server."""

    def __init__(self, top: Path) -> None:
        """Name it; nothing is asked yet.

        Raises:
            GitError: `top` is no work tree.
        """
        tree = work_tree_of(top)
        if tree is None:
            message = f"{top} is no git work tree: clone the documents there"
            raise GitError(message)
        self.top, own = tree
        self._own = own
        self._merging = own / "pit-memory-merging"
        self._lease = FileLock(own / "pit-memory-lease.lock", kept_by_children=True)

    @contextmanager
    def lease(self) -> Iterator[None]:
        """Be the one that changes it; at most `_LEASE_SECONDS` are waited. Raises StoreBusyError.

        What a killed holder left of a merge is cleared up first.
        """
        self._lease.acquire(_LEASE_SECONDS)
        try:
            if self._merging.exists():
                self._take_back()
            yield
        finally:
            self._lease.release()
            time.sleep(_YIELD_SECONDS)

    def git(self, *arguments: str, seconds: float = FETCH_SECONDS) -> str:
        """Run git there. Raises GitError."""
        return run_remote_git(self.top, arguments, seconds)

    def has(self, name: str) -> bool:
        """Tell whether there is a commit of some name."""
        try:
            self.git("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
        except GitError:
            return False
        return True

    @property
    def head(self) -> str:
        """The commit it stands at."""
        return self.git("rev-parse", "HEAD").strip()

    def merge(self, other: str, *options: str, before: Sequence[str] = ()) -> None:
        """Merge a commit; the caller holds the lease.

        Args:
            other: what to merge.
            options: of `git merge`.
            before: of git itself.

        Raises:
            GitError: git refuses; a merge that stopped in the middle is still there.
        """
        self._merging.write_text(self.git("rev-parse", "--verify", f"{other}^{{commit}}"))
        try:
            self.git(*before, "merge", "--quiet", *options, other)
        except CutOffError:
            raise  # the next holder of the lease takes back what it has done
        except GitError:
            self._merging.unlink()
            raise
        self._merging.unlink()

    def drop_stale_index_lock(self) -> None:
        """Remove the lock that a killed git left; the caller holds the lease."""
        lock = self._own / "index.lock"
        with suppress(FileNotFoundError):
            before = lock.stat().st_mtime_ns
            time.sleep(_STALE_SECONDS)  # a person's own git would be done
            if lock.stat().st_mtime_ns == before:
                lock.unlink()

    def _take_back(self) -> None:
        """Bring what a cut-off merge has touched back to the last commit."""
        self.drop_stale_index_lock()
        other = self._merging.read_text().strip()
        if self.has(other):
            changed = names_of(self.git("diff", "--name-only", "--no-renames", "-z", "HEAD", other))
            theirs = {*changed} & {*names_of(self.git("ls-tree", "-rz", "--name-only", other))}
            ours = {*changed} & {*names_of(self.git("ls-tree", "-rz", "--name-only", "HEAD"))}
            for some in _in_parts(sorted(changed)):
                self.git(_LITERAL, "reset", "--quiet", "HEAD", "--", *some)
            for some in _in_parts(sorted(ours)):
                self.git(_LITERAL, "checkout", "--quiet", "HEAD", "--", *some)
            for path in theirs - ours:
                self._remove_begun(path, other)
        if self.has("MERGE_HEAD"):
            self.git("merge", "--quit")
        self._merging.unlink(missing_ok=True)

    def _remove_begun(self, path: str, other: str) -> None:
        """Remove a file that the merge has made, whole or cut off; another one stays."""
        place = self.top / path
        if not place.is_file() or place.is_symlink():
            return
        text = self.git("cat-file", "blob", f"{other}:{path}")
        if text.encode("utf-8", "surrogateescape").startswith(place.read_bytes()):
            place.unlink()


def _in_parts(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(paths), _PATHS_AT_ONCE):
        yield paths[start : start + _PATHS_AT_ONCE]


def fetch_and_forward(top: Path) -> str:
    """Bring a clone to its upstream by a fast-forward; returns the commit it stands at.

    Nothing that isn't pushed is lost: where the branch has commits of its own, or a file was
    changed, git refuses, and the clone stays as it is.

    Raises:
        GitError: no upstream, out of reach, or not forward; says what to do.
        StoreBusyError: another process is at it for long.
    """
    clone = OwnClone(top)
    with clone.lease():
        clone.git("fetch", "--quiet", "--prune")
        try:
            clone.merge("@{upstream}", "--ff-only")
        except GitError as error:
            message = f"{error}; bring the clone back to its upstream by hand"
            raise GitError(message) from error
        return clone.head
