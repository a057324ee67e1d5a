"""List and stat one source: which files are documents, and why the others aren't."""

import errno
import os
import stat
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import filterfalse
from pathlib import Path
from typing import Literal, NamedTuple

from pit_memory.core.freshness import SeenFile, is_at_or_below
from pit_memory.errors import SourceError
from pit_memory.sources.kept_listing import KeptListing, ReadNames
from pit_memory.sources.sieve import VIRTUAL_ENVIRONMENT_MARK, LeftOut, Rules, Sieve, Tally
from pit_memory.sources.sifted import Sifted, sift
from pit_memory.sources.watched_folders import folders_to_watch
from pit_memory.workspace import git, work_trees
from pit_memory.workspace.files import reason
from pit_memory.workspace.git_rules import ENVIRONMENT, rule_files
from pit_memory.workspace.linked_folders import LinkedFolders
from pit_memory.workspace.mounts import file_system
from pit_memory.workspace.stamps import Stamps, can_prove, take_stamps

Via = Literal["git", "scandir"]

NOTHING_KNOWN: Mapping[str, SeenFile] = {}

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
    root: Path,
    rules: Rules,
    *,
    with_ignored: bool = False,
    by_git: bool = True,
    known: Mapping[str, SeenFile] = NOTHING_KNOWN,
    kept: KeptListing | None = None,
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
        known: of an earlier look, by path; these files are stat'ed while git lists.
        kept: of earlier looks at this root, and for later ones.

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
        return walk.listing(by_git=by_git, known=known, kept=kept or KeptListing())
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
        self._sieve = Sieve(rules, Tally(with_endings=with_ignored))
        self._known: Mapping[str, SeenFile] = NOTHING_KNOWN
        self._kept = KeptListing()
        self._unchanged: dict[str, SeenFile] = {}
        """Known files that are as they were."""
        self._files: list[SeenFile] = []
        self._links: list[str] = []
        self._linked = LinkedFolders(self._root)
        self._not_looked: list[str] = []
        self._notes: list[str] = list(rules.ignored.notes)
        self._top: Path | None = None
        """Of the work tree that the root lies in, where git is asked."""
        self._kind: str | None = None
        """Of file system; asked for when it matters."""

    def listing(self, *, by_git: bool, known: Mapping[str, SeenFile], kept: KeptListing) -> Listing:
        """Walk the root and everything in it."""
        self._known, self._kept = known, kept
        via = self._list_root(by_git=by_git)
        self._judge_links()
        return Listing(
            files=tuple(self._files),
            left_out=self._sieve.tally.groups(),
            not_looked=tuple(sorted(self._not_looked)),
            device=os.fstat(self._opened).st_dev,
            via=via,
            notes=tuple(self._notes),
        )

    def _place(self, path: str) -> Path:
        return Path(f"{self._root}/{path}")

    # ---- trees -------------------------------------------------------------------------------

    def _list_root(self, *, by_git: bool) -> Via:
        top = work_trees.toplevel(self._place("")) if by_git else None
        if top is None:
            self._read_root()
            return "scandir"
        depends_on = self._rules, top, *map(os.environ.get, ENVIRONMENT)
        names = None if self._with_ignored else self._kept.proven(depends_on, self._opened)
        if not isinstance(names, Sifted):
            return self._ask_git(top, depends_on)
        self._sieve = names.sieve
        self._stat_known()
        self._stat(names.documents)
        self._judge_names(names, "")
        return "git"

    def _ask_git(self, top: Path, depends_on: object) -> Via:
        """List the root by git; while it does, the files that are known are stat'ed."""
        root, began_ns = self._place(""), time.time_ns()
        with git.listing(root) as running:
            self._stat_known()
            is_ignored = top != root and git.is_ignored(root)
            if is_ignored is True:
                self._list_by_reading("")
                return "scandir"
            self._top = top
            printed = running.printed()
        if isinstance(printed, git.GitFailure) or self._with_ignored:
            return self._list_printed("", printed)
        sifted, is_as_before = self._kept.sifted(printed, self._rules, self._sieve)
        self._sieve = sifted.sieve.copy()
        self._look_at(sifted.documents, sifted.folders)
        self._judge_names(sifted, "")
        if is_as_before and is_ignored is False and sifted.is_whole:
            most_folders = len(sifted.documents) // 2 + 100  # more cost more than to ask git
            proof = partial(self._stamps_of_work_tree, top, began_ns, most_folders)
            self._kept.try_to_prove(depends_on, sifted, proof)
        return "git"

    def _list_tree(self, folder: str) -> Via:
        with git.listing(self._place(folder)) as running:
            printed = running.printed()
        return self._list_printed(folder, printed)

    def _list_printed(self, folder: str, printed: git.Printed | git.GitFailure) -> Via:
        place = self._place(folder)
        if isinstance(printed, git.GitFailure):
            what = f"git could not list {place} ({printed.reason})"
            self._notes.append(f"{what}: its ignore rules are not applied")
            self._list_by_reading(folder)
            return "scandir"
        sifted = sift(printed, folder, self._sieve)
        self._look_at(sifted.documents, sifted.folders)
        self._judge_names(sifted, folder)
        if self._with_ignored and not isinstance(
            ignored := git.list_ignored(place), git.GitFailure
        ):
            for path in ignored:
                self._sieve.tally.add("ignored by git", f"{folder}/{path}" if folder else path)
        return "git"

    def _judge_names(self, sifted: Sifted, folder: str) -> None:
        """Look at what is no document by its name alone."""
        if sifted.without_untracked:
            self._not_looked.append(folder)
            why = sifted.without_untracked
            self._notes.append(f"files that git doesn't know are not seen: {why}")
        self._links += sifted.symlinks
        self._judge_unnamed(sifted.unnamed)
        for unreadable in sifted.unreadable:
            self._could_not_look(unreadable, "/")
        for nested in sifted.nested:
            self._list_nested(nested)

    def _stamps_of_work_tree(self, top: Path, began_ns: int, most_folders: int) -> Stamps | None:
        """Stamps of all that decides what git prints; None where that isn't known."""
        if not can_prove(self._root or "/"):
            return None
        found = folders_to_watch(self._root, self._rules, most_folders)
        files = rule_files(top, self._place("")) if found else None
        if found is None or files is None:
            return None
        watched = (*files, *(f"{self._root}/{path}" for path in found.ignore_files))
        return take_stamps(self._opened, found.folders, watched, began_ns)

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
        elif self._top and shared == work_trees.common_dir(self._top):
            self._sieve.skip_folder(folder, "worktree of the same repository")
        else:
            self._list_tree(folder)

    def _read_root(self) -> None:
        """List the root by reading its folders, unless it is known that they hold the same."""
        names = None if self._with_ignored else self._kept.proven(self._rules, self._opened)
        if isinstance(names, ReadNames):
            self._sieve = names.sieve
            self._links += names.links
            self._stat_known()
            self._stat(names.documents)
            return
        began_ns = time.time_ns()
        read = self._read("")
        documents, is_as_before = self._kept.documents(read.files, self._rules, self._sieve)
        if is_as_before and not read.holds_trees and not self._not_looked:
            held = ReadNames(documents, read.links, self._sieve.copy())
            proof = partial(self._stamps_of_folders, read.folders, began_ns)
            self._kept.try_to_prove(self._rules, held, proof)
        self._links += read.links
        self._stat_known()
        self._stat(documents)

    def _stamps_of_folders(self, folders: Sequence[str], began_ns: int) -> Stamps | None:
        if not can_prove(self._root or "/"):
            return None
        return take_stamps(self._opened, folders, (), began_ns)

    def _list_by_reading(self, top: str) -> int:
        """List a tree by reading its folders; returns how many entries its top has."""
        read = self._read(top)
        self._links += read.links
        self._stat(self._sieve.documents(read.files))
        return read.entries_of_top

    def _read(self, top: str) -> "_Read":
        """Read the folders of a tree."""
        read = _Read()
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            read.folders.append(folder)
            held = self._read_folder(folder)
            if folder == top:
                read.entries_of_top = sum(map(len, held))
            elif held.holds(".git"):
                read.holds_trees = True
                self._list_nested(folder)
                continue
            elif held.holds(VIRTUAL_ENVIRONMENT_MARK):
                self._sieve.skip_folder(folder, "virtual environment")
                continue
            prefix = folder + "/" if folder else ""
            read.files += [prefix + name for name in held.files]
            read.links += [prefix + name for name in held.links]
            folders = [prefix + name for name in held.folders if name != ".git"]
            waiting += filter(self._sieve.enters, folders)
        return read

    def _read_folder(self, folder: str) -> "_Folder":
        held = _Folder([], [], [])
        try:
            with os.scandir(f"{self._root}/{folder}") as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        held.folders.append(entry.name)
                    elif entry.is_symlink():
                        held.links.append(entry.name)
                    else:
                        held.files.append(entry.name)
        except _GONE:
            return _Folder([], [], [])
        except OSError as error:
            if not folder:
                raise _no_root(self._place(""), error) from error
            self._could_not_look(folder, "/")
            return _Folder([], [], [])
        return held

    # ---- files -------------------------------------------------------------------------------

    def _stat_known(self) -> None:
        """Find out which of the known files are as they were; the others need a closer look."""
        opened, limit, is_regular = self._opened, self._rules.max_file_bytes, stat.S_ISREG
        unchanged = self._unchanged
        for file in self._known.values():
            path, size, mtime_ns, ctime_ns = file
            try:
                status = os.stat(path, dir_fd=opened, follow_symlinks=False)
            except OSError:
                continue
            if (
                status.st_mtime_ns == mtime_ns
                and status.st_ctime_ns == ctime_ns
                and status.st_size == size <= limit
                and status.st_blocks
                and is_regular(status.st_mode)
            ):
                unchanged[path] = file

    def _look_at(self, documents: Sequence[str], folders: Collection[str]) -> None:
        """Stat those documents of git's that are reached without a symlink.

        Args:
            documents: relative to the root.
            folders: all that are on the way to them.
        """
        if self._linked.any_link(folders):
            links = {path: link for path in documents if (link := self._linked.link_to(path))}
            self._links += links.values()
            documents = [path for path in documents if path not in links]
        self._stat(documents)

    def _stat(self, documents: Sequence[str]) -> None:
        """Stat files that are documents by name."""
        opened, keep, too_large = self._opened, self._files.append, self._rules.is_too_large
        self._files += filter(None, map(self._unchanged.get, documents))
        for path in filterfalse(self._unchanged.__contains__, documents):
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
            self._sieve.tally.add("too large", path)
        elif stat.S_ISLNK(status.st_mode):
            self._links.append(path)
        elif not stat.S_ISDIR(status.st_mode):
            self._sieve.tally.add("not a regular file", path)

    def _is_placeholder(self, path: str, status: os.stat_result) -> bool:
        """Tell whether a file's bytes are in the cloud only; to open it would download it.

        What is indexed of it is kept: it was there when it was read.
        """
        if not stat.S_ISREG(status.st_mode) or not is_placeholder(status, self._file_system()):
            return False
        self._not_looked.append(path)
        self._sieve.tally.add("in the cloud only", path)
        return True

    def _file_system(self) -> str:
        if self._kind is None:
            self._kind = file_system(self._root or "/")
        return self._kind

    def _could_not_look(self, path: str, ending: str = "") -> None:
        self._not_looked.append(path)
        self._sieve.tally.add("unreadable", path + ending)

    # ---- links -------------------------------------------------------------------------------

    def _judge_unnamed(self, paths: Iterable[str]) -> None:
        """Keep the symlinks of untracked paths without an ending, mostly to folders, for later."""
        others: list[str] = []
        for path in paths:
            (self._links if self._place(path).is_symlink() else others).append(path)
        self._sieve.documents(others)

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
                self._sieve.tally.add("symlink loop", path)
            elif isinstance(error, _GONE):
                self._sieve.tally.add("symlink to nothing", path)
            else:
                self._could_not_look(path)
            return
        if not status.st_blocks and self._is_placeholder(path, status):
            return
        target = self._relative(os.path.realpath(f"{self._root}/{path}"))
        if target is None:
            self._sieve.tally.add("symlink leaves the root", path)
        elif stat.S_ISDIR(status.st_mode):
            self._sieve.tally.add("symlink to a folder", path)
        elif not self._sieve.documents([path]):
            return
        elif target in taken:
            self._sieve.tally.add("symlink to an indexed file", path)
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


@dataclass(slots=True)
class _Read:
    """What was read from the folders of a tree; paths are relative to the root."""

    files: list[str] = field(default_factory=list)
    """And what else is neither a folder nor a symlink."""
    links: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    """All that were read, the tree's own first."""
    holds_trees: bool = False
    """Of git's, or what looks like one."""
    entries_of_top: int = 0


class _Folder(NamedTuple):
    """The names in a folder."""

    files: list[str]
    """And what else is neither a folder nor a symlink."""
    folders: list[str]
    links: list[str]

    def holds(self, name: str) -> bool:
        """Tell whether a name is among them."""
        return name in self.files or name in self.folders or name in self.links


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


def _no_root(root: Path, error: OSError) -> SourceError:
    why = {errno.ENOENT: "there is no such folder", errno.ENOTDIR: "it is not a folder"}
    words = why.get(error.errno or 0) or reason(error)
    return SourceError(f"can't look into {root}: {words}; check the path (`--root`)")
