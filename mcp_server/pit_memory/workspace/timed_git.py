"""Git commands that share one time limit, for commits: they start hooks, and hooks may hang."""

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from pit_memory.workspace.git_command import GIT, commit_environment
from pit_memory.workspace.git_process import run_in_group

_BUSY = re.compile(r"index\.lock|cannot lock ref|HEAD\.lock")
_NOBODY = re.compile(r"tell me who you are|no email was given|empty ident name")
_COMPLAINT = re.compile(r"^(?:fatal|error): (.+)", re.MULTILINE)
_LOCKED = re.compile(r"\.lock': File exists")


@dataclass(frozen=True, slots=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    may_run_hooks: bool

    @property
    def is_busy(self) -> bool:
        """Whether another git was at work just then."""
        return self.code != 0 and _BUSY.search(self.err) is not None

    @property
    def complaint(self) -> str:
        """One line of why it failed: git's own, else the last that a hook printed."""
        if found := _COMPLAINT.search(self.err):
            remedy = ""
            if _NOBODY.search(self.err):
                remedy = "; set user.name and user.email with `git config --global`"
            elif _LOCKED.search(self.err):
                remedy = " Another git works there; if none does, one was killed: remove that file"
            return found[1] + remedy
        said = [line.strip() for line in (self.out + self.err).split("\n")]
        said = [line for line in said if line and not line.startswith("hint:")]
        if not said:
            return f"git ended with code {self.code}"
        return f"a hook refused it: {said[-1]}" if self.may_run_hooks else " ".join(said)


class TimedGit:
    """Git in a work tree, for so many seconds in all."""

    def __init__(self, top: Path, seconds: float) -> None:
        self._top = top
        self._ends = time.monotonic() + seconds

    def run(self, *arguments: str, stdin: bytes = b"", index: Path | None = None) -> Done:
        """Run git in a process group of its own, which ends with it where time runs out.

        Args:
            arguments: its own options, the subcommand and what belongs to it.
            stdin: what it reads.
            index: a file that stands for the index of the work tree.

        Raises:
            GitError: it can't be started.
            TooSlowError: time has run out.
        """
        variables = {} if index is None else {"GIT_INDEX_FILE": os.fspath(index)}
        environ = commit_environment() | variables
        done = run_in_group((*GIT, *arguments), self._top, environ, self._ends, stdin)
        return Done(done.code, done.out, done.err, "commit" in arguments[:2])
