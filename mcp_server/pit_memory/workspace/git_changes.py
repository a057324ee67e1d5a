"""Who changed which file when, and what is not committed yet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import names_of, run_git, text_of

_COMMIT = "\x01"
"""Begins the line of a commit in what git prints."""
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The life of a file in the history of HEAD."""

    changed: int
    """When it was last changed, in seconds since 1970."""
    author: str
    """Who wrote it first."""


def histories(folder: Path, path: str) -> Mapping[str, FileHistory]:
    """Return the life of every file below a path, relative to a folder; none without commits.

    Raises:
        GitError: git is missing, too slow, or refuses.
    """
    if not _has_commit(folder):
        return {}
    form = f"--format={_COMMIT}%ct%x00%an"
    arguments = ["log", "--no-renames", "--relative", "-z", "--name-only", form, "--", path]
    found: dict[str, FileHistory] = {}
    changed, author = 0, ""
    for part in _parts(text_of(run_git(folder, arguments, _LITERAL))):
        if part[0] == _COMMIT:
            time, author = part[1:].split("\0")
            changed = int(time)
        else:
            last = found[part].changed if part in found else changed
            found[part] = FileHistory(last, author)
    return found


def uncommitted(folder: Path, paths: Sequence[str] = ()) -> Mapping[str, str]:
    """Return what is not committed, relative to a folder, with git's two letters for each.

    Args:
        folder: of a work tree.
        paths: files and folders to look at; none means all of the work tree below the folder.

    Raises:
        GitError: git is missing, too slow, or refuses.
    """
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
    arguments = ["status", *options, "--", *(paths or ["."])]
    prefix = text_of(run_git(folder, ["rev-parse", "--show-prefix"], {})).rstrip("\n")
    rows = names_of(text_of(run_git(folder, arguments, _LITERAL)))
    return {row[3:].removeprefix(prefix): row[:2] for row in rows}


def in_head(folder: Path, paths: Sequence[str]) -> frozenset[str]:
    """Return those of some files that are in the commit at HEAD; paths relative to the folder.

    Raises:
        GitError: git is missing, too slow, or refuses.
    """
    if not paths or not _has_commit(folder):
        return frozenset()
    out = run_git(folder, ["ls-tree", "-z", "--name-only", "HEAD", "--", *paths], _LITERAL)
    return frozenset(names_of(text_of(out)))


def current_branch(folder: Path) -> str:
    """Return the branch that HEAD is on; empty where it is on none, or git gives no answer."""
    try:
        return text_of(run_git(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"], {})).strip()
    except GitError:
        return ""


def added_since(folder: Path, path: str, seconds: int) -> Iterator[str]:
    """Yield files below a path that were added after a time, relative to the folder.

    Raises:
        GitError: git is missing, too slow, or refuses.
    """
    yield from _named_since(folder, path, seconds, "A")


def changed_since(folder: Path, path: str, seconds: int) -> Iterator[str]:
    """Yield files below a path that were added or changed after a time, relative to the folder.

    Raises:
        GitError: git is missing, too slow, or refuses.
    """
    yield from _named_since(folder, path, seconds, "AM")


def _named_since(folder: Path, path: str, seconds: int, filters: str) -> Iterator[str]:
    if not _has_commit(folder):
        return
    log = ["log", "--no-renames", "--relative", "-z", "--name-only", f"--diff-filter={filters}"]
    out = run_git(folder, [*log, f"--since=@{seconds}", "--format=", "--", path], _LITERAL)
    yield from dict.fromkeys(name.lstrip("\n") for name in text_of(out).split("\0") if name.strip())


def _parts(out: str) -> Iterator[str]:
    """The commits and file names of a log with `-z`: a commit's own fields end in NUL, too."""
    fields = [field.lstrip("\n") for field in out.split("\0")]
    at = 0
    while at < len(fields):
        if fields[at].startswith(_COMMIT):
            yield "\0".join(fields[at : at + 2])
            at += 2
        else:
            if fields[at]:
                yield fields[at]
            at += 1


def _has_commit(folder: Path) -> bool:
    try:
        run_git(folder, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], {})
    except GitError:
        return False
    return True
