"""Commits of single files, beside whatever else the person is doing in the repository.

What is staged stays staged, hooks and signing are respected, and a commit that fails leaves the
file where it is, unstaged. GitPython would do the same by the same commands and costs 100 ms more.
"""

import random
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.text.globs import Globs
from pit_memory.core.writing.commit_messages import short_message
from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.errors import GitError, StorageFullError, StoreBusyError
from pit_memory.workspace.git_command import names_of
from pit_memory.workspace.git_process import TooSlowError
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.timed_git import Done, TimedGit
from pit_memory.workspace.work_trees import git_dir

COMMIT_SECONDS = 60.0
"""For everything, hooks included."""
LOCK_SECONDS = 30.0
"""For other processes of ours that commit to the same repository."""
_RETRY_SECONDS = 5.0
"""For a git of the person's that holds `index.lock` or moves HEAD meanwhile."""
PAUSE_SECONDS = (0.02, 0.15)
"""Between two tries; a random time, so that two of us don't meet again."""

_IN_PROGRESS = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or `git am`",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
    "sequencer": "a cherry-pick or revert of several commits",
}
"""What lies in git's own folder of a worktree while something is going on there."""
_MADE = re.compile(r"^\[.* (?P<id>[0-9a-f]{7,64})\] ", re.MULTILINE)
_FILES = re.compile(r"^ (\d+) files? changed", re.MULTILINE)
_NOTHING = re.compile(r"^nothing (?:added )?to commit|^no changes added", re.MULTILINE)
"""A file that was rewritten may be as it was, or somebody has committed it meanwhile."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The files that a call of ours made or took away; nobody else's."""

    created: Sequence[str]
    """POSIX paths relative to the top of the work tree, symlinks resolved; on disk."""
    removed: Sequence[str] = ()
    """Tracked files that are on disk no more."""
    edited: Sequence[str] = ()
    """Tracked files that had no change of the person's before ours."""
    rewritten: Sequence[str] = ()
    """Files that only pit-memory writes; git may know them."""

    @property
    def present(self) -> Sequence[str]:
        """All that need to be added."""
        return (*self.created, *self.rewritten)


def commit_files(
    top: Path,
    changed: Changed,
    message: str,
    lock: FileLock,
    *,
    protected: Sequence[str] = (),
    seconds: float = COMMIT_SECONDS,
) -> CommitOutcome:
    """Commit files, and nothing else; what keeps them from it is a value.

    Args:
        top: root of the work tree.
        changed: what to commit.
        message: its first line is cut to what people read in a log.
        lock: shared by all our processes that commit to this repository.
        protected: globs of branches on which nothing is committed.
        seconds: for everything, hooks included.
    """
    own = git_dir(top)
    if own is None:
        return CommitOutcome("no repository", reason=f"{top} is no git repository")
    try:
        lock.acquire(LOCK_SECONDS)
    except (StoreBusyError, StorageFullError) as error:
        return not_committed(str(error))
    try:
        return commit_locked(top, changed, message, protected=protected, seconds=seconds)
    finally:
        lock.release()


def commit_locked(
    top: Path,
    changed: Changed,
    message: str,
    *,
    protected: Sequence[str] = (),
    seconds: float = COMMIT_SECONDS,
) -> CommitOutcome:
    """Commit files as `commit_files` does, of the same arguments; the caller holds the lock."""
    if why := why_not_now(top):
        return not_committed(why)
    try:
        return _Commit(top, changed, short_message(message), seconds).run(Globs(protected))
    except GitError as error:
        return not_committed(str(error))


def unstage_new(top: Path, path: str, lock: FileLock) -> bool:
    """Unstage a file that HEAD lacks; tell whether git knows nothing of it now.

    Args:
        top: root of the work tree.
        path: POSIX path relative to it.
        lock: shared by all our processes that commit to this repository.
    """
    try:
        with lock:
            return _Commit(top, Changed([path]), "", COMMIT_SECONDS).unstage_new()
    except (GitError, StoreBusyError, StorageFullError):
        return False


def why_not_now(top: Path) -> str:
    """Say what is going on in a work tree that a commit would disturb; empty where nothing is."""
    own = git_dir(top)
    for name, what in _IN_PROGRESS.items():
        if own is not None and (own / name).exists():
            return f"{what} is in progress in {top}; commit the file when it is done"
    return ""


def why_protected(branch: str) -> str:
    """Say why nothing is committed on a branch, and how to get to one where it is."""
    return f"{branch} is protected (commit.protected); begin another one with `git switch -c NAME`"


def not_committed(reason: str) -> CommitOutcome:
    """The outcome where something kept files from being committed."""
    return CommitOutcome("not committed", reason=reason)


