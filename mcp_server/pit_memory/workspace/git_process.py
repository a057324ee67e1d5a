"""A git that changes something: it runs with all that it starts in a group, and ends with it."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import NO_GIT, text_of

_END_SECONDS = 2.0
"""That git has to tidy up when it is told to end."""


class TooSlowError(Exception):
    """A command took longer than what is left."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a command."""

    code: int
    out: str
    err: str


def run_in_group(
    command: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    ends: float,
    stdin: bytes = b"",
) -> Ended:
    """Run a command in a process group of its own, which ends with it where time runs out.

    It holds the locks that its caller lets children keep (`workspace.locks`).

    Args:
        command: with its arguments.
        folder: where.
        environ: all of its variables.
        ends: when time runs out, as `time.monotonic` tells it.
        stdin: what it reads.

    Raises:
        GitError: it can't be started.
        TooSlowError: time ran out; all of it was ended.
    """
    # Files, not pipes: what a hook leaves behind in the background would keep a pipe open.
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environ,
                stdin=given,
                stdout=out,
                stderr=err,
                start_new_session=True,  # and without a terminal, where signing could ask
                close_fds=False,  # all that Python opens is closed anyway, unless it is said
            )
        except FileNotFoundError as error:
            is_there = folder.is_dir()
            message = NO_GIT if is_there else f"{folder} is no folder any more"
            raise GitError(message) from error
        except OSError as error:
            message = f"git could not be started in {folder}: {error.strerror}"
            raise GitError(message) from error
        try:
            code = process.wait(max(0.0, ends - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            _end(process)
            raise TooSlowError from error
        except BaseException:
            _end(process)
            raise
        return Ended(code, _text(out), _text(err))


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
