"""Git's index as a tree of files: the user's own, or a copy to try changes on.

A copy is a temporary file, and what is added to it goes into a temporary object folder: neither the
user's index nor their repository changes by a byte.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import names_of, run_git, text_of

_REGULAR = ("100644", "100755")
_SKIPPED = "S"
"""How `ls-files -t` marks files that a sparse checkout keeps off the disk."""
_NO_REPOSITORY = ("not a git repository", "must be run in a work tree")


class Blob(NamedTuple):
    """A regular file in git's index."""

    mode: str
    id: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree and where git keeps what belongs to it."""

    top: Path
    index: Path
    objects: Path
    selection: Mapping[str, str]
    """GIT_DIR and GIT_WORK_TREE, where the user chose them; else empty."""


def find_repository(
    directory: Path, *, git_dir: str | None = None, work_tree: str | None = None
) -> Repository | None:
    """Find the work tree that a git command works on; None outside of any and in a bare repository.

    Args:
        directory: where the command runs.
        git_dir: as `--git-dir` gives it.
        work_tree: as `--work-tree` gives it.

    Raises:
        GitError: git is missing, too slow, or refuses the repository.
    """
    selection = {
        name: os.path.join(directory, value)  # noqa: PTH118 - git's own reading, links untouched
        for name, value in (("GIT_DIR", git_dir), ("GIT_WORK_TREE", work_tree))
        if value is not None
    }
    paths = ("--git-path", "index", "--git-path", "objects")
    try:
        out = run_git(directory, ["rev-parse", "--show-toplevel", *paths], selection)
    except NotADirectoryError:
        return None
    except GitError as error:
        if any(words in str(error) for words in _NO_REPOSITORY):
            return None
        raise
    top, index, objects = (Path(directory, line) for line in text_of(out).split("\n")[:3])
    return Repository(top, index, objects, selection)


class GitIndex:
    """An index file of a repository. Paths are relative to the top of the work tree, POSIX."""

    def __init__(self, repository: Repository, environment: Mapping[str, str]) -> None:
        """Name it; nothing is read yet.

        Args:
            repository: whose work tree it speaks of.
            environment: further variables for git, such as GIT_INDEX_FILE.
        """
        self.repository = repository
        self._environment = {**repository.selection, **environment}

    def files(self, places: Sequence[str]) -> dict[str, Blob]:
        """Return the regular files below some folders; one in conflict is left out.

        Args:
            places: files and folders relative to the top; none of them needs to exist.
        """
        listing = self._git(["ls-files", "-z", "--stage", "--", *map(_literal, places)])
        found: dict[str, Blob] = {}
        for line in names_of(text_of(listing)):
            head, _, path = line.partition("\t")
            mode, blob, stage = head.split(" ")
            if mode in _REGULAR and stage == "0":
                found[path] = Blob(mode, blob)
        return found

    def contents(self, blobs: Iterable[Blob]) -> dict[str, bytes]:
        """Return the content of blobs by their id."""
        ids = sorted({blob.id for blob in blobs})
        if not ids:
            return {}
        out = self._git(["cat-file", "--batch"], stdin="".join(f"{blob}\n" for blob in ids))
        found: dict[str, bytes] = {}
        at = 0
        while at < len(out):
            head_end = out.index(b"\n", at)
            name, *rest = out[at:head_end].split(b" ")
            if len(rest) != 2:  # "<id> missing"
                message = (
                    f"git can't read {text_of(name)}: {text_of(b' '.join(rest))}; run `git fsck`"
                )
                raise GitError(message)
            start, size = head_end + 1, int(rest[1])
            found[text_of(name)] = out[start : start + size]
            at = start + size + 1
        return found

    def matching(
        self, directory: Path, pathspecs: Sequence[str], *, untracked: bool, ignored: bool = False
    ) -> list[str]:
        """Return the files that pathspecs match, relative to the top; a sparse checkout's left out.

        Args:
            directory: what the pathspecs are relative to.
            pathspecs: as git reads them.
            untracked: files that git doesn't know, too.
            ignored: even ignored ones among these.
        """
        flags = ["--others"] * untracked + ["--exclude-standard"] * (untracked and not ignored)
        command = ["ls-files", "-z", "-t", "--full-name", "--cached", *flags, "--", *pathspecs]
        lines = names_of(text_of(self._git(command, directory=directory)))
        return [
            path for mark, _, path in (line.partition(" ") for line in lines) if mark != _SKIPPED
        ]

    def _git(
        self, arguments: Sequence[str], *, stdin: str = "", directory: Path | None = None
    ) -> bytes:
        where = directory or self.repository.top
        data = stdin.encode("utf-8", "surrogateescape")
        return run_git(where, arguments, self._environment, data)


class ChangeableIndex(GitIndex):
    """An index that may be changed; only its files of corpora ever are."""

    def stage(self, paths: Iterable[str]) -> None:
        """Take files as they are in the work tree; those that are gone there are removed."""
        self._update(["--add", "--remove"], paths)

    def remove(self, paths: Iterable[str]) -> None:
        """Take files out."""
        self._update(["--force-remove"], paths)

    def put(self, path: str, blob: Blob) -> None:
        """Make a path hold a blob."""
        self._git(["update-index", "--add", "--cacheinfo", f"{blob.mode},{blob.id},{path}"])

    def store(self, data: bytes) -> Blob:
        """Keep content beside the repository's own."""
        out = run_git(
            self.repository.top, ["hash-object", "-w", "--stdin"], self._environment, data
        )
        return Blob(_REGULAR[0], text_of(out).strip())

    def reset_to_head(self) -> None:
        """Make it hold what HEAD holds; nothing where there is no commit yet."""
        head = self.has_commit()
        self._git(["read-tree", "HEAD"] if head else ["read-tree", "--empty"])

    def has_commit(self) -> bool:
        """Tell whether HEAD names a commit."""
        try:
            self._git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
        except GitError:
            return False
        return True

    def _update(self, flags: Sequence[str], paths: Iterable[str]) -> None:
        lines = "".join(f"{path}\0" for path in paths)
        if lines:
            self._git(["update-index", "-z", *flags, "--stdin"], stdin=lines)


@contextmanager
def copied_index(repository: Repository) -> Iterator[ChangeableIndex]:
    """Copy a repository's index into a temporary folder, which goes with the block."""
    import shutil

    from pit_memory.workspace.scratch import scratch_folder

    with scratch_folder() as folder:
        index = folder / "index"
        if repository.index.exists():
            shutil.copyfile(repository.index, index)
        objects = folder / "objects"
        objects.mkdir()
        environment = {
            "GIT_INDEX_FILE": str(index),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(str(repository.objects)),
        }
        yield ChangeableIndex(repository, environment)


def _literal(path: str) -> str:
    return f":(top,literal){path}" if path != "." else ":/"


def _quoted(path: str) -> str:
    """A folder for a colon-separated list of git's."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