class _Commit:
    """One commit, in the making."""

    def __init__(self, top: Path, changed: Changed, message: str, seconds: float) -> None:
        self._top = top
        self._changed = changed
        self._message = message
        self._seconds = seconds
        self._timed = TimedGit(top, seconds)

    def run(self, protected: Globs) -> CommitOutcome:
        try:
            branch, unknown, ignored = self._status()
            known = (
                self._known() if not ignored and len(unknown) < len(self._changed.created) else ""
            )
        except TooSlowError:
            return not_committed(f"git status took longer than {self._seconds:g} s")
        if branch and protected.match(branch):
            return not_committed(why_protected(branch))
        if ignored:
            return not_committed(f"git ignores {ignored}")
        if known:
            return not_committed(
                f"git knows a file of that name already: {known}; commit it yourself"
            )
        try:
            done = self._add_and_commit()
        except TooSlowError:
            why = f"it took longer than {self._seconds:g} s and was ended (a hook that hangs?)"
        else:
            if done.code == 0 or (self._changed.rewritten and _NOTHING.search(done.out)):
                return self._committed(done, branch)
            why = done.complaint
        return self._undone(why, branch)

    def unstage_new(self) -> bool:
        try:
            if self._in_head():
                return False
            return self._git("reset", "--quiet", "--", *self._changed.created).code == 0
        except TooSlowError:
            return False

    def _status(self) -> tuple[str, frozenset[str], str]:
        """The branch (empty where HEAD is detached), new files among ours, one that is ignored.

        A file that git knew before is none of ours, whatever is staged of it.
        """
        done = self._git(
            *("status", "--porcelain=v2", "--branch", "-z", "--no-ahead-behind", "--no-renames"),
            *("--untracked-files=all", "--ignored", "--", *self._changed.present),
        )
        if done.code:
            raise GitError(done.complaint)
        rows = names_of(done.out)
        branch = next((row[14:] for row in rows if row.startswith("# branch.head ")), "")
        known = {row.split(" ", 8)[-1] for row in rows if row.startswith("1 ")}
        unknown = frozenset(row[2:] for row in rows if row.startswith("? ")) - known
        is_ignored = any(row.startswith("! ") for row in rows)
        left = [path for path in self._changed.created if path not in unknown]
        ignored = left[0] if left and is_ignored else ""
        return "" if branch == "(detached)" else branch, unknown, ignored

    def _known(self) -> str:
        """The first of the new files that git knows already; empty where it knows none.

        It may see none of a file for another reason, such as a symlink on the way: adding tells.
        """
        listed = self._git("ls-files", "-z", "--", *self._changed.created)
        return next(iter(names_of(listed.out) + self._in_head()), "")

    def _in_head(self) -> list[str]:
        tree = self._git("ls-tree", "-r", "-z", "--name-only", "HEAD", "--", *self._changed.created)
        return names_of(tree.out)

    def _add_and_commit(self) -> Done:
        retry_until = time.monotonic() + _RETRY_SECONDS
        while True:
            done = self._git("add", "--", *self._changed.present)
            if done.code == 0:
                changed = self._changed
                paths = (*changed.present, *changed.edited, *changed.removed)
                done = self._git("commit", "--only", "--message", self._message, "--", *paths)
            if not done.is_busy or time.monotonic() > retry_until:
                return done
            time.sleep(random.uniform(*PAUSE_SECONDS))  # noqa: S311 -- nothing to guess

    def _committed(self, done: Done, branch: str) -> CommitOutcome:
        made = _MADE.findall(done.out)
        detached = "" if branch else "HEAD is detached: make a branch, or it may be lost"
        also: tuple[str, ...] = ()
        with suppress(TooSlowError, GitError):
            also = self._follow_hooks(done)
        return CommitOutcome("committed", made[-1] if made else "", branch, detached, also)

    def _follow_hooks(self, done: Done) -> tuple[str, ...]:
        """Stage nothing that a hook has changed while committing; return what it added.

        A hook sees an index of its own, and git leaves the person's as it was: a file that the hook
        has formatted would be staged as it was before, and one that it added as deleted.
        """
        changed = self._changed
        if not changed.created:
            return ()
        self._git("reset", "--quiet", "--", *changed.created)
        counted = _FILES.findall(done.out)
        ours = {*changed.present, *changed.edited, *changed.removed}
        if not counted or int(counted[-1]) <= len(ours):
            return ()
        shown = self._git("show", "--format=", "--name-only", "--no-renames", "-z", "HEAD")
        also = [path for path in names_of(shown.out) if path not in ours]
        known = names_of(self._git("ls-files", "-z", "--", *also).out) if also else also
        if left := [path for path in also if path not in known and self._is_new(path)]:
            self._git("reset", "--quiet", "--", *left)
        return tuple(also)

    def _is_new(self, path: str) -> bool:
        return not self._git("ls-tree", "-z", "--name-only", "HEAD^", "--", path).out

    def _undone(self, why: str, branch: str) -> CommitOutcome:
        """Unstage what wasn't committed; a hook that hangs after the commit doesn't undo it."""
        self._timed = TimedGit(self._top, COMMIT_SECONDS)
        try:
            if not self._changed.present:  # a reset without paths would unstage everything
                return not_committed(why)
            reset = self._git("reset", "--quiet", "--", *self._changed.present)
            staged = reset.code != 0 and bool(self._known())
            is_in_head = set(self._changed.created) <= set(self._in_head())
        except (TooSlowError, GitError):
            return not_committed(why)
        if self._changed.created and is_in_head:
            head = self._git("rev-parse", "--short", "HEAD").out.strip()
            return CommitOutcome("committed", head, branch, f"what follows a commit failed: {why}")
        return not_committed(f"{why}; it is still staged: {reset.complaint}" if staged else why)

    def _git(self, *arguments: str) -> Done:
        return self._timed.run("--literal-pathspecs", *arguments)
