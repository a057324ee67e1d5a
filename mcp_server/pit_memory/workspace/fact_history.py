"""Take a folder out of the whole history of a repository of facts, objects included."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO

from pit_memory.core.records import NamedTuple
from pit_memory.errors import GitError
from pit_memory.workspace.git import git_dir
from pit_memory.workspace.git_command import GIT, commit_environment, complaint_of, text_of
from pit_memory.workspace.locks import FileLock

_LOCK_SECONDS = 60.0
_GIT_SECONDS = 600.0
_DATA = re.compile(rb"data (\d+)\n")
_FILE = re.compile(rb'(?:M \d+ \S+|D) "?(?P<path>[^\n]*)\n')
_ERASED = b"facts: erased\n"


class Erased(NamedTuple):
    """What became of a repository's history."""

    commits: int
    """That were looked through; 0 where there is no history."""
    remotes: tuple[str, ...]
    """Names of the remotes that still have the old history."""


def erase_from_history(
    top: Path, folder: str, assignment: str, lock_of: Callable[[Path], FileLock]
) -> Erased:
    """Remove a folder from the work tree and from every commit, and the objects nobody uses then.

    Args:
        top: root of the repository; it holds facts alone.
        folder: name of the folder below it.
        assignment: whose facts they are: commit messages that name it are replaced.
        lock_of: the lock of commits, by git's folder.

    Raises:
        GitError: git refused; what is left undone is done by doing it again.
    """
    own = git_dir(top)
    if own is None:
        shutil.rmtree(top / folder, ignore_errors=True)
        return Erased(0, ())
    with lock_of(own.resolve()) as lock:
        lock.timeout = _LOCK_SECONDS
        shutil.rmtree(top / folder, ignore_errors=True)
        commits = 0
        if _run(top, "rev-parse", "--verify", "--quiet", "HEAD", fine=(0, 1)).strip():
            commits = int(_run(top, "rev-list", "--all", "--count"))
            _rewrite(top, folder, assignment)
            _run(top, "reset", "--quiet", "--mixed", "HEAD")
        else:
            _run(top, "rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", folder)
        _run(top, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        _run(top, "gc", "--quiet", "--prune=now")
        remotes = tuple(_run(top, "remote").split())
    return Erased(commits, remotes)


def _rewrite(top: Path, folder: str, assignment: str) -> None:
    """Feed the history, without what files hold, through a filter into the same repository."""
    export = (
        "fast-export",
        "--all",
        "--no-data",
        "--signed-tags=strip",
        "--tag-of-filtered-object=drop",
    )
    stream = _run_bytes(top, *export)
    kept = b"".join(_without(BytesIO(stream), folder.encode(), assignment.encode()))
    _run_bytes(top, "fast-import", "--quiet", "--force", given=kept)


def _without(stream: IO[bytes], folder: bytes, assignment: bytes) -> Iterator[bytes]:
    """The stream of `git fast-export` without the files of a folder."""
    for line in stream:
        if data := _DATA.fullmatch(line):
            text = stream.read(int(data[1]))
            if assignment in text or folder in text:
                text = _ERASED
            yield b"data %d\n" % len(text) + text
        elif not ((file := _FILE.fullmatch(line)) and file["path"].startswith(folder + b"/")):
            yield line


def _run(top: Path, *arguments: str, fine: tuple[int, ...] = (0,)) -> str:
    return text_of(_run_bytes(top, *arguments, fine=fine))


def _run_bytes(
    top: Path, *arguments: str, fine: tuple[int, ...] = (0,), given: bytes = b""
) -> bytes:
    try:
        done = subprocess.run(
            (*GIT, *arguments),
            cwd=top,
            env=commit_environment(),
            input=given,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"git {arguments[0]} in {top}: {error}"
        raise GitError(message) from error
    if done.returncode not in fine:
        message = f"git {arguments[0]} in {top}: {complaint_of(text_of(done.stderr))}"
        raise GitError(message)
    return done.stdout
