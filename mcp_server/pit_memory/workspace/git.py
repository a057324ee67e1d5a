"""Questions to git, asked of the command: time limits, no optional locks, no `GIT_*` from outside.

No answer is a value (`GitFailure`): callers go on without git and say so.
"""

import fcntl
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import (
    GIT,
    NO_GIT,
    complaint_of,
    environment,
    names_of,
    text_of,
)

_QUESTION_SECONDS = 10.0
_LISTING_SECONDS = 30.0
"""Time limits. A listing walks the whole work tree, from a cold disk at worst."""

_PIPE_BYTES = 1_048_576
"""As large as Linux lets people make a pipe: the listing of 10,000 files."""

_REGULAR, _SYMLINK, _SUBMODULE = "0", "2", "6"
"""Second digit of the mode of an entry of the index."""
_KIND = len("H 1")
"""Where that is in its line."""

_TRACKED = ("ls-files", "-z", "-t", "--cached", "--stage")
_OTHER = "?"
"""Begins the line of what the index doesn't hold, where `-t` is given."""

_UNREADABLE = re.compile(
    r"^warning: could not open directory '(.*)/': (?!No such file|Not a directory)", re.MULTILINE
)
"""A folder that exists and can't be listed; one that vanished meanwhile is no matter."""


@dataclass(frozen=True, slots=True)
class GitFailure:
    """Why git gave no answer."""

    reason: str
    """One line: git is missing, too slow, or what it printed."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """What the index holds below a folder, relative to it; a file may be missing from disk."""

    files: tuple[str, ...]
    symlinks: tuple[str, ...]
    submodules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Untracked:
    """What lies below a folder, neither in the index nor ignored, relative to the folder."""

    files: tuple[str, ...]
    """Symlinks included."""
    repositories: tuple[str, ...]
    """Folders that are repositories of their own; git does not look into them."""
    unreadable: tuple[str, ...]
    """Folders that git could not open."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What git printed of a listing; where it says the same again, it means the same."""

    out: str
    complaints: str
    without_untracked: str = ""
    """Why only the index was listed; empty where all was."""

    def parsed(self) -> tuple[Tracked, Untracked | GitFailure]:
        """What the index holds, and what git neither knows nor ignores."""
        entries = names_of(self.out)
        tracked = _parse_tracked([entry for entry in entries if entry[0] != _OTHER])
        if self.without_untracked:
            return tracked, GitFailure(self.without_untracked)
        names = [entry[2:] for entry in entries if entry[0] == _OTHER]
        untracked = Untracked(
            files=tuple(name for name in names if not name.endswith("/")),
            repositories=tuple(name[:-1] for name in names if name.endswith("/")),
            unreadable=tuple(_UNREADABLE.findall(self.complaints)),
        )
        return tracked, untracked


class RunningListing:
    """A listing in the making: git walks the work tree while the caller does something else."""

    def __init__(self, folder: Path, both: "_Question") -> None:
        self._folder = folder
        self._both = both

    def printed(self) -> Printed | GitFailure:
        """Wait for git; where it can't say what it doesn't know, what the index holds is asked."""
        both = self._both.answer()
        if isinstance(both, _Answer):
            return Printed(both.out, both.err)
        tracked = _ask(self._folder, *_TRACKED, seconds=_LISTING_SECONDS)
        if isinstance(tracked, GitFailure):
            return tracked
        return Printed(tracked.out, tracked.err, both.reason)


@contextmanager
def listing(folder: Path) -> Iterator[RunningListing]:
    """List a folder of a work tree by git's ignore rules, in a process beside the block."""
    arguments = (*_TRACKED, "--others", "--exclude-standard")
    with _Question(folder, _LISTING_SECONDS, *arguments) as both:
        yield RunningListing(folder, both)


def list_ignored(folder: Path) -> tuple[str, ...] | GitFailure:
    """List what git ignores in a folder of a work tree; a folder ignored whole ends in `/`."""
    arguments = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    answer = _ask(folder, *arguments, seconds=_LISTING_SECONDS)
    return answer if isinstance(answer, GitFailure) else tuple(names_of(answer.out))


def is_ignored(folder: Path, path: str = ".", *, even_tracked: bool = True) -> bool | GitFailure:
    """Tell whether git ignores a folder itself, or a path in it, by a rule for it or above it.

    Args:
        folder: of a work tree.
        path: relative to it.
        even_tracked: what the rules say, also of a file that git tracks, and so doesn't ignore.
    """
    rules_alone = ["--no-index"] if even_tracked else []
    answer = _ask(folder, "check-ignore", "--quiet", *rules_alone, "--", path, fine_codes=(0, 1))
    return answer if isinstance(answer, GitFailure) else answer.code == 0


def head_paths(folder: Path) -> frozenset[str] | GitFailure:
    """Return the files of the commit at HEAD below a folder, relative to it; submodules by name."""
    arguments = ("ls-tree", "-r", "-z", "--name-only", "HEAD")
    answer = _ask(folder, *arguments, seconds=_LISTING_SECONDS)
    return answer if isinstance(answer, GitFailure) else frozenset(names_of(answer.out))


def person_name(folder: Path) -> str:
    """Return the name that git knows a person by in a folder; empty where it knows none."""
    return configured(folder, "user.name")


def configured(folder: Path, key: str) -> str:
    """Return what git's configuration says of a key in a folder; empty where it says nothing."""
    answer = _ask(folder, "config", "--get", key, fine_codes=(0, 1))
    return "" if isinstance(answer, GitFailure) else answer.out.strip()


