"""What a server's own clone takes from its remote, and gives back."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import GIT, complaint_of, environment

FETCH_SECONDS = 120.0
"""A first fetch of a large repository takes longer; it was cloned before."""


def run_remote_git(top: Path, arguments: Sequence[str], seconds: float = FETCH_SECONDS) -> str:
    """Run git in a clone, where it may talk to its remote; returns what it printed.

    Raises:
        GitError: it refuses, is missing or takes too long; with its first line of complaint.
    """
    variables = environment()
    variables.pop("GIT_NO_LAZY_FETCH", None)
    try:
        done = subprocess.run(
            [*GIT, *arguments],
            cwd=top,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"git {arguments[0]} in {top} took longer than {seconds:g} s"
        raise GitError(message) from error
    except OSError as error:
        message = f"git can't be run in {top}: {error.strerror}; install git"
        raise GitError(message) from error
    if done.returncode:
        complaint = complaint_of(done.stderr) or f"exit code {done.returncode}"
        message = f"git {arguments[0]} in {top}: {complaint}"
        raise GitError(message)
    return done.stdout


def fetch_and_forward(top: Path) -> str:
    """Bring a clone to its upstream by a fast-forward; returns the commit it stands at.

    Nothing that isn't pushed is lost: where the branch has commits of its own, or a file was
    changed, git refuses, and the clone stays as it is.

    Raises:
        GitError: no upstream, out of reach, or not forward; says what to do.
    """
    run_remote_git(top, ["fetch", "--quiet", "--prune"])
    try:
        run_remote_git(top, ["merge", "--quiet", "--ff-only", "@{upstream}"])
    except GitError as error:
        message = f"{error}; bring the clone back to its upstream by hand"
        raise GitError(message) from error
    return run_remote_git(top, ["rev-parse", "HEAD"]).strip()
