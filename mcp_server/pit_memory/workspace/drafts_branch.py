"""The branch that a server's clone stands on: the team's documents, and what agents wrote since.

Its commits are pushed at once, and people publish from it. Several servers may push to it: each
takes in what the others pushed and tries again. In one clone, one process at a time does so, under
a lock in git's own folder that the kernel frees when it ends, however it ends.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pit_memory.errors import GitError
from pit_memory.workspace.git_remote import run_remote_git
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.work_trees import git_dir

REMOTE: Final = "origin"
_LEASE_SECONDS: Final = 120.0
"""For another process that writes, or brings in what was pushed."""
_STALE_SECONDS: Final = 2.0
_PUSH_TRIES: Final = 5
_PAUSE_SECONDS: Final = 0.2
_NAME: Final = ("-c", "user.name=pit-memory", "-c", "user.email=pit-memory@localhost")
"""Of merges that the server makes; what agents write bears the clone's own name."""


class DraftsBranch:
    """A branch of a clone and of its remote."""

    def __init__(self, top: Path, branch: str, base: str) -> None:
        """Name the parts; nothing is asked yet.

        Args:
            top: the clone.
            branch: where drafts are pushed to, such as `pit-memory/drafts`.
            base: the team's branch, which is merged into it.

        Raises:
            GitError: `top` is no work tree.
        """
        own = git_dir(top)
        if own is None:
            message = f"{top} is no git work tree: clone the documents there"
            raise GitError(message)
        self.branch = branch
        self._top = top
        self._base = base
        self._index_lock = own / "index.lock"
        self._lease = FileLock(own / "pit-memory-lease.lock")

    @contextmanager
    def lease(self) -> Iterator[None]:
        """Be the one that writes; at most `_LEASE_SECONDS` are waited. Raises StoreBusyError."""
        self._lease.acquire(_LEASE_SECONDS)
        try:
            yield
        finally:
            self._lease.release()

    def prepare(self) -> None:
        """Stand on the branch, made from the team's where it is new, and see that it can be pushed.

        Raises:
            GitError: the remote is out of reach, or refuses; with what to do.
            StoreBusyError: another process holds the lease for long.
        """
        with self.lease():
            self._recover()
            self._fetch()
            self.check_push()

    def _fetch(self) -> None:
        """Stand on the branch as it is on the remote now, the team's documents merged into it."""
        self._git("fetch", "--quiet", "--prune", REMOTE)
        if self._git("branch", "--show-current").strip() != self.branch:
            known = self._has(f"refs/heads/{self.branch}")
            start = self._theirs if self._has(self._theirs) else f"{REMOTE}/{self._base}"
            arguments = [self.branch] if known else ["--no-track", "-c", self.branch, start]
            self._git("switch", "--quiet", *arguments)
        self._take_in()

    def _recover(self) -> None:
        """Clear up what a killed write left: under the lease nobody else is at it."""
        if self._index_lock.exists():
            before = self._index_lock.stat().st_mtime_ns
            time.sleep(_STALE_SECONDS)  # a person's own git would be done
            with suppress(FileNotFoundError):
                if self._index_lock.stat().st_mtime_ns == before:
                    self._index_lock.unlink()
        if self._has("MERGE_HEAD"):
            self._git("merge", "--abort")
        self._git("reset", "--quiet")  # a file that was added and not committed stays a file

    def check_push(self) -> None:
        """See that the remote would take a push. Raises GitError."""
        self._git("push", "--quiet", "--dry-run", REMOTE, f"HEAD:refs/heads/{self.branch}")

    def bring_in(self) -> str:
        """Take in what the team and other servers pushed, push what waits; returns the commit.

        Raises:
            GitError: out of reach, or a merge that people have to make; the clone stays as it was.
            StoreBusyError: another process holds the lease for long.
        """
        with self.lease():
            self._fetch()
            self._push()
            return self._git("rev-parse", "HEAD").strip()

    def take_in(self) -> str:
        """Take in what was pushed, where nothing may be pushed from here; raises likewise."""
        with self.lease():
            self._fetch()
            return self._git("rev-parse", "HEAD").strip()

    def push(self) -> None:
        """Push what was committed; the caller holds the lease.

        Raises:
            GitError: it could not be pushed; `bring_in` tries again.
        """
        self._push()

    @property
    def _theirs(self) -> str:
        return f"{REMOTE}/{self.branch}"

    def _push(self) -> None:
        for tries_left in reversed(range(_PUSH_TRIES)):
            if self._has(self._theirs) and not self._git(
                "rev-list", "--max-count=1", f"{self._theirs}..HEAD"
            ):
                return
            try:
                self._git("push", "--quiet", REMOTE, f"HEAD:refs/heads/{self.branch}")
            except GitError:
                if not tries_left:
                    raise
                time.sleep(_PAUSE_SECONDS)
                self._git("fetch", "--quiet", REMOTE)
                self._take_in()
            else:
                return

    def _take_in(self) -> None:
        """Merge what is on the remote; undone whole where it can't be."""
        for other in (self._theirs, f"{REMOTE}/{self._base}"):
            if not self._has(other):
                continue
            try:
                self._git(*_NAME, "merge", "--quiet", "--no-edit", other)
            except GitError as error:
                if self._has("MERGE_HEAD"):
                    self._git("merge", "--abort")
                message = f"{error}; merge {other} into {self.branch} by hand and push it"
                raise GitError(message) from error

    def _has(self, name: str) -> bool:
        try:
            self._git("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
        except GitError:
            return False
        return True

    def _git(self, *arguments: str) -> str:
        return run_remote_git(self._top, arguments)