def configuration(folder: Path) -> Sequence[tuple[str, str, str]] | GitFailure:
    """Return (origin, key, value) of all that git's configuration says in a folder.

    An origin is such as `file:.git/config`, relative to the top of the work tree.
    """
    answer = _ask(folder, "config", "-z", "--list", "--show-origin")
    if isinstance(answer, GitFailure):
        return answer
    words = names_of(answer.out)
    rows = zip(words[::2], words[1::2], strict=True)
    return [(origin, *row.partition("\n")[::2]) for origin, row in rows]


def unknown_files(top: Path, paths: Sequence[str]) -> tuple[str, ...] | GitFailure:
    """Return those of some files that git doesn't know, relative to the top of the work tree."""
    answer = _ask(top, "--literal-pathspecs", "ls-files", "-z", "--others", "--", *paths)
    return answer if isinstance(answer, GitFailure) else tuple(names_of(answer.out))


def remote_address(top: Path) -> str:
    """Return the address of a repository's remote, of `origin` before others; empty without one."""
    answer = _ask(top, "config", "-z", "--get-regexp", r"^remote\..*\.url$", fine_codes=(0, 1))
    if isinstance(answer, GitFailure):
        return ""
    rows = dict(reversed([row.split("\n", 1) for row in names_of(answer.out) if "\n" in row]))
    return rows.get("remote.origin.url") or next(iter(reversed(rows.values())), "")


def init_repository(folder: Path, identity: tuple[str, str] | None) -> None:
    """Make a folder a repository.

    Args:
        folder: it exists.
        identity: name and address of who commits there; None for the person's own.

    Raises:
        GitError: git is missing or refuses.
    """
    settings = (
        [] if identity is None else list(zip(("user.name", "user.email"), identity, strict=True))
    )
    commands = [
        ("init", "--quiet"),
        *(("config", "--local", key, value) for key, value in settings),
    ]
    for command in commands:
        answer = _ask(folder, *command)
        if isinstance(answer, GitFailure):
            message = f"{folder} can't be made a git repository: {answer.reason}"
            raise GitError(message)


def tracked_among(top: Path, paths: Sequence[str]) -> frozenset[str] | GitFailure:
    """Those of some paths, relative to the root of a work tree, that git knows."""
    answer = _ask(top, "--literal-pathspecs", "ls-files", "-z", "--", *paths)
    return answer if isinstance(answer, GitFailure) else frozenset(names_of(answer.out))


def version() -> tuple[int, ...] | GitFailure:
    """Return git's version, such as (2, 39, 5)."""
    answer = _ask(Path("/"), "version")
    if isinstance(answer, GitFailure):
        return answer
    found = re.search(r"\d+(?:\.\d+)+", answer.out)
    return tuple(int(part) for part in found[0].split(".")) if found else GitFailure(answer.out)


@dataclass(frozen=True, slots=True)
class _Answer:
    out: str
    err: str
    code: int


class _Question:
    """One git process; leaving the block ends it."""

    def __init__(
        self, folder: Path, seconds: float, *arguments: str, fine_codes: Sequence[int] = (0,)
    ) -> None:
        self._folder = folder
        self._seconds = seconds
        self._arguments = arguments
        self._fine_codes = fine_codes
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: GitFailure | None = None

    def __enter__(self) -> "_Question":
        try:
            self._process = subprocess.Popen(
                (*GIT, *self._arguments),
                cwd=self._folder,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            _widen(self._process.stdout)
        except OSError as error:
            self._failure = GitFailure(_why_not_started(error, self._folder))
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def answer(self) -> _Answer | GitFailure:
        """Wait for the process's end."""
        if self._process is None:
            return self._failure or GitFailure("git was not started")
        try:
            out, err = self._process.communicate(timeout=self._seconds)
        except subprocess.TimeoutExpired:
            return GitFailure(f"git {self._arguments[0]} took longer than {self._seconds:g} s")
        answer = _Answer(text_of(out), text_of(err), self._process.returncode)
        if answer.code not in self._fine_codes:
            return GitFailure(complaint_of(answer.err) or f"git ended with code {answer.code}")
        return answer


def _ask(
    folder: Path,
    *arguments: str,
    seconds: float = _QUESTION_SECONDS,
    fine_codes: Sequence[int] = (0,),
) -> _Answer | GitFailure:
    with _Question(folder, seconds, *arguments, fine_codes=fine_codes) as question:
        return question.answer()


def _parse_tracked(entries: Sequence[str]) -> Tracked:
    """Sort the index's entries: letter, mode, hash, stage, tab, path; of a conflict up to three."""
    # What comes before the path is as wide in every entry of a repository.
    start = entries[0].find("\t") + 1 if entries else 0
    by_kind: dict[str, dict[str, None]] = {_SYMLINK: {}, _SUBMODULE: {}}
    files = dict.fromkeys([entry[start:] for entry in entries if entry[_KIND] == _REGULAR])
    for entry in entries:
        if entry[_KIND] != _REGULAR:
            by_kind[entry[_KIND]][entry[start:]] = None
    return Tracked(tuple(files), tuple(by_kind[_SYMLINK]), tuple(by_kind[_SUBMODULE]))


def _widen(pipe: IO[bytes] | None) -> None:
    """Let git write all of a listing and end, while nobody reads yet."""
    if pipe is not None and hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):  # people may have only so much of it
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _why_not_started(error: OSError, folder: Path) -> str:
    if isinstance(error, FileNotFoundError) and str(error.filename) != str(folder):
        return NO_GIT
    return f"git could not be started in {folder}: {error.strerror}"
