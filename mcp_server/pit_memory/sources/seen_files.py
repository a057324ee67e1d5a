"""The documents of a look as files: each is stat'ed, and symlinks are followed at the end."""

import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from itertools import filterfalse
from pathlib import Path

from pit_memory.core.documents.freshness import SeenFile
from pit_memory.sources.placeholders import is_placeholder
from pit_memory.sources.sieve import Rules, Sieve
from pit_memory.workspace.mounts import file_system

GONE = (FileNotFoundError, NotADirectoryError)
"""It vanished between being listed and being looked at: it is simply not there."""


def unchanged_files(known: Iterable[SeenFile], opened: int, rules: Rules) -> dict[str, SeenFile]:
    """Return the known files that are as they were, by path; the others need a closer look.

    Args:
        known: of an earlier look at the same root.
        opened: the root, as a descriptor.
        rules: which files are documents.
    """
    limit, is_regular = rules.max_file_bytes, stat.S_ISREG
    unchanged = {}
    for file in known:
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
    return unchanged


class SeenFiles:
    """The files that one look has seen so far. Paths are relative to the root."""

    def __init__(
        self,
        root: str,
        opened: int,
        rules: Rules,
        sieve: Sieve,
        unchanged: Mapping[str, SeenFile],
    ) -> None:
        """See nothing yet.

        Args:
            root: absolute, symlinks resolved, without a slash at its end.
            opened: it, as a descriptor.
            rules: which files are documents.
            sieve: of these rules; its tally counts the documents by name that are none.
            unchanged: by path, known files that are as they were.
        """
        self._root = root
        self._opened = opened
        self._rules = rules
        self._sieve = sieve
        self._kind: str | None = None
        """Of file system; asked for when it matters."""
        self.files: list[SeenFile] = []
        """Documents, each path once."""
        self.links: list[str] = []
        """Symlinks, for `judge_links`."""
        self.not_looked: list[str] = []
        """Files and folders that could not be looked at: they may be there."""
        self.unchanged = unchanged
        """By path, what `stat` need not look at."""

    # ---- documents by name -------------------------------------------------------------------

    def stat(self, documents: Sequence[str]) -> None:
        """Look at files that are documents by name and are reached without a symlink."""
        opened, keep, too_large = self._opened, self.files.append, self._rules.is_too_large
        self.files += filter(None, map(self.unchanged.get, documents))
        for path in filterfalse(self.unchanged.__contains__, documents):
            try:
                status = os.stat(path, dir_fd=opened, follow_symlinks=False)
            except GONE:
                continue
            except OSError:
                self.could_not_look(path)
                continue
            size = status.st_size
            if not status.st_blocks and self._is_placeholder(path, status):
                continue
            if stat.S_ISREG(status.st_mode) and not too_large(path, size):
                keep(SeenFile(path, size, status.st_mtime_ns, status.st_ctime_ns))
            else:
                self._refuse(path, status)

    def could_not_look(self, path: str, ending: str = "") -> None:
        """Count what may be there and can't be looked at.

        Args:
            path: of a file or folder.
            ending: what shows that it is a folder.
        """
        self.not_looked.append(path)
        self._sieve.tally.add("unreadable", path + ending)

    def _refuse(self, path: str, status: os.stat_result) -> None:
        """Count what is a document by name only, and keep a link for later."""
        if stat.S_ISREG(status.st_mode):
            self._sieve.tally.add("too large", path)
        elif stat.S_ISLNK(status.st_mode):
            self.links.append(path)
        elif not stat.S_ISDIR(status.st_mode):
            self._sieve.tally.add("not a regular file", path)

    def _is_placeholder(self, path: str, status: os.stat_result) -> bool:
        """Tell whether a file's bytes are in the cloud only; to open it would download it.

        What is indexed of it is kept: it was there when it was read.
        """
        if not stat.S_ISREG(status.st_mode) or not is_placeholder(status, self._file_system()):
            return False
        self.not_looked.append(path)
        self._sieve.tally.add("in the cloud only", path)
        return True

    def _file_system(self) -> str:
        if self._kind is None:
            self._kind = file_system(self._root or "/")
        return self._kind

    # ---- symlinks ----------------------------------------------------------------------------

    def judge_unnamed(self, paths: Iterable[str]) -> None:
        """Keep the symlinks of untracked paths without an ending, mostly to folders, for later."""
        others: list[str] = []
        for path in paths:
            (self.links if Path(f"{self._root}/{path}").is_symlink() else others).append(path)
        self._sieve.documents(others)

    def judge_links(self) -> None:
        """Index a file once: where it is, or else under the first link to it."""
        taken = {file.path for file in self.files} if self.links else set()
        for path in sorted(set(self.links)):
            folder = path.rpartition("/")[0]
            if self._sieve.enters(folder):
                self._judge_link(path, taken)

    def _judge_link(self, path: str, taken: set[str]) -> None:
        try:
            status = os.stat(path, dir_fd=self._opened)
        except OSError as error:
            if error.errno == errno.ELOOP:
                self._sieve.tally.add("symlink loop", path)
            elif isinstance(error, GONE):
                self._sieve.tally.add("symlink to nothing", path)
            else:
                self.could_not_look(path)
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
            self.files.append(SeenFile(path, *stamps))

    def _relative(self, real: str) -> str | None:
        """Return a real path relative to the root; None outside it and in git's own folder."""
        top = self._root + "/"
        if real + "/" == top:
            return ""
        inside = real.startswith(top) and ".git" not in real[len(top) :].split("/")
        return real[len(top) :] if inside else None
