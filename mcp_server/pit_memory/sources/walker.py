"""List and stat one source: which files are documents, and why the others aren't."""

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pit_memory.core.freshness import SeenFile, is_at_or_below
from pit_memory.errors import SourceError
from pit_memory.sources.sieve import VIRTUAL_ENVIRONMENT_MARK, LeftOut, Rules, Sieve, Tally
from pit_memory.workspace import git, work_trees
from pit_memory.workspace.files import reason
from pit_memory.workspace.linked_folders import LinkedFolders
from pit_memory.workspace.mounts import file_system

Via = Literal["git", "scandir"]

_SF_DATALESS = 0x40000000
"""macOS: the bytes are with a file provider, such as iCloud or OneDrive."""
_INLINE_KINDS = frozenset(
    ("9p", "bcachefs", "btrfs", "erofs", "f2fs", "fuseblk", "ntfs", "ntfs3", "virtiofs", "zfs")
)
_INLINE_BYTES = 4_096

_GONE = (FileNotFoundError, NotADirectoryError)
"""It vanished between being listed and being looked at: it is simply not there."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a look saw."""

    files: tuple[SeenFile, ...]
    """Each path once, in no particular order."""
    left_out: tuple[LeftOut, ...]
    """By reason."""
    not_looked: tuple[str, ...]
    """Files and folders that could not be looked at: what is known there may still exist. The whole
    source is the empty path."""
    device: int
    """Device number of the root."""
    via: Via
    notes: tuple[str, ...]
    """What a person should know of this listing, one line each."""


def list_source(
    root: Path, rules: Rules, *, with_ignored: bool = False, by_git: bool = True
) -> Listing:
    """List and stat the documents below a root.

    By git in a work tree, so that its ignore rules hold; by reading folders elsewhere and where git
    ignores the root itself. Nested repositories and submodules are listed as trees of their own.

    Args:
        root: absolute, or relative to the process's folder.
        rules: which files are documents.
        with_ignored: count what git ignores, too, and unknown formats by their endings; for
            `status`, costs a further question to git.
        by_git: ask git in a work tree; else read the folders, which takes a tenth of the time.

    Raises:
        SourceError: the root is missing, not a folder, or can't be read.
        UsageError: a glob of the rules can't be read.
    """
    try:
        opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _no_root(root, error) from error
    try:
        walk = _Walk(os.path.realpath(root), opened, rules, with_ignored=with_ignored)
        return walk.listing(by_git=by_git)
    finally:
        os.close(opened)


def explain_losses(root: Path, lost: Sequence[str], listing: Listing) -> frozenset[str]:
    """Return lost documents whose loss is meant: a rule leaves them out, or HEAD lacks them too.

    Asked only where a plan is refused. Where the listing holds no document at all, HEAD excuses
    nothing: a folder that isn't mounted looks just like that.
    """
    excused = {path for path in lost if os.path.lexists(f"{root}/{path}")}
    if listing.via == "git" and listing.files:
        at_head = git.head_paths(root)
        if not isinstance(at_head, git.GitFailure):
            excused.update(path for path in lost if not is_at_or_below(path, at_head))
    return frozenset(excused)


