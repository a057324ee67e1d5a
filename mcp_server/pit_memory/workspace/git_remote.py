"""What a server's own clone takes from its remote, and gives back."""

from collections.abc import Sequence
from pathlib import Path

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import run_git, text_of

FETCH_SECONDS = 120.0
"""A first fetch of a large repository takes longer; it was cloned before."""


def run_remote_git(top: Path, arguments: Sequence[str], seconds: float = FETCH_SECONDS) -> str:
    """Run git in a clone, where it may talk to its remote; returns what it printed.

    Raises:
        GitError: it refuses, is missing or takes too long; with its first line of complaint.
    """
    try:
        return text_of(run_git(top, arguments, {"GIT_NO_LAZY_FETCH": "0"}, seconds=seconds))
    except NotADirectoryError as error:
        message = f"{top} is no folder any more; clone it again"
        raise GitError(message) from error


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
