"""List and stat one source: which files are documents, and why the others aren't.

Names come by the shortest way that there is: kept of an earlier look and proven to be the same,
printed by git, or read from folders.
"""

import os
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from pit_memory.core.documents.freshness import SeenFile, is_at_or_below
from pit_memory.sources.kept_listing import KeptListing, ReadNames
from pit_memory.sources.listing import Listing, Via
from pit_memory.sources.seen_files import SeenFiles, unchanged_files
from pit_memory.sources.sieve import Rules, Sieve, Tally
from pit_memory.sources.sifted import Sifted
from pit_memory.sources.tree_walk import TreeWalk, no_root
from pit_memory.sources.watched_folders import folders_to_watch
from pit_memory.workspace import git, work_trees
from pit_memory.workspace.git_rules import ENVIRONMENT, rule_files
from pit_memory.workspace.stamps import Stamps, can_prove, take_stamps

NOTHING_KNOWN: Mapping[str, SeenFile] = {}


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
        raise no_root(root, error) from error
    try:
        place = os.path.realpath(root)
        kept = kept or KeptListing()
        look = _Look(place, opened, rules, known, kept, with_ignored=with_ignored)
        return look.listing(by_git=by_git)
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


class _Look:
    """One look at one root, by the shortest way to its names that there is."""

    def __init__(
        self,
        root: str,
        opened: int,
        rules: Rules,
        known: Mapping[str, SeenFile],
        kept: KeptListing,
        *,
        with_ignored: bool,
    ) -> None:
        self._root = root.rstrip("/")
        self._opened = opened
        self._rules = rules
        self._known = known
        self._kept = kept
        self._with_ignored = with_ignored
        self._sieve = Sieve(rules, Tally(with_endings=with_ignored))

    def listing(self, *, by_git: bool) -> Listing:
        """Walk the root and everything in it."""
        top = work_trees.toplevel(self._place) if by_git else None
        walk, via = self._by_folders() if top is None else self._by_git(top)
        walk.seen.judge_links()
        return Listing(
            files=tuple(walk.seen.files),
            left_out=walk.sieve.tally.groups(),
            not_looked=tuple(sorted(walk.seen.not_looked)),
            device=os.fstat(self._opened).st_dev,
            via=via,
            notes=(*self._rules.ignored.notes, *walk.notes),
        )

    @property
    def _place(self) -> Path:
        return Path(f"{self._root}/")

    def _walk(
        self,
        sieve: Sieve,
        unchanged: Mapping[str, SeenFile] = NOTHING_KNOWN,
        *,
        top: Path | None = None,
    ) -> TreeWalk:
        seen = SeenFiles(self._root, self._opened, self._rules, sieve, unchanged)
        return TreeWalk(self._root, seen, sieve, top=top, with_ignored=self._with_ignored)

    def _unchanged(self) -> Mapping[str, SeenFile]:
        return unchanged_files(self._known.values(), self._opened, self._rules)

    # ---- a work tree -------------------------------------------------------------------------

    def _by_git(self, top: Path) -> tuple[TreeWalk, Via]:
        """List the root by the names that git prints, asked only where those may have changed."""
        depends_on = self._rules, top, *map(os.environ.get, ENVIRONMENT)
        names = None if self._with_ignored else self._kept.proven(depends_on, self._opened)
        if not isinstance(names, Sifted):
            return self._ask_git(top, depends_on)
        walk = self._walk(names.sieve, self._unchanged())
        walk.seen.stat(names.documents)
        walk.judge_names(names, "")
        return walk, "git"

    def _ask_git(self, top: Path, depends_on: object) -> tuple[TreeWalk, Via]:
        """List the root by git; while it does, the files that are known are stat'ed."""
        root, began_ns = self._place, time.time_ns()
        with git.listing(root) as running:
            unchanged = self._unchanged()
            is_ignored = top != root and git.is_ignored(root)
            if is_ignored is True:
                walk = self._walk(self._sieve, unchanged)
                walk.list_by_reading("")
                return walk, "scandir"
            printed = running.printed()
        if isinstance(printed, git.GitFailure) or self._with_ignored:
            walk = self._walk(self._sieve, unchanged, top=top)
            return walk, walk.list_printed("", printed)
        sifted, is_as_before = self._kept.sifted(printed, self._rules, self._sieve)
        walk = self._walk(sifted.sieve.copy(), unchanged, top=top)
        walk.look_at(sifted.documents, sifted.folders)
        walk.judge_names(sifted, "")
        if is_as_before and is_ignored is False and sifted.is_whole:
            most_folders = len(sifted.documents) // 2 + 100  # more cost more than to ask git
            proof = partial(self._stamps_of_work_tree, top, began_ns, most_folders)
            self._kept.try_to_prove(depends_on, sifted, proof)
        return walk, "git"

    def _stamps_of_work_tree(self, top: Path, began_ns: int, most_folders: int) -> Stamps | None:
        """Stamps of all that decides what git prints; None where that isn't known."""
        if not can_prove(self._root or "/"):
            return None
        found = folders_to_watch(self._root, self._rules, most_folders)
        files = rule_files(top, self._place) if found else None
        if found is None or files is None:
            return None
        watched = (*files, *(f"{self._root}/{path}" for path in found.ignore_files))
        return take_stamps(self._opened, found.folders, watched, began_ns)

    # ---- folders -----------------------------------------------------------------------------

    def _by_folders(self) -> tuple[TreeWalk, Via]:
        """List the root by reading its folders, unless it is known that they hold the same."""
        names = None if self._with_ignored else self._kept.proven(self._rules, self._opened)
        if isinstance(names, ReadNames):
            walk = self._walk(names.sieve, self._unchanged())
            walk.seen.links += names.links
            walk.seen.stat(names.documents)
            return walk, "scandir"
        began_ns = time.time_ns()
        walk = self._walk(self._sieve)
        read = walk.read("")
        documents, is_as_before = self._kept.documents(read.files, self._rules, walk.sieve)
        if is_as_before and not read.holds_trees and not walk.seen.not_looked:
            held = ReadNames(documents, read.links, walk.sieve.copy())
            proof = partial(self._stamps_of_folders, read.folders, began_ns)
            self._kept.try_to_prove(self._rules, held, proof)
        walk.seen.links += read.links
        walk.seen.unchanged = self._unchanged()
        walk.seen.stat(documents)
        return walk, "scandir"

    def _stamps_of_folders(self, folders: Sequence[str], began_ns: int) -> Stamps | None:
        if not can_prove(self._root or "/"):
            return None
        return take_stamps(self._opened, folders, (), began_ns)
