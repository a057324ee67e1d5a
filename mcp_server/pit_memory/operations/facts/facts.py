"""The facts of a person, opened, and what every verb about them shares.

Files are the truth. What changes a file that is there happens under one lock of the home; a store
of a new fact needs none, as its name is its content.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.facts.assignments import assignment_name
from pit_memory.core.kinds import CommitPolicy
from pit_memory.core.search.legs import SearchFilters
from pit_memory.core.serving.access import Access
from pit_memory.core.source import Source
from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.errors import SourceError, StorageFullError, StoreError, UsageError
from pit_memory.operations.indexing.look import Looker
from pit_memory.operations.indexing.sync import index_paths
from pit_memory.operations.searching.search import SearchedStore
from pit_memory.stores.store import Store
from pit_memory.workspace.fact_history import MAX_FILE_BYTES
from pit_memory.workspace.fact_home import ATTRIBUTES, FactHome, ensure_home
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.proposed_count import leave_proposed_count
from pit_memory.workspace.shared_commits import SharedCommits
from pit_memory.workspace.work_trees import git_dir, work_tree_of

if TYPE_CHECKING:
    from pit_memory.operations.searching.opened_store import Meaning


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of this person, opened; safe to use from several threads."""

    home: FactHome
    store: Store
    searched: SearchedStore
    meaning: "Meaning | None"
    review: str
    """`off`, or `required`: a new fact waits for a person before it is told."""
    commit: CommitPolicy
    protected: Sequence[str]
    """Globs of branches on which nothing is committed."""
    changing: FileLock
    """Held while a file that is there is rewritten."""
    counts: Path
    """Folder of the numbers that the start of a session reads."""
    committing: Callable[[Path], FileLock]
    """The lock of commits, by git's folder."""
    find_author: Callable[[], str]
    """Asks git for the name of the person; empty where it knows none."""
    notes: tuple[str, ...] = ()
    """What of the configuration was ignored, one line each."""
    looker: Looker = field(default_factory=Looker)

    def source(self, assignment: str) -> Source:
        """The folder of an assignment as a source; it need not exist.

        Raises:
            PathError: the home doesn't take this assignment.
        """
        folder = self.home.folder(assignment)
        return Source(
            folder.name,
            str(folder),
            collection="facts",
            kind="fact",
            max_file_bytes=MAX_FILE_BYTES,
            assignment=assignment,
        )

    @property
    def tells_proposed(self) -> bool:
        """Whether a fact is told that nobody has approved."""
        return self.review == "off"


def assignment_of(access: Access) -> str:
    """The scope of who asks.

    Raises:
        UsageError: none is resolved; says how to start.
    """
    if access.assignment is None:
        message = (
            "no assignment is resolved here, so there are no facts: set PIT_MEMORY_ASSIGNMENT="
            'NAME, or `assignment = "auto"` in .pit-memory.toml for facts of this repository'
        )
        raise UsageError(message)
    return assignment_name(access.assignment)


def today() -> str:
    """The day, UTC, as facts are dated."""
    return now()[:10]


def now() -> str:
    """The time, UTC, to the second."""
    return datetime.now(tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def announce_facts(facts: Facts, files: Sequence[Path]) -> list[Path]:
    """Note that files of the home are about to be written: a kill leaves them to the next commit.

    Returns:
        What `commit_facts` asks for.

    Raises:
        StorageFullError: no room, or a read-only folder.
    """
    home = _Home.of(facts)
    if isinstance(home, CommitOutcome):
        return []
    return home.commits.announce(home.paths_of(files))


def commit_facts(
    facts: Facts, files: Sequence[Path], message: str, announced: Sequence[Path] = ()
) -> CommitOutcome:
    """Commit files of the home, with what other processes wait for.

    Args:
        facts: the person's.
        files: absolute; one that is gone is committed as gone.
        message: of the commit.
        announced: as `announce_facts` returned it, where all of the files were new.
    """
    home = _Home.of(facts)
    if isinstance(home, CommitOutcome):
        return home
    return home.commits.commit(home.paths_of(files), message, announced)


@dataclass(frozen=True, slots=True)
class _Home:
    """The repository that facts are committed to."""

    top: Path
    commits: SharedCommits

    @classmethod
    def of(cls, facts: Facts) -> "_Home | CommitOutcome":
        """The repository, or why nothing is committed."""
        if facts.commit != "each":
            reason = f"commit.fact is {facts.commit}: commit it yourself"
            return CommitOutcome("waiting", reason=reason)
        tree = work_tree_of(facts.home.root)
        if tree is None:
            return CommitOutcome("no repository", reason=f"{facts.home.root} is no git repository")
        top, own = tree.top.resolve(), tree.git_dir
        return cls(top, SharedCommits(top, own, facts.committing(own), facts.protected))

    def paths_of(self, files: Sequence[Path]) -> list[str]:
        return [file.relative_to(self.top).as_posix() for file in files]


def is_home_there(home: FactHome) -> bool:
    """Tell whether the home is the one that was made, and no mount point without its disk."""
    top = home.root
    return home.only is not None or bool(git_dir(top)) or (top / ATTRIBUTES).exists()


def refuse_absent_home(facts: Facts) -> None:
    """Raise where the home was there once and isn't now: nothing of it can be told or changed.

    Raises:
        SourceError: names the folder and what to do.
    """
    if is_home_there(facts.home):
        return
    facts.store.reopen_if_replaced()
    indexed = {folder for folder, _ in facts.store.catalogue.paths().values()}
    if indexed and not any((facts.home.root / folder).is_dir() for folder in indexed):
        message = (
            f"the home of facts is not there: {facts.home.root}; facts of it are indexed, so "
            "nothing was changed. Mount or restore it; if it is gone for good, remove what was "
            f"indexed: rm -r {facts.store.folder}"
        )
        raise SourceError(message)


def ensure_facts_home(facts: Facts) -> None:
    """Make the home and its repository where they are missing.

    Raises:
        SourceError: it was there once, and isn't now.
        StorageFullError, GitError: they can't be made.
    """
    refuse_absent_home(facts)
    if facts.home.only is not None or git_dir(facts.home.root) is not None:
        return
    with facts.changing:
        ensure_home(facts.home)
    commit_facts(facts, [facts.home.root / ATTRIBUTES], "facts: begin")


def index_facts(facts: Facts, source: Source, names: Sequence[str]) -> None:
    """Index files of an assignment's folder now, words complete.

    Raises:
        StoreError, StorageFullError: they can't be indexed now; the next recall tries again.
    """
    facts.store.reopen_if_replaced()
    index_paths(facts.store, source, names)


def leave_count(facts: Facts, source: Source) -> None:
    """Leave for the start of a session how many facts of an assignment wait for review.

    Counted while the lock is held: whoever comes last has seen what all before have indexed.
    """
    day_now, assignment = today(), source.assignment or ""
    proposed = SearchFilters(statuses=("proposed",), assignment=assignment, sources=(source.name,))
    with suppress(StoreError, StorageFullError), facts.changing:  # a hint: what it's about is done
        rows = facts.store.catalogue.documents_passing(proposed)
        expiries = [row.fields.get("expires", "") for row in rows]
        count = sum(not expires or expires > day_now for expires in expiries)
        leave_proposed_count(facts.counts, assignment, count)
