"""The branch that a server's clone stands on: the team's documents, and what agents wrote since.

Its commits are pushed at once, and people publish from it. Several servers may push to it: each
takes in what the others pushed and tries again. What two have written under one name is kept under
two, so that no server waits for a person to merge.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Final

from pit_memory.errors import GitError
from pit_memory.workspace.files import write_new
from pit_memory.workspace.git_command import names_of
from pit_memory.workspace.git_remote import FETCH_SECONDS
from pit_memory.workspace.own_clone import OwnClone

REMOTE: Final = "origin"
_PUSH_TRIES: Final = 5
_PAUSE_SECONDS: Final = 0.2
_WRITE_SECONDS: Final = 20.0
"""For the remote, before a write and after it: somebody waits for the receipt."""
_NAME: Final = ("-c", "user.name=pit-memory", "-c", "user.email=pit-memory@localhost")
"""Of merges that the server makes; what agents write bears the clone's own name."""
_BOTH_ADDED: Final = frozenset("23")
"""The stages of a file that both sides have and their common past has not."""


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
        self.branch = branch
        self._base = base
        self._clone = OwnClone(top)
        self._within = top.resolve().relative_to(self._clone.top.resolve())
        self._ends = 0.0

    @contextmanager
    def lease(self) -> Iterator[None]:
        """Be the one that writes. Raises StoreBusyError.

        What a killed holder added to the index and did not commit stays a file.
        """
        with self._clone.lease():
            self._ends = time.monotonic() + FETCH_SECONDS
            self._clone.drop_stale_index_lock()
            self._git("reset", "--quiet")
            yield

    def prepare(self) -> None:
        """Stand on the branch, made from the team's where it is new, and see that it can be pushed.

        Raises:
            GitError: the remote is out of reach, or refuses; with what to do.
            StoreBusyError: another process holds the lease for long.
        """
        with self.lease():
            # What git does in the background would hold the lease after us.
            self._git("config", "gc.autoDetach", "false")
            self._git("config", "maintenance.autoDetach", "false")
            self._fetch()
        self.check_push()

    def check_push(self) -> None:
        """See that the remote would take a push. Raises GitError.

        Forced, for another server may have pushed a moment ago, and dry, so that nothing happens.
        """
        self._ends = time.monotonic() + FETCH_SECONDS
        self._git("push", "--quiet", "--dry-run", REMOTE, f"+HEAD:refs/heads/{self.branch}")

    def bring_in(self) -> str:
        """Take in what the team and other servers pushed, push what waits; returns the commit.

        Raises:
            GitError: out of reach, or a merge that people have to make; the clone stays as it was.
            StoreBusyError: another process holds the lease for long.
        """
        with self.lease():
            self._fetch()
            self._push()
            return self._clone.head

    def take_in(self) -> str:
        """Take in what was pushed, where nothing may be pushed from here; raises likewise."""
        with self.lease():
            self._fetch()
            return self._clone.head

    def refresh(self) -> None:
        """Take in what was pushed before something is written; the caller holds the lease.

        Raises:
            GitError: out of reach for a short time, or a merge that people have to make.
        """
        self._ends = time.monotonic() + _WRITE_SECONDS
        self._fetch()

    def holds(self, path: str) -> bool:
        """Tell whether a file was committed to it, not to a repository of its own.

        Args:
            path: POSIX path below the folder that was named.
        """
        whole = (self._within / path).as_posix()
        return bool(self._git("--literal-pathspecs", "ls-tree", "--name-only", "HEAD", "--", whole))

    def push(self) -> Mapping[str, str]:
        """Push what was committed; the caller holds the lease.

        Returns:
            The new paths, by the old ones, of what another server has written under the same name;
            below the folder that was named.

        Raises:
            GitError: it could not be pushed in a short time; `bring_in` tries again.
        """
        self._ends = time.monotonic() + _WRITE_SECONDS
        renamed = {PurePosixPath(old): PurePosixPath(new) for old, new in self._push().items()}
        return {
            str(old.relative_to(self._within)): str(new.relative_to(self._within))
            for old, new in renamed.items()
            if old.is_relative_to(self._within)
        }

    @property
    def _theirs(self) -> str:
        return f"{REMOTE}/{self.branch}"

    def _fetch(self) -> None:
        """Stand on the branch as it is on the remote now, the team's documents merged into it."""
        self._git("fetch", "--quiet", "--prune", REMOTE)
        if self._git("branch", "--show-current").strip() != self.branch:
            known = self._clone.has(f"refs/heads/{self.branch}")
            start = self._theirs if self._clone.has(self._theirs) else f"{REMOTE}/{self._base}"
            arguments = [self.branch] if known else ["--no-track", "-c", self.branch, start]
            self._git("switch", "--quiet", *arguments)
        self._take_in()

    def _push(self) -> Mapping[str, str]:
        renamed: dict[str, str] = {}
        for tries_left in reversed(range(_PUSH_TRIES)):
            if self._clone.has(self._theirs) and not self._git(
                "rev-list", "--max-count=1", f"{self._theirs}..HEAD"
            ):
                break
            try:
                self._git("push", "--quiet", REMOTE, f"HEAD:refs/heads/{self.branch}")
            except GitError:
                if not tries_left or time.monotonic() > self._ends:
                    raise
                time.sleep(_PAUSE_SECONDS)
                self._git("fetch", "--quiet", REMOTE)
                renamed |= self._take_in()
            else:
                break
        return renamed

    def _take_in(self) -> Mapping[str, str]:
        """Merge what is on the remote; undone whole where it can't be. Returns what was renamed."""
        renamed: dict[str, str] = {}
        for other in (self._theirs, f"{REMOTE}/{self._base}"):
            if not self._is_news(other):
                continue
            self._commit_what_is_in_the_way(other)
            try:
                self._clone.merge(other, "--no-edit", before=_NAME)
            except GitError as error:
                if not self._clone.has("MERGE_HEAD"):
                    raise
                settled = self._settle(other)
                if settled is None:
                    self._git("merge", "--abort")
                    message = f"{error}; merge {other} into {self.branch} by hand and push it"
                    raise GitError(message) from error
                renamed |= settled
        return renamed

    def _is_news(self, other: str) -> bool:
        """Whether a branch of the remote, if there is one, has what this one lacks."""
        try:
            return bool(self._git("rev-list", "--max-count=1", f"HEAD..{other}", "--"))
        except GitError:
            return False  # there is none yet

    def _commit_what_is_in_the_way(self, other: str) -> None:
        """Commit pages that nobody has committed and that a merge would write over.

        A killed server leaves such a page, and whoever waited has written it on another server.
        """
        brought = names_of(
            self._git("diff", "--name-only", "--diff-filter=A", "--no-renames", "-z", "HEAD", other)
        )
        loose = names_of(self._git("ls-files", "--others", "--exclude-standard", "-z"))
        pages = sorted({*brought} & {path for path in loose if path.endswith(".md")})
        if pages:
            self._git("--literal-pathspecs", "add", "--", *pages)
            message = f"docs: keep what was written before {other} had it"
            self._git("commit", "--quiet", "--message", message)

    def _settle(self, other: str) -> Mapping[str, str] | None:
        """Keep both files where both sides have made one of a name: theirs has the name.

        Returns:
            The new paths by the old ones; None where it is another conflict.
        """
        ours: dict[str, str] = {}
        stages: dict[str, set[str]] = {}
        for row in names_of(self._git("ls-files", "--unmerged", "-z")):
            about, _, path = row.partition("\t")
            _, blob, stage = about.split(" ")
            stages.setdefault(path, set()).add(stage)
            if stage == "2":
                ours[path] = blob
        if any(found != _BOTH_ADDED for found in stages.values()):
            return None
        renamed = {}
        for path, blob in ours.items():
            text = self._git("cat-file", "blob", blob).encode("utf-8", "surrogateescape")
            renamed[path] = self._under_another_name(path, text)
            self._git("checkout", "--quiet", "--theirs", "--", path)
            self._git("add", "--", path, renamed[path])
        try:
            message = f"Merge {other}: two files of one name are kept"
            self._git(*_NAME, "commit", "--quiet", "--message", message)
        except GitError:
            for path in renamed.values():
                self._git("rm", "--quiet", "--force", "--", path)
            return None
        return renamed

    def _under_another_name(self, path: str, data: bytes) -> str:
        number = 2
        while True:
            at = PurePosixPath(path)
            free = str(at.with_name(f"{at.stem}-{number}{at.suffix}"))
            with suppress(FileExistsError):
                write_new(self._clone.top / free, data)
                return free
            number += 1

    def _git(self, *arguments: str) -> str:
        return self._clone.git(*arguments, seconds=max(1.0, self._ends - time.monotonic()))
