"""Take a folder out of the whole history of a repository of facts, objects included."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO

from pit_memory.core.records import NamedTuple
from pit_memory.core.writing.commit_messages import speaks_of
from pit_memory.workspace.files import read_bytes, storage_errors
from pit_memory.workspace.git_command import commit_environment, run_git, text_of
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.shared_commits import forget_waiting, is_waiting
from pit_memory.workspace.work_trees import git_dir

_LOCK_SECONDS = 60.0
_GIT_SECONDS = 600.0
_DATA = re.compile(rb"data (\d+)\n")
_FILE = re.compile(rb'(?:M \d+ (?P<blob>\S+)|D) "?(?P<path>[^\n]*)\n')
MAX_FILE_BYTES = 100_000
"""Of a fact's file: its text and front matter take a tenth."""
_AT_ONCE = 1_000
_LAST_MESSAGE = "COMMIT_EDITMSG"
"""File of git's own folder that keeps what the last commit said."""
_ERASED = b"facts: erased\n"


class Erased(NamedTuple):
    """What was erased of a repository of facts."""

    files: int
    """Of facts, in the work tree."""
    commits: int
    """That added, changed or removed files of them; 0 where there is no history."""
    remotes: tuple[str, ...]
    """Names of the remotes that still have the old history."""


def erase_from_history(
    top: Path,
    folder: str,
    assignment: str,
    lock_of: Callable[[Path], FileLock],
    *,
    is_erased: Callable[[bytes], bool],
) -> Erased:
    """Remove a folder from the work tree and from every commit, and the objects nobody uses then.

    So goes every other file whose content is to be erased: one that was moved or copied by hand.

    Args:
        top: root of the repository; it holds facts alone.
        folder: name of the folder below it.
        assignment: whose facts they are: commit messages that speak of it are replaced.
        lock_of: the lock of commits, by git's folder.
        is_erased: tells it of a file's content.

    Raises:
        GitError: git refused; what is left undone is done by doing it again.
        StorageFullError: files can't be removed; likewise.
    """
    own = git_dir(top)
    if own is None:
        return Erased(_remove_files(top, folder, is_erased), 0, ())
    with lock_of(own.resolve()) as lock:
        lock.timeout = _LOCK_SECONDS
        files = _remove_files(top, folder, is_erased)
        commits = 0
        if _run(top, "rev-parse", "--verify", "--quiet", "HEAD", fine=(0, 1)).strip():
            blobs = frozenset(_blobs_to_erase(top, is_erased))
            commits = _rewrite(top, folder, assignment, blobs)
            _run(top, "reset", "--quiet", "--mixed", "HEAD")
        else:
            _run(top, "rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", folder)
        (own / _LAST_MESSAGE).unlink(missing_ok=True)
        forget_waiting(own, folder)
        _run(top, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        _run(top, "gc", "--quiet", "--prune=now")
        remotes = tuple(_run(top, "remote").split())
    return Erased(files, commits, remotes)


def holds_any(top: Path, folder: str, *, is_erased: Callable[[bytes], bool]) -> bool:
    """Whether `erase_from_history` would find something: a file, a commit, an object, a plan.

    Args:
        top: root of the repository; it need not exist.
        folder: name of the folder below it.
        is_erased: tells it of a file's content.

    Raises:
        GitError: git refused.
    """
    if os.path.lexists(top / folder) or any(_files_elsewhere(top, is_erased)):
        return True
    own = git_dir(top)
    if own is None:
        return False
    return bool(
        is_waiting(own, folder)
        or _run(top, "log", "--all", "--max-count=1", "--format=%H", "--", folder)
        or any(_blobs_to_erase(top, is_erased))
    )


def _remove_files(top: Path, folder: str, is_erased: Callable[[bytes], bool]) -> int:
    """Remove a folder, and single files elsewhere; how many files of facts that were."""
    with storage_errors(top / folder):
        if (top / folder).is_symlink():
            (top / folder).unlink()
        inside = sum(1 for _ in (top / folder).glob("*.md"))
        with suppress(FileNotFoundError):
            shutil.rmtree(top / folder)
        elsewhere = [*_files_elsewhere(top, is_erased)]
        for path in elsewhere:
            path.unlink()
    return inside + len(elsewhere)


def _files_elsewhere(top: Path, is_erased: Callable[[bytes], bool]) -> Iterator[Path]:
    return (path for path in sorted(top.rglob("*.md")) if _holds(path, is_erased))


def _holds(path: Path, is_erased: Callable[[bytes], bool]) -> bool:
    try:
        return is_erased(read_bytes(path, MAX_FILE_BYTES))
    except OSError:
        return False  # no fact: those are small files that can be read


def _blobs_to_erase(top: Path, is_erased: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Ids of all contents in the history that are to be erased, whatever their files were called.

    Reads _AT_ONCE contents at a time.
    """
    form = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    rows = (row.split() for row in _run(top, "cat-file", "--batch-all-objects", form).split("\n"))
    small = [row[0] for row in rows if row[1:2] == ["blob"] and int(row[2]) <= MAX_FILE_BYTES]
    for few in _parts(small):
        given = "".join(f"{blob}\n" for blob in few).encode()
        stream = BytesIO(_run_bytes(top, "cat-file", "--batch", given=given))
        for blob in few:
            size = int(stream.readline().split()[2])
            if is_erased(stream.read(size)):
                yield blob.encode()
            stream.read(1)  # the line end after each


def _parts(blobs: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(blobs), _AT_ONCE):
        yield blobs[start : start + _AT_ONCE]


def _rewrite(top: Path, folder: str, assignment: str, blobs: frozenset[bytes]) -> int:
    """Feed the history, without what files hold, through a filter into the same repository.

    Returns:
        How many commits had something to leave out.
    """
    export = (
        "fast-export",
        "--all",
        "--no-data",
        "--signed-tags=strip",
        "--tag-of-filtered-object=drop",
    )
    stream = _run_bytes(top, *export)
    thinned: set[int] = set()
    left = _without(BytesIO(stream), folder.encode(), assignment, blobs, thinned)
    _run_bytes(top, "fast-import", "--quiet", "--force", given=b"".join(left))
    return len(thinned)


def _without(
    stream: IO[bytes],
    folder: bytes,
    assignment: str,
    blobs: frozenset[bytes],
    thinned: set[int],
) -> Iterator[bytes]:
    """The stream of `git fast-export` without the files of a folder and those of some contents.

    Where a file elsewhere gets such a content, it is gone from then on. The numbers of the commits
    that lose something are added to `thinned`.
    """
    number = 0
    for line in stream:
        number += line.startswith(b"commit ")
        if data := _DATA.fullmatch(line):
            text = stream.read(int(data[1]))
            if folder in text or speaks_of(text.decode(errors="replace"), assignment):
                text = _ERASED
            yield b"data %d\n" % len(text) + text
        elif (file := _FILE.fullmatch(line)) is None:
            yield line
        elif file["path"].startswith(folder + b"/"):
            thinned.add(number)
        elif file["blob"] in blobs:
            thinned.add(number)
            yield b"D " + line.split(b" ", 3)[3]
        else:
            yield line


def _run(top: Path, *arguments: str, fine: tuple[int, ...] = (0,)) -> str:
    return text_of(_run_bytes(top, *arguments, fine=fine))


def _run_bytes(
    top: Path, *arguments: str, fine: tuple[int, ...] = (0,), given: bytes = b""
) -> bytes:
    variables = commit_environment()
    return run_git(top, arguments, variables, given, seconds=_GIT_SECONDS, fine_codes=fine)
