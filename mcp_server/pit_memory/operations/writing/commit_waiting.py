"""Commit together what the settings left for later (`commit.<kind> = "wrapup"`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.text.plurals import counted
from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.workspace.commits import Changed, commit_files
from pit_memory.workspace.git import GitFailure, unknown_files
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import Places, commit_lock
from pit_memory.workspace.waiting_commits import wait_no_more, waiting_files
from pit_memory.workspace.work_trees import WorkTree, work_tree_of


@dataclass(frozen=True, slots=True)
class WaitingCommit:
    """What became of the files of one repository that waited."""

    paths: tuple[str, ...]
    """Relative to the top of its work tree; those that git knew already are left out."""
    outcome: CommitOutcome


def commit_waiting(root: Path, where: Places, protected: Sequence[str]) -> list[WaitingCommit]:
    """Commit the files of a project that wait, one commit to a repository; nothing else.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        protected: globs of branches on which nothing is committed.

    Raises:
        StorageFullError, StoreBusyError: the list of what waits can't be written.
    """
    by_tree: dict[WorkTree | None, list[Path]] = {}
    for path in waiting_files(where, root):
        by_tree.setdefault(work_tree_of(path.parent), []).append(path)
    done = []
    for tree, files in by_tree.items():
        if tree is None:
            continue
        top = tree.top
        new = unknown_files(top, [file.relative_to(top.resolve()).as_posix() for file in files])
        if isinstance(new, GitFailure):
            done.append(WaitingCommit((), CommitOutcome("not committed", reason=new.reason)))
            continue
        outcome = CommitOutcome("committed")
        if new:
            named = Path(new[0]).stem if len(new) == 1 else counted(len(new), "note")
            lock = FileLock(commit_lock(where, tree.git_dir))
            message = f"docs: remember {named}"
            outcome = commit_files(top, Changed(new), message, lock, protected=protected)
            done.append(WaitingCommit(new, outcome))
        if outcome.state == "committed":
            wait_no_more(where, root, files)
    return done
