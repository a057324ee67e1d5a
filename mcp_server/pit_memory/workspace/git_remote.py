"""Git where it may talk to a remote."""

import time
from collections.abc import Sequence
from pathlib import Path

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import GIT, complaint_of, environment
from pit_memory.workspace.git_process import TooSlowError, run_in_group

FETCH_SECONDS = 120.0
"""A first fetch of a large repository takes longer; it was cloned before."""


class CutOffError(GitError):
    """It was ended in the middle of what it did."""


def run_remote_git(top: Path, arguments: Sequence[str], seconds: float = FETCH_SECONDS) -> str:
    """Run git in a clone, where it may talk to its remote; returns what it printed.

    Raises:
        GitError: it refuses or is missing; with its first line of complaint.
        CutOffError: it takes longer than `seconds`, or somebody has killed it.
    """
    variables = environment() | {"GIT_NO_LAZY_FETCH": "0"}
    try:
        done = run_in_group([*GIT, *arguments], top, variables, time.monotonic() + seconds)
    except TooSlowError as error:
        message = f"git {arguments[0]} took longer than {seconds:g} s in {top}"
        raise CutOffError(message) from error
    if done.code < 0:
        message = f"git {arguments[0]} was killed in {top} (signal {-done.code})"
        raise CutOffError(message)
    if done.code:
        said = complaint_of(done.err) or f"it ended with code {done.code}"
        message = f"git {arguments[0]} failed in {top}: {said}"
        raise GitError(message)
    return done.out
