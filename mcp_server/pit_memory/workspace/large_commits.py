"""One commit of any number of files that only pit-memory writes.

Git compares each file of a commit with each path it is given: a hundred thousand take minutes that
way, and don't fit on a command line. Here it reads the paths from a file, into an index of the
commit's own, as `git commit --only` has one. What the person has staged stays staged, hooks and
signing are respected, and a commit that fails leaves the files where they are, unstaged.
"""

import os
import random
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from pit_memory.core.text.globs import Globs
from pit_memory.core.writing.commit_messages import short_message
from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.errors import GitError, StorageFullError, StoreBusyError
from pit_memory.workspace.commits import (
    COMMIT_SECONDS,
    LOCK_SECONDS,
    PAUSE_SECONDS,
    not_committed,
    why_not_now,
    why_protected,
)
from pit_memory.workspace.git_command import names_of
from pit_memory.workspace.git_process import TooSlowError
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.scratch import remove_abandoned, scratch_folder
from pit_memory.workspace.timed_git import Done, TimedGit
from pit_memory.workspace.work_trees import git_dir

_SECONDS_A_FILE = 0.01
"""Git takes a tenth of it where nobody disturbs it; a hook may want more."""
_BUSY_SECONDS = 30.0
"""For a git that holds a lock or commits: that of a call that was killed ends by itself."""
_FIELDS = {"1": 8, "u": 10, "?": 1, "!": 1}
"""Fields before the path in a row of `git status`, by what the row begins with."""
_FORBIDDING = {"!": "git ignores", "u": "there is a conflict in"}


def commit_large(
    top: Path,
    paths: Iterable[str],
    message: Callable[[int], str],
    lock: FileLock,
    *,
    protected: Sequence[str] = (),
) -> tuple[int, CommitOutcome]:
    """Commit those of some files that are not as in HEAD, in one commit.

    Args:
        top: root of the work tree.
        paths: POSIX, relative to it, symlinks resolved; all are on disk, and nobody else's.
        message: what the commit of so many files says.
        lock: shared by all our processes that commit to this repository.
        protected: globs of branches on which nothing is committed.

    Returns:
        How many were to be committed, none at all where HEAD has them, and what became of it.
    """
    ours = frozenset(paths)
    remove_abandoned()
    try:
        lock.acquire(LOCK_SECONDS)
    except (StoreBusyError, StorageFullError) as error:
        return len(ours), not_committed(str(error))
    try:
        return _LargeCommit(top, ours, Globs(protected)).run(message)
    except GitError as error:
        return len(ours), not_committed(str(error))
    finally:
        lock.release()


