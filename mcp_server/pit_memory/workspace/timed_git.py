"""Git commands that share one time limit, for commits: they start hooks, and hooks may hang."""

import os
import re
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import GIT, commit_environment, text_of

_END_SECONDS = 2.0
"""That git has to tidy up when it is told to end."""
_BUSY = re.compile(r"index\.lock|cannot lock ref|HEAD\.lock")
_NOBODY = re.compile(r"tell me who you are|no email was given|empty ident name")
_COMPLAINT = re.compile(r"^(?:fatal|error): (.+)", re.MULTILINE)


class TooSlowError(Exception):
    """A command took longer than what is left."""


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
        # Files, not pipes: what a hook leaves behind in the background would keep a pipe open.
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin)
            given.seek(0)
            process = self._start(arguments, variables, given, out, err)
            try:
                code = process.wait(max(0.0, self._ends - time.monotonic()))
            except subprocess.TimeoutExpired as error:
                _end(process)
                raise TooSlowError from error
            except BaseException:
                _end(process)
                raise
            return Done(code, _text(out), _text(err), "commit" in arguments[:2])

    def _start(
        self,
        arguments: tuple[str, ...],
        variables: dict[str, str],
        *files: IO[bytes],
    ) -> "subprocess.Popen[bytes]":
        stdin, stdout, stderr = files
        try:
            return subprocess.Popen(
                (*GIT, *arguments),
                cwd=self._top,
                env=commit_environment() | variables,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,  # and without a terminal, where signing could ask
            )
        except FileNotFoundError as error:
            message = "git is not installed"
            raise GitError(message) from error
        except OSError as error:
            message = f"git could not be started in {self._top}: {error.strerror}"
            raise GitError(message) from error


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return text_of(file.read())


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process and all it started; git removes its locks when it is told to end."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
        os.killpg(process.pid, signal.SIGKILL)  # those that don't listen
    process.wait()
