"""The commit gate: does the tree that a commit would make hold a fresh section index?"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.corpus.corpora import CorpusRule, corpora_among, folders_to_list
from pit_memory.core.corpus.section_entries import serialise
from pit_memory.core.corpus.section_index import EntriesByContent, short_diff
from pit_memory.core.documents.documents import Problem
from pit_memory.core.host.commit_command import Commit, Place, Step
from pit_memory.errors import GitError
from pit_memory.workspace.git_command import run_git
from pit_memory.workspace.git_index import (
    ChangeableIndex,
    GitIndex,
    Repository,
    copied_index,
    find_repository,
)
from pit_memory.workspace.section_index import (
    CheckedCorpus,
    StagedTree,
    Tree,
    WorkingTree,
    check_corpora,
    repair_commands,
)

RulesOf = Callable[[Path], Sequence[CorpusRule]]
"""Top of a work tree -> the corpora that its settings name."""

_WHOLE_TREE = {".", "./", ":/"}
"""Pathspecs that mean everything, at the top of a work tree."""


@dataclass(frozen=True, slots=True)
class StaleCommit:
    """A commit that would leave an index stale."""

    top: Path
    """Top of the work tree."""
    stale: tuple[CheckedCorpus, ...]
    """Paths in them are relative to `top`."""
    unclear: str
    """Why the working tree was judged in place of the commit's own; empty where it was not."""
    repair: tuple[str, ...]
    """Commands that make the index fresh, to be run in `top` before the same commit."""


def judge_commit(
    commit: Commit, rules_of: RulesOf, known: EntriesByContent | None = None
) -> StaleCommit | None:
    """Judge the tree that a commit would make; None where nothing in it is stale.

    The user's index and repository stay as they are. A corpus without an index is not judged, nor
    one whose index the commit removes.

    Args:
        commit: found in a command line.
        rules_of: asked for the corpora of the repository.
        known: entries of contents; what is missing is parsed and added.

    Raises:
        GitError: git gave no answer, so nothing was checked.
        SettingsError: the settings can't be read.
    """
    repository = _repository(commit.place)
    if repository is None:
        return None
    rules = rules_of(repository.top)
    if commit.unclear:
        stale = _stale(WorkingTree(repository.top), repository, rules, known)
    else:
        with _committed_tree(commit, repository, rules, known) as tree:
            stale = _stale(tree, repository, rules, known)
    if not stale:
        return None
    repair = repair_commands(repository.top, stale, rules, commit.only)
    return StaleCommit(repository.top, stale, commit.unclear, repair)


def explain(found: StaleCommit, directory: Path) -> str:
    """Say what is stale and how to repair it, for an agent that works in a directory."""
    lines = ["pit-memory: this commit would leave the section index stale."]
    if found.unclear:
        lines.append(f"(Judged by the files on disk: {found.unclear}.)")
    for checked in found.stale:
        lines.append(f"{checked.corpus.index_path}:")
        lines += short_diff(checked.drifts, checked.corpus.index_path)
    where = "" if directory.resolve() == found.top else f" in {found.top}"
    lines.append(f"Repair{where}, then commit again:")
    lines += [f"  {command}" for command in found.repair]
    return "\n".join(lines)


def _repository(place: Place) -> Repository | None:
    return find_repository(Path(place.directory), git_dir=place.git_dir, work_tree=place.work_tree)


def _stale(
    tree: Tree,
    repository: Repository,
    rules: Sequence[CorpusRule],
    known: EntriesByContent | None,
) -> tuple[CheckedCorpus, ...]:
    return tuple(
        checked
        for checked in check_corpora(tree, rules, known)
        if checked.drifts and (checked.stored is not None or _forgotten(checked, repository))
    )


def _forgotten(checked: CheckedCorpus, repository: Repository) -> bool:
    """Tell whether an index lies on disk that was never committed, rather than being removed."""
    path = checked.corpus.index_path
    if not (repository.top / path).is_file():
        return False
    for question in (["cat-file", "-e", f"HEAD:{path}"], ["check-ignore", "--quiet", "--", path]):
        try:
            run_git(repository.top, question, repository.selection)
        except GitError:
            continue
        return False
    return True


@contextmanager
def _committed_tree(
    commit: Commit,
    repository: Repository,
    rules: Sequence[CorpusRule],
    known: EntriesByContent | None,
) -> Iterator[Tree]:
    if not commit.steps and not commit.only:
        yield StagedTree(GitIndex(repository, {"GIT_INDEX_FILE": str(repository.index)}))
        return
    with copied_index(repository) as copy:
        replay = _Replay(copy, rules, known)
        for step in commit.steps:
            replay.take(step)
        if commit.only:
            replay.take_only(commit.place, commit.only)
        yield StagedTree(copy)