class _Walk:
    """One look at one root. Paths are relative to the root; the root itself is the empty path."""

    def __init__(self, root: str, opened: int, rules: Rules, *, with_ignored: bool) -> None:
        self._root = root.rstrip("/")
        self._opened = opened
        self._rules = rules
        self._with_ignored = with_ignored
        self._tally = Tally(with_endings=with_ignored)
        self._sieve = Sieve(rules, self._tally)
        self._files: list[SeenFile] = []
        self._links: list[str] = []
        self._linked = LinkedFolders(self._root)
        self._not_looked: list[str] = []
        self._notes: list[str] = list(rules.ignored.notes)
        self._repository: Path | None = None
        self._kind: str | None = None
        """Of file system; asked for when it matters."""

    def listing(self, *, by_git: bool) -> Listing:
        """Walk the root and everything in it."""
        via = self._list_root(by_git=by_git)
        self._judge_links()
        return Listing(
            files=tuple(self._files),
            left_out=self._tally.groups(),
            not_looked=tuple(sorted(self._not_looked)),
            device=os.fstat(self._opened).st_dev,
            via=via,
            notes=tuple(self._notes),
        )

    def _place(self, path: str) -> Path:
        return Path(f"{self._root}/{path}")

    # ---- trees -------------------------------------------------------------------------------

    def _list_root(self, *, by_git: bool) -> Via:
        root = self._place("")
        top = work_trees.toplevel(root) if by_git else None
        if top is None or (top != root and git.is_ignored(root) is True):
            self._list_by_reading("")
            return "scandir"
        self._repository = work_trees.common_dir(top)
        return self._list_tree("")

    def _list_tree(self, folder: str) -> Via:
        failure = self._list_by_git(folder)
        if failure is None:
            return "git"
        what = f"git could not list {self._place(folder)} ({failure.reason})"
        self._notes.append(f"{what}: its ignore rules are not applied")
        self._list_by_reading(folder)
        return "scandir"

    def _list_nested(self, folder: str) -> None:
        """List a submodule or a repository inside the root."""
        if not self._sieve.enters(folder):
            return
        if link := self._linked.link_to(f"{folder}/"):
            self._links.append(link)
            return
        shared = work_trees.common_dir(self._place(folder))
        if shared is None:  # a submodule whose repository isn't there: its files may be
            if not self._list_by_reading(folder):
                self._sieve.skip_folder(folder, "submodule is not checked out")
        elif shared == self._repository:
            self._sieve.skip_folder(folder, "worktree of the same repository")
        else:
            self._list_tree(folder)

    def _list_by_git(self, folder: str) -> git.GitFailure | None:
        """List a tree by git; while git looks for untracked files, the tracked ones are stat'ed."""
        place = self._place(folder)
        prefix = folder + "/" if folder else ""
        with git.listing(place) as running:
            tracked = running.tracked()
            if isinstance(tracked, git.GitFailure):
                return tracked
            tracked_files = _below(prefix, tracked.files)
            self._sieve.skip_virtual_environments(tracked_files)
            self._look_at(tracked_files)
            self._links += _below(prefix, tracked.symlinks)
            untracked = running.untracked()
        if isinstance(untracked, git.GitFailure):
            self._not_looked.append(folder)
            self._notes.append(f"files that git doesn't know are not seen: {untracked.reason}")
            untracked = git.Untracked((), (), ())
        new_files = _below(prefix, untracked.files)
        self._sieve.skip_virtual_environments(new_files)
        self._look_at(self._without_unnamed_links(new_files))
        for unreadable in _below(prefix, untracked.unreadable):
            self._could_not_look(unreadable, "/")
        for nested in _below(prefix, (*tracked.submodules, *untracked.repositories)):
            self._list_nested(nested)
        if self._with_ignored and not isinstance(
            ignored := git.list_ignored(place), git.GitFailure
        ):
            for path in _below(prefix, ignored):
                self._tally.add("ignored by git", path)
        return None

    def _list_by_reading(self, top: str) -> int:
        """List a tree by reading its folders; returns how many entries its top has."""
        waiting = [top]
        entries_of_top = 0
        while waiting:
            folder = waiting.pop()
            entries = self._entries(folder)
            names = {entry.name for entry in entries}
            if folder == top:
                entries_of_top = len(entries)
            elif ".git" in names:
                self._list_nested(folder)
                continue
            elif VIRTUAL_ENVIRONMENT_MARK in names:
                self._sieve.skip_folder(folder, "virtual environment")
                continue
            prefix = folder + "/" if folder else ""
            files = []
            for entry in entries:
                path = prefix + entry.name
                if entry.is_symlink():
                    self._links.append(path)
                elif not entry.is_dir(follow_symlinks=False):
                    files.append(path)
                elif entry.name != ".git" and self._sieve.enters(path):
                    waiting.append(path)
            self._look_at(files)
        return entries_of_top

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(f"{self._root}/{folder}") as entries:
                return list(entries)
        except _GONE:
            return []
        except OSError as error:
            if not folder:
                raise _no_root(self._place(""), error) from error
            self._could_not_look(folder, "/")
            return []

    # ---- files -------------------------------------------------------------------------------

    def _look_at(self, paths: Iterable[str]) -> None:
        """Stat those of some files that are documents by name."""
        opened, keep, too_large = self._opened, self._files.append, self._rules.is_too_large
        link_to = self._linked.link_to
        for path in self._sieve.documents(paths):
            if link := link_to(path):
                self._links.append(link)
                continue
            try:
                status = os.stat(path, dir_fd=opened, follow_symlinks=False)
            except _GONE:
                continue
            except OSError:
                self._could_not_look(path)
                continue
            size = status.st_size
            if not status.st_blocks and self._is_placeholder(path, status):
                continue
            if stat.S_ISREG(status.st_mode) and not too_large(path, size):
                keep(SeenFile(path, size, status.st_mtime_ns, status.st_ctime_ns))
            else:
                self._refuse(path, status)

    def _refuse(self, path: str, status: os.stat_result) -> None:
        """Count what is a document by name only, and keep a link for later."""
        if stat.S_ISREG(status.st_mode):
            self._tally.add("too large", path)
        elif stat.S_ISLNK(status.st_mode):
            self._links.append(path)
        elif not stat.S_ISDIR(status.st_mode):
            self._tally.add("not a regular file", path)

    def _is_placeholder(self, path: str, status: os.stat_result) -> bool:
        """Tell whether a file's bytes are in the cloud only; to open it would download it.

        What is indexed of it is kept: it was there when it was read.
        """
        if not stat.S_ISREG(status.st_mode) or not is_placeholder(status, self._file_system()):
            return False
        self._not_looked.append(path)
        self._tally.add("in the cloud only", path)
        return True

    def _file_system(self) -> str:
        if self._kind is None:
            self._kind = file_system(self._root or "/")
        return self._kind

    def _could_not_look(self, path: str, ending: str = "") -> None:
        self._not_looked.append(path)
        self._tally.add("unreadable", path + ending)

    # ---- links -------------------------------------------------------------------------------

    def _without_unnamed_links(self, paths: Iterable[str]) -> Iterator[str]:
        """Untracked paths but for symlinks without an ending, mostly to folders: judged later."""
        for path in paths:
            if "." not in path.rpartition("/")[2] and self._place(path).is_symlink():
                self._links.append(path)
            else:
                yield path

    def _judge_links(self) -> None:
        """Index a file once: where it is, or else under the first link to it."""
        taken = {file.path for file in self._files} if self._links else set()
        for path in sorted(set(self._links)):
            folder = path.rpartition("/")[0]
            if self._sieve.enters(folder):
                self._judge_link(path, taken)

    def _judge_link(self, path: str, taken: set[str]) -> None:
        try:
            status = os.stat(path, dir_fd=self._opened)
        except OSError as error:
            if error.errno == errno.ELOOP:
                self._tally.add("symlink loop", path)
            elif isinstance(error, _GONE):
                self._tally.add("symlink to nothing", path)
            else:
                self._could_not_look(path)
            return
        if not status.st_blocks and self._is_placeholder(path, status):
            return
        target = self._relative(os.path.realpath(f"{self._root}/{path}"))
        if target is None:
            self._tally.add("symlink leaves the root", path)
        elif stat.S_ISDIR(status.st_mode):
            self._tally.add("symlink to a folder", path)
        elif not self._sieve.documents([path]):
            return
        elif target in taken:
            self._tally.add("symlink to an indexed file", path)
        elif not stat.S_ISREG(status.st_mode) or self._rules.is_too_large(path, status.st_size):
            self._refuse(path, status)
        else:
            taken.add(target)
            stamps = status.st_size, status.st_mtime_ns, status.st_ctime_ns
            self._files.append(SeenFile(path, *stamps))

    def _relative(self, real: str) -> str | None:
        """Return a real path relative to the root; None outside it and in git's own folder."""
        top = self._root + "/"
        if real + "/" == top:
            return ""
        inside = real.startswith(top) and ".git" not in real[len(top) :].split("/")
        return real[len(top) :] if inside else None


def is_placeholder(status: os.stat_result, kind: str) -> bool:
    """Tell whether a regular file shows a size and holds no bytes here.

    Args:
        status: of the file.
        kind: of the file system: some keep small files in their tables, without a block.
    """
    if getattr(status, "st_flags", 0) & _SF_DATALESS:
        return True
    if sys.platform == "darwin" or status.st_blocks or not status.st_size:
        return False  # macOS compresses small files into their attributes
    return status.st_size >= _INLINE_BYTES or kind not in _INLINE_KINDS


def _below(prefix: str, paths: Iterable[str]) -> Sequence[str]:
    return [prefix + path for path in paths] if prefix else tuple(paths)


def _no_root(root: Path, error: OSError) -> SourceError:
    why = {errno.ENOENT: "there is no such folder", errno.ENOTDIR: "it is not a folder"}
    words = why.get(error.errno or 0) or reason(error)
    return SourceError(f"can't look into {root}: {words}; check the path (`--root`)")