class _LargeCommit:
    """One commit, in the making."""

    def __init__(self, top: Path, ours: frozenset[str], protected: Globs) -> None:
        self._top = top
        self._ours = ours
        self._folders = _folders(ours)
        self._protected = protected
        self._seconds = COMMIT_SECONDS + len(ours) * _SECONDS_A_FILE
        self._git = TimedGit(top, self._seconds)

    def run(self, message: Callable[[int], str]) -> tuple[int, CommitOutcome]:
        until = time.monotonic() + _BUSY_SECONDS
        staged = False
        while True:
            try:
                before = self._head()
                branch, paths, why = self._status()
            except TooSlowError:
                return len(self._ours), not_committed(self._too_slow("git status"))
            if not paths or (why := why or why_not_now(self._top)):
                kept = self._undone(why, branch, paths, before) if staged else not_committed(why)
                return len(paths), kept
            staged = True
            try:
                done = self._commit(paths, before, short_message(message(len(paths))))
            except TooSlowError:
                why = self._too_slow("it") + " and was ended (a hook that hangs?)"
                return len(paths), self._undone(why, branch, paths, before)
            if done is not None and done.code == 0:
                return len(paths), self._committed(branch, paths)
            if done is not None and not done.is_busy:
                return len(paths), self._undone(done.complaint, branch, paths, before)
            if time.monotonic() > until:
                why = done.complaint if done else "somebody else commits at the same time"
                return len(paths), self._undone(why, branch, paths, before)
            _pause()

    def _too_slow(self, what: str) -> str:
        return f"{what} took longer than {self._seconds:g} s"

    def _status(self) -> tuple[str, list[str], str]:
        """The branch (empty where HEAD is detached), those of ours to commit, what forbids it."""
        done = self._git.run(
            *("--literal-pathspecs", "status", "--porcelain=v2", "--branch", "-z"),
            *("--no-ahead-behind", "--no-renames", "--untracked-files=all", "--ignored"),
            *("--", *self._folders),
        )
        if done.code:
            raise GitError(done.complaint)
        branch, found, why = "", [], ""
        for row in names_of(done.out):
            if row.startswith("# branch.head "):
                branch = row.removeprefix("# branch.head ")
            path = row.split(" ", _FIELDS[row[0]])[-1] if row[0] in _FIELDS else ""
            if path not in self._ours:
                continue
            found.append(path)
            if row[0] in _FORBIDDING:
                why = f"{_FORBIDDING[row[0]]} {path}"
        if branch == "(detached)":
            branch = ""
        if branch and self._protected.match(branch):
            why = why_protected(branch)
        return branch, found, why

    def _head(self) -> str:
        return self._git.run("rev-parse", "--verify", "--quiet", "HEAD").out.strip()

    def _commit(self, paths: Sequence[str], base: str, message: str) -> Done | None:
        """Stage the files, so that the person's own next commit keeps them, and commit them.

        The commit's index holds what `base` holds: on another commit it would undo what that one
        has done. Git takes whatever HEAD is when it begins, so we look before and after.

        Returns:
            None where HEAD is not at `base` any more, and nothing is committed.
        """
        add = ("update-index", "--add", "-z", "--stdin")
        names = _listed(paths)
        done = self._patiently(*add, stdin=names)
        own = git_dir(self._top)
        if done.code or own is None:
            return done
        with scratch_folder() as folder:
            index = folder / "index"
            shutil.copyfile(own / "index", index)  # with the times by which git knows its files
            start = ("read-tree", "--reset", base) if base else ("read-tree", "--empty")
            for command, stdin in ((start, b""), (add, names)):
                done = self._git.run(*command, stdin=stdin, index=index)
                if done.code:
                    return done
            if self._head() != base:
                return None
            done = self._git.run("commit", "--quiet", "--message", message, index=index)
            return None if done.code == 0 and self._taken_back(base, index) else done

    def _taken_back(self, base: str, index: Path) -> bool:
        """Take our commit off a branch whose HEAD is not at `base` but at another commit."""
        tree = self._git.run("write-tree", index=index).out.strip()
        shown = self._git.run("log", "-1", "--no-show-signature", "--format=%H %T %P").out.split()
        if len(shown) < 3 or shown[1] != tree or shown[2] == base:
            return False
        made, _, parent, *_ = shown
        return self._git.run("update-ref", "HEAD", parent, made).code == 0

    def _patiently(self, *arguments: str, stdin: bytes = b"", index: Path | None = None) -> Done:
        """Run git; wait where another git is at work."""
        until = time.monotonic() + _BUSY_SECONDS
        while True:
            done = self._git.run(*arguments, stdin=stdin, index=index)
            if not done.is_busy or time.monotonic() > until:
                return done
            _pause()

    def _committed(self, branch: str, paths: Sequence[str]) -> CommitOutcome:
        detached = "" if branch else "HEAD is detached: make a branch, or it may be lost"
        made = self._git.run("rev-parse", "--short", "HEAD").out.strip()
        try:
            also = self._follow_hooks(paths)
        except (TooSlowError, GitError):
            also = ()
        return CommitOutcome("committed", made, branch, detached, also)

    def _follow_hooks(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Stage nothing that a hook has changed while committing; return what it added.

        A hook sees the commit's own index: a file that it formats would be staged as it was before,
        and one that it adds as deleted.
        """
        ours = set(paths)
        made = dict(self._states("diff-tree", "--root", "--no-commit-id", "-r"))
        also = [path for path in made if path not in ours]
        staged = dict(self._states("diff-index", "--cached"))
        new = {path for path in also if made[path] == "A" and staged.get(path) == "D"}
        if left := [path for path in staged if path in ours or path in new]:
            self._stage_as_in_head(left)
        return tuple(also)

    def _states(self, *command: str) -> Iterator[tuple[str, str]]:
        """Path and letter of each file in which HEAD differs."""
        done = self._git.run(*command, "--no-renames", "--name-status", "-z", "HEAD")
        if done.code:
            raise GitError(done.complaint)
        rows = iter(names_of(done.out))
        yield from ((path, state) for state, path in zip(rows, rows, strict=True))

    def _undone(self, why: str, branch: str, paths: Sequence[str], before: str) -> CommitOutcome:
        """Unstage what wasn't committed; a hook that hangs after the commit doesn't undo it."""
        self._git = TimedGit(self._top, self._seconds)
        try:
            missing = self._stage_as_in_head(paths)
            head = self._head()
        except TooSlowError:
            return not_committed(f"{why}; some may be staged")
        except GitError as error:
            return not_committed(f"{why}; they may be staged: {error}")
        if head != before and not missing:
            short = self._git.run("rev-parse", "--short", "HEAD").out.strip()
            return CommitOutcome("committed", short, branch, f"what follows a commit failed: {why}")
        return not_committed(why)

    def _stage_as_in_head(self, paths: Sequence[str]) -> list[str]:
        """Let nothing of some files be staged; return those that HEAD lacks."""
        folders = _folders(paths)
        below = [] if "." in folders else [f"{folder}/" for folder in folders]
        # Without a commit it fails and lists nothing.
        tree = self._git.run("ls-tree", "-r", "-z", "HEAD", "--", *below)
        rows = {row.partition("\t")[2]: row for row in names_of(tree.out)}
        kept = [rows[path] for path in paths if path in rows]
        missing = [path for path in paths if path not in rows]
        for arguments, names in (("--index-info",), kept), (("--force-remove", "--stdin"), missing):
            if not names:
                continue
            done = self._patiently("update-index", "-z", *arguments, stdin=_listed(names))
            if done.code:
                raise GitError(done.complaint)
        return missing


def _pause() -> None:
    time.sleep(random.uniform(*PAUSE_SECONDS))  # noqa: S311 -- nothing to guess


def _folders(paths: Iterable[str]) -> list[str]:
    return sorted({PurePosixPath(path).parent.as_posix() for path in paths})


def _listed(names: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)
