"""How git is run and its output read, whoever asks.

A repository's own configuration must not start a program of its choice, and `GIT_*` variables,
which a hook's caller sets for its own repository, must not reach another one.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pit_memory.errors import GitError

_SECONDS = 30.0
"""Time limit; staging a large file is the slowest of what stays on this machine."""
GIT = ("git", "-c", "core.fsmonitor=false")
"""The command."""
NO_GIT = "git is not installed, or not on the PATH: install it"
"""What everything that runs it says where it is not there."""
_SETTINGS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
"""Change nothing, ask nobody, fetch nothing, speak English."""

_IDENTITY = frozenset(
    f"GIT_{role}_{part}" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
)
"""Where people without a configuration say who they are."""
_COMMIT_SETTINGS = {"GIT_TERMINAL_PROMPT": "0", "LANGUAGE": "en"}
"""Ask nobody, speak English; the hooks of a commit keep the person's locale."""


def environment() -> dict[str, str]:
    """What git sees of this process's environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | _SETTINGS


def commit_environment() -> dict[str, str]:
    """What git, and the hooks it starts, see of this process's environment in a commit."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _IDENTITY
    }
    return kept | _COMMIT_SETTINGS


def text_of(output: bytes) -> str:
    """What git printed; names that are no text keep their bytes as surrogates."""
    return output.decode("utf-8", "surrogateescape")


def names_of(listing: str) -> list[str]:
    """The names of a listing made with `-z`."""
    return listing.split("\0")[:-1]


def complaint_of(stderr: str) -> str:
    """The first line of what git complained of; empty where it said nothing."""
    return stderr.strip().partition("\n")[0].removeprefix("fatal: ")


def run_git(
    directory: Path,
    arguments: Sequence[str],
    variables: Mapping[str, str],
    stdin: bytes = b"",
    *,
    seconds: float = _SECONDS,
    fine_codes: Collection[int] = (0,),
) -> bytes:
    """Run one git command and return what it prints.

    Args:
        directory: where.
        arguments: the subcommand, after settings (`-c NAME=VALUE`) that hold for it alone.
        variables: added to `environment()`; they win.
        stdin: what it reads.
        seconds: time limit.
        fine_codes: exit codes that are no failure.

    Raises:
        GitError: git is missing, too slow, or failed; with its first line of complaint.
        NotADirectoryError: there is no such directory.
    """
    import subprocess  # a hook that needs no git starts without it

    command = _subcommand(arguments)
    try:
        done = subprocess.run(
            [*GIT, *arguments],
            cwd=directory,
            env={**environment(), **variables},
            input=stdin,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"git {command} took longer than {seconds:g} s in {directory}"
        raise GitError(message) from error
    except OSError as error:
        if not directory.is_dir():
            raise NotADirectoryError(directory) from error
        if isinstance(error, FileNotFoundError):
            message = NO_GIT
        else:
            message = f"git can't be run in {directory}: {error.strerror}"
        raise GitError(message) from error
    if done.returncode not in fine_codes:
        said = complaint_of(text_of(done.stderr)) or f"it ended with code {done.returncode}"
        message = f"git {command} failed in {directory}: {said}"
        raise GitError(message)
    return done.stdout


def _subcommand(arguments: Sequence[str]) -> str:
    """What people know the command by."""
    first = 0
    while arguments[first] == "-c":
        first += 2
    return arguments[first]
