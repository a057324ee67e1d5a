"""A branch of its own, made beside the person's work tree, pushed and proposed."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import GIT, commit_environment, complaint_of

_SECONDS = 60.0
"""For one command that speaks to the remote."""
_SHORT_SECONDS = 30.0
_TOOLS = {"github": "gh", "gitlab": "glab"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """What became of a branch that was to be proposed."""

    is_pushed: bool
    address: str = ""
    """Of the pull request; empty where none was opened."""
    reason: str = ""
    """Why it was not pushed, or no pull request was opened."""


@contextmanager
def branch_beside(top: Path, start: str, branch: str) -> Iterator[Path]:
    """Make a branch in a work tree of its own, which goes with the block; the branch stays.

    Args:
        top: of the repository.
        start: what it begins at.
        branch: its name.

    Raises:
        GitError: git can't.
    """
    folder = Path(tempfile.mkdtemp(prefix="pit-memory-publish-"))
    tree = folder / "tree"
    try:
        _run(top, "worktree", "add", "--quiet", "--no-track", "-b", branch, str(tree), start)
        yield tree
    finally:
        with suppress(GitError):
            _run(top, "worktree", "remove", "--force", str(tree))
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(GitError):
            _run(top, "worktree", "prune")


def delete_branch(top: Path, branch: str) -> None:
    """Delete a branch that nothing was committed to."""
    with suppress(GitError):
        _run(top, "branch", "--quiet", "--delete", "--force", branch)


def free_branch(top: Path, name: str) -> str:
    """The name, or one with a number that no branch here has.

    Raises:
        GitError: git gave no answer.
    """
    taken = set(_run(top, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").split())
    taken |= {
        ref.partition("/")[2]
        for ref in _run(top, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/remotes").split()
    }
    names = (name if number == 1 else f"{name}-{number}" for number in range(1, 1000))
    return next(each for each in names if each not in taken)


def fetch_branch(top: Path, remote: str, branch: str) -> str:
    """Fetch a branch; why it was not, where it was not."""
    try:
        _run(top, "fetch", "--quiet", remote, branch, seconds=_SECONDS)
    except GitError as error:
        return str(error)
    return ""


def push_and_propose(
    tree: Path,
    remote: str,
    branch: str,
    base: str,
    forge: str,
    title: str,
    body: str,
    reviewers: Sequence[str],
) -> Proposal:
    """Push a branch and open one pull request for it, with the forge's own tool where it is there.

    Args:
        tree: work tree of the branch.
        remote: name of the remote.
        branch: it.
        base: branch it is proposed for.
        forge: `github`, `gitlab` or another.
        title: of the pull request.
        body: of the pull request.
        reviewers: names on the forge.
    """
    try:
        _run(tree, "push", "--quiet", remote, f"HEAD:refs/heads/{branch}", seconds=_SECONDS)
    except GitError as error:
        return Proposal(is_pushed=False, reason=str(error))
    tool = _TOOLS.get(forge)
    if tool is None or shutil.which(tool) is None:
        reason = f"{tool} is not installed" if tool else "no tool of this forge is known"
        return Proposal(is_pushed=True, reason=reason)
    if tool == "gh":
        command = ["gh", "pr", "create", "--head", branch, "--base", base]
        command += ["--title", title, "--body", body]
    else:
        command = ["glab", "mr", "create", "--source-branch", branch, "--target-branch", base]
        command += ["--title", title, "--description", body, "--yes"]
    if reviewers:
        command += ["--reviewer", ",".join(reviewers)]
    return _proposed(tree, command)


def _proposed(tree: Path, command: Sequence[str]) -> Proposal:
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env={**os.environ, "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Proposal(is_pushed=True, reason=f"{command[0]} failed: {error}")
    if done.returncode:
        said = complaint_of(done.stderr) or f"it ended with code {done.returncode}"
        return Proposal(is_pushed=True, reason=f"{command[0]} opened none: {said}")
    addresses = [word for word in done.stdout.split() if word.startswith(("https://", "http://"))]
    return Proposal(is_pushed=True, address=addresses[-1] if addresses else done.stdout.strip())


def _run(folder: Path, *arguments: str, seconds: float = _SHORT_SECONDS) -> str:
    try:
        done = subprocess.run(
            [*GIT, *arguments],
            cwd=folder,
            env=commit_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"git {arguments[0]} took longer than {seconds:g} s"
        raise GitError(message) from error
    except OSError as error:
        message = f"git could not be started in {folder}: {error.strerror}"
        raise GitError(message) from error
    if done.returncode:
        said = [line for line in done.stderr.split("\n") if line.strip()]
        told = [line for line in said if line.startswith(("remote:", "fatal:", "error:", " !"))]
        message = (
            f"git {arguments[0]} failed: {' / '.join((told or said or ['no reason given'])[:3])}"
        )
        raise GitError(message)
    return done.stdout