class _Replay:
    """Does to a copy of the index what git would do, to corpus and index files alone."""

    def __init__(
        self,
        copy: ChangeableIndex,
        rules: Sequence[CorpusRule],
        known: EntriesByContent | None,
    ) -> None:
        self._copy = copy
        self._top = copy.repository.top
        self._rules = rules
        self._known = known
        self._disk = _DiskToCome(self._top)

    def take(self, step: Step) -> None:
        """Replay one step; one in another repository changes nothing here."""
        if step.action == "rebuild":
            self._rebuild()
        elif self._is_here(step.place):
            if step.action == "move":
                self._move(step)
            elif step.action in {"remove", "forget"}:
                paths = self._matching(step.place, step.paths)
                self._copy.remove(paths)
                if step.action == "remove":
                    self._disk.changes |= dict.fromkeys(paths)
            else:
                new = step.action == "add"
                self._stage(
                    self._matching(step.place, step.paths, untracked=new, ignored=step.ignored_too)
                )

    def take_only(self, place: Place, pathspecs: Sequence[str]) -> None:
        """Replay a commit of paths alone: HEAD, and these files as they are on disk."""
        paths = self._matching(place, pathspecs)
        self._copy.reset_to_head()
        self._stage(paths)

    def _is_here(self, place: Place) -> bool:
        repository = _repository(place)
        return repository is not None and repository.top == self._top

    def _rebuild(self) -> None:
        for checked in check_corpora(self._disk, self._rules, self._known):
            self._disk.changes[checked.corpus.index_path] = serialise(checked.fresh)

    def _stage(self, paths: Sequence[str]) -> None:
        unchanged = [path for path in paths if path not in self._disk.changes]
        self._copy.stage(unchanged)
        for path in self._disk.changes.keys() & set(paths):
            data = self._disk.changes[path]
            if data is None:
                self._copy.remove([path])
            else:
                self._copy.put(path, self._copy.store(data))

    def _matching(
        self,
        place: Place,
        pathspecs: Sequence[str],
        *,
        untracked: bool = False,
        ignored: bool = False,
    ) -> list[str]:
        """Corpus and index files that pathspecs match; without pathspecs, all of them."""
        directory = Path(place.directory)
        whole = not pathspecs or (
            set(pathspecs) <= _WHOLE_TREE and directory.resolve() == self._top
        )
        if whole:
            directory = self._top
            pathspecs = [f":(top,literal){path}" for path in folders_to_list(self._rules)]
        matching = self._copy.matching(directory, pathspecs, untracked=untracked, ignored=ignored)
        if untracked:
            places = {Path(directory, spec).resolve() for spec in pathspecs}
            matching += [
                path
                for path, data in self._disk.changes.items()
                if data is not None
                and (whole or not places.isdisjoint(_and_above(self._top / path)))
            ]
        return self._relevant(matching)

    def _relevant(self, paths: Sequence[str]) -> list[str]:
        relevant: set[str] = set()
        for corpus in corpora_among(paths, self._rules):
            relevant |= {corpus.in_project(path) for path in corpus.files}
            relevant.add(corpus.index_path)
        return sorted(relevant & set(paths))

    def _move(self, step: Step) -> None:
        *sources, destination = (Path(step.place.directory, path) for path in step.paths)
        into = destination.is_dir()
        for source in sources:
            target = destination / source.name if into else destination
            old, new = (Path(os.path.relpath(path, self._top)) for path in (source, target))
            for path, blob in self._copy.files([old.as_posix()]).items():
                moved = (new / Path(path).relative_to(old)).as_posix()
                self._copy.remove([path])
                self._copy.put(moved, blob)
                self._disk.move(path, moved)


class _DiskToCome(WorkingTree):
    """The files on disk with what earlier commands of the line will have done to them."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.changes: dict[str, bytes | None] = {}
        """Content to come by path; None for a file that will be gone."""

    def paths(self, rules: Sequence[CorpusRule]) -> list[str]:
        there = {path for path, data in self.changes.items() if data is not None}
        return [*there, *(path for path in super().paths(rules) if path not in self.changes)]

    def read(self, paths: Iterable[str]) -> tuple[dict[str, bytes], list[Problem]]:
        paths = list(paths)
        contents, problems = super().read(path for path in paths if path not in self.changes)
        to_come = {path: self.changes.get(path) for path in paths}
        return contents | {p: data for p, data in to_come.items() if data is not None}, problems

    def move(self, old: str, new: str) -> None:
        contents, _ = self.read([old])
        self.changes[old] = None
        self.changes[new] = contents.get(old, b"")


def _and_above(path: Path) -> set[Path]:
    return {path, *path.parents}
