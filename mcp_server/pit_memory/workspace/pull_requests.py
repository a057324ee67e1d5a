"""A branch of its own, made beside the person's work tree, pushed and proposed."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import complaint_of
from pit_memory.workspace.git_remote import run_remote_git

_SECONDS = 60.0
"""For one command that speaks to the remote."""
_SHORT_SECONDS = 30.0
_FOLDER = "pit-memory-publish-"
"""Begins the name of a temporary folder; the work tree is in it."""
_TREE = "tree"
_TOOLS = {"github": "gh", "gitlab": "glab"}


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A branch that is to be proposed, and what to say of it."""

    remote: str
    """Name of the remote it is pushed to."""
    branch: str
    base: str
    """Branch it is proposed for."""
    forge: str
    """`github`, `gitlab` or another; `auto` where nobody knows."""
    title: str
    body: str
    reviewers: Sequence[str]
    """Names on the forge."""


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
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
    tree = folder / _TREE
    try:
        _run(top, "worktree", "add", "--quiet", "--no-track", "-b", branch, str(tree), start)
        yield tree
    finally:
        _remove(top, tree)


def remove_left(top: Path) -> None:
    """Remove the work trees of blocks that were killed, and their branches; none is under way.

    Raises:
        GitError: git gave no answer.
    """
    listed = _run(top, "worktree", "list", "--porcelain")
    for about in listed.split("\n\n"):
        fields = dict(line.partition(" ")[::2] for line in about.splitlines())
        tree = Path(fields.get("worktree", ""))
        if tree.name == _TREE and tree.parent.name.startswith(_FOLDER):
            _remove(top, tree)
            delete_branch(top, fields.get("branch", "").removeprefix("refs/heads/"))


def _remove(top: Path, tree: Path) -> None:
    with suppress(GitError):
        _run(top, "worktree", "remove", "--force", str(tree))
    shutil.rmtree(tree.parent, ignore_errors=True)
    with suppress(GitError):
        _run(top, "worktree", "prune")


def delete_branch(top: Path, branch: str) -> None:
    """Delete a branch that nobody wants."""
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


def branch_of_same_files(top: Path, name: str, branch: str) -> str:
    """An earlier branch of that name, or of it with a number, that holds what a new one holds.

    It is of a try that was cut off, or of a request that is open: there need be no second one.

    Args:
        top: of the repository.
        name: without a number.
        branch: the new one.

    Raises:
        GitError: git gave no answer.
    """
    listed = _run(
        top,
        "for-each-ref",
        "--format=%(tree) %(refname:lstrip=2)",
        f"refs/heads/{name}",
        f"refs/heads/{name}-*",
    )
    trees = {found: tree for tree, found in (line.split(" ", 1) for line in listed.splitlines())}
    numbered = re.compile(rf"{re.escape(name)}(?:-\d+)?")
    same = (found for found, tree in trees.items() if tree == trees.get(branch))
    return next((found for found in same if found != branch and numbered.fullmatch(found)), "")


def fetch_branch(top: Path, remote: str, branch: str) -> str:
    """Fetch a branch; why it was not, where it was not."""
    try:
        _run(top, "fetch", "--quiet", remote, branch, seconds=_SECONDS)
    except GitError as error:
        return str(error)
    return ""


def push_and_propose(top: Path, request: PullRequest) -> Proposal:
    """Push a branch and open one pull request for it, with the forge's own tool where it is there.

    Args:
        top: of the repository.
        request: what to push and to say.
    """
    try:
        refspec = f"refs/heads/{request.branch}:refs/heads/{request.branch}"
        _run(top, "push", "--quiet", request.remote, refspec, seconds=_SECONDS)
    except GitError as error:
        return Proposal(is_pushed=False, reason=str(error))
    tool, why_none = _tool_for(request.forge)
    if not tool:
        return Proposal(is_pushed=True, reason=why_none)
    if tool == "gh":
        command = ["gh", "pr", "create", "--head", request.branch, "--base", request.base]
        command += ["--title", request.title, "--body", request.body]
    else:
        command = ["glab", "mr", "create", "--source-branch", request.branch]
        command += ["--target-branch", request.base, "--title", request.title]
        command += ["--description", request.body, "--yes"]
    return _open_request(top, command, request.reviewers)


def _tool_for(forge: str) -> tuple[str, str]:
    """The tool that opens requests at a forge, any for an unknown one; or why there is none."""
    tools = [_TOOLS[forge]] if forge in _TOOLS else list(_TOOLS.values()) * (forge == "auto")
    found = next(filter(shutil.which, tools), "")
    if not tools:
        return "", f"no tool opens requests at {forge} from here"
    return found, f"{' or '.join(tools)} is not installed"


def _open_request(top: Path, command: Sequence[str], reviewers: Sequence[str]) -> Proposal:
    """Open a request; without reviewers where the forge does not take them."""
    asked = ["--reviewer", ",".join(reviewers)] if reviewers else []
    first = _ask_forge(top, [*command, *asked])
    if first.address or not reviewers:
        return first
    # A writer can't review, and a team may be unknown: that is no reason to open no request.
    second = _ask_forge(top, command)
    if not second.address:
        return first
    return Proposal(
        is_pushed=True, address=second.address, reason=f"without reviewers: {first.reason}"
    )


def _ask_forge(top: Path, command: Sequence[str]) -> Proposal:
    try:
        done = subprocess.run(
            command,
            cwd=top,
            env={**os.environ, "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Proposal(is_pushed=True, reason=f"{command[0]} failed: {error}")
    # A request that was opened by an earlier try is named in the complaint.
    said = done.stdout + (done.stderr if "already exists" in done.stderr else "")
    addresses = [word for word in said.split() if word.startswith(("https://", "http://"))]
    if addresses and (done.returncode == 0 or "already exists" in done.stderr):
        return Proposal(is_pushed=True, address=addresses[-1])
    if done.returncode == 0:
        return Proposal(is_pushed=True, address=done.stdout.strip())
    why = complaint_of(done.stderr) or f"it ended with code {done.returncode}"
    return Proposal(is_pushed=True, reason=f"{command[0]} opened none: {why}")


def _run(folder: Path, *arguments: str, seconds: float = _SHORT_SECONDS) -> str:
    return run_remote_git(folder, arguments, seconds)
