"""The trees in a source: git names the files of each, or its folders are read."""

import errno
from collections.abc import Collection, Sequence
from pathlib import Path

from pit_memory.errors import SourceError
from pit_memory.sources.folder_names import FolderNames, TreeNames, read_folder
from pit_memory.sources.listing import Via
from pit_memory.sources.seen_files import GONE, SeenFiles
from pit_memory.sources.sieve import VIRTUAL_ENVIRONMENT_MARK, Sieve
from pit_memory.sources.sifted import Sifted, sift
from pit_memory.workspace import git, work_trees
from pit_memory.workspace.files import reason
from pit_memory.workspace.linked_folders import LinkedFolders


class TreeWalk:
    """A walk through the trees of one root. Paths are relative to it; it is the empty path."""

    def __init__(
        self,
        root: str,
        seen: SeenFiles,
        sieve: Sieve,
        *,
        top: Path | None = None,
        with_ignored: bool = False,
    ) -> None:
        """Walk nowhere yet.

        Args:
            root: absolute, symlinks resolved, without a slash at its end.
            seen: gets the documents that are found.
            sieve: says which paths are documents; counts the others.
            top: of the work tree that the root lies in, where git is asked.
            with_ignored: count what git ignores, too.
        """
        self._root = root
        self._top = top
        self._with_ignored = with_ignored
        self._linked = LinkedFolders(root)
        self.seen = seen
        self.sieve = sieve
        self.notes: list[str] = []
        """What a person should know of this walk, one line each."""

    def _place(self, path: str) -> Path:
        return Path(f"{self._root}/{path}")

    # ---- a tree by git -----------------------------------------------------------------------

    def list_printed(self, folder: str, printed: git.Printed | git.GitFailure) -> Via:
        """List a tree by what git printed of it; by its folders where git could not.

        Args:
            folder: the tree's own.
            printed: of all of the tree.
        """
        place = self._place(folder)
        if isinstance(printed, git.GitFailure):
            what = f"git could not list {place} ({printed.reason})"
            self.notes.append(f"{what}: its ignore rules are not applied")
            self.list_by_reading(folder)
            return "scandir"
        sifted = sift(printed, folder, self.sieve)
        self.look_at(sifted.documents, sifted.folders)
        self.judge_names(sifted, folder)
        if self._with_ignored and not isinstance(
            ignored := git.list_ignored(place), git.GitFailure
        ):
            for path in ignored:
                self.sieve.tally.add("ignored by git", f"{folder}/{path}" if folder else path)
        return "git"

    def look_at(self, documents: Sequence[str], folders: Collection[str]) -> None:
        """Stat those documents of git's that are reached without a symlink.

        Args:
            documents: files that are documents by name.
            folders: all that are on the way to them.
        """
        if self._linked.any_link(folders):
            links = {path: link for path in documents if (link := self._linked.link_to(path))}
            self.seen.links += links.values()
            documents = [path for path in documents if path not in links]
        self.seen.stat(documents)

    def judge_names(self, sifted: Sifted, folder: str) -> None:
        """Look at what is no document by its name alone, and list the trees that are in this one.

        Args:
            sifted: what git printed of a tree.
            folder: the tree's own.
        """
        if sifted.without_untracked:
            self.seen.not_looked.append(folder)
            why = sifted.without_untracked
            self.notes.append(f"files that git doesn't know are not seen: {why}")
        self.seen.links += sifted.symlinks
        self.seen.judge_unnamed(sifted.unnamed)
        for unreadable in sifted.unreadable:
            self.seen.could_not_look(unreadable, "/")
        for nested in sifted.nested:
            self._list_nested(nested)

    # ---- a tree by its folders ---------------------------------------------------------------

    def list_by_reading(self, top: str) -> int:
        """List a tree by reading its folders; returns how many entries its top has."""
        read = self.read(top)
        self.seen.links += read.links
        self.seen.stat(self.sieve.documents(read.files))
        return read.entries_of_top

    def read(self, top: str) -> TreeNames:
        """Read the folders of a tree; list the trees that are in it.

        Raises:
            SourceError: it is the root's, which can't be read.
        """
        read = TreeNames()
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            read.folders.append(folder)
            held = self._names_in(folder)
            if folder == top:
                read.entries_of_top = sum(map(len, held))
            elif held.holds(".git"):
                read.holds_trees = True
                self._list_nested(folder)
                continue
            elif held.holds(VIRTUAL_ENVIRONMENT_MARK):
                self.sieve.skip_folder(folder, "virtual environment")
                continue
            prefix = folder + "/" if folder else ""
            read.files += [prefix + name for name in held.files]
            read.links += [prefix + name for name in held.links]
            folders = [prefix + name for name in held.folders if name != ".git"]
            waiting += filter(self.sieve.enters, folders)
        return read

    def _names_in(self, folder: str) -> FolderNames:
        nothing = FolderNames([], [], [])
        try:
            return read_folder(f"{self._root}/{folder}")
        except GONE:
            return nothing
        except OSError as error:
            if not folder:
                raise no_root(self._place(""), error) from error
            self.seen.could_not_look(folder, "/")
            return nothing

    # ---- a tree in a tree --------------------------------------------------------------------

    def _list_nested(self, folder: str) -> None:
        """List a submodule or a repository inside the root."""
        if not self.sieve.enters(folder):
            return
        if link := self._linked.link_to(f"{folder}/"):
            self.seen.links.append(link)
            return
        place = self._place(folder)
        shared = work_trees.common_dir(place)
        if shared is None:  # a submodule whose repository isn't there: its files may be
            if not self.list_by_reading(folder):
                self.sieve.skip_folder(folder, "submodule is not checked out")
        elif self._top and shared == work_trees.common_dir(self._top):
            self.sieve.skip_folder(folder, "worktree of the same repository")
        else:
            with git.listing(place) as running:
                printed = running.printed()
            self.list_printed(folder, printed)


def no_root(root: Path, error: OSError) -> SourceError:
    """Return the error for a root that can't be looked into."""
    why = {errno.ENOENT: "there is no such folder", errno.ENOTDIR: "it is not a folder"}
    words = why.get(error.errno or 0) or reason(error)
    return SourceError(f"can't look into {root}: {words}; check the path (`--root`)")
