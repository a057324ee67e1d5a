"""The section indexes of a project: build them, check them."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pit_memory.core.corpus.corpora import CorpusRule, corpora_among
from pit_memory.core.corpus.section_entries import serialise
from pit_memory.core.corpus.section_index import (
    LARGE_FILE_TOKENS,
    Drift,
    is_large,
)
from pit_memory.core.documents.documents import Problem
from pit_memory.core.tokens import estimate
from pit_memory.errors import GitError
from pit_memory.operations.gates.git_attributes import missing_lines
from pit_memory.workspace.corpus_rules import load_settings
from pit_memory.workspace.git_index import ChangeableIndex, find_repository
from pit_memory.workspace.known_entries import known_entries
from pit_memory.workspace.project import places_of
from pit_memory.workspace.section_index import (
    CheckedCorpus,
    StagedTree,
    Tree,
    WorkingTree,
    check_corpora,
    refuse_foreign,
    repair_commands,
    write_indexes,
)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What became of one index, or what is wrong with it."""

    index: str
    """Index file, relative to the project."""
    files: int
    sections: int
    drifts: tuple[Drift, ...]
    """How the index differed from the files; empty where it was fresh."""
    written: bool


@dataclass(frozen=True, slots=True)
class SectionsReport:
    """All indexes of a project."""

    indexes: tuple[IndexReport, ...]
    problems: tuple[Problem, ...]
    """Corpus files that can't be read or are no clean text."""
    notes: tuple[str, ...]
    """What the user should know or do, one line each."""
    unmatched: tuple[str, ...]
    """Configured corpora that match no file: a gate that checks nothing is no gate."""
    repair: tuple[str, ...]
    """Commands that make every index fresh; empty where all are."""

    @property
    def fresh(self) -> bool:
        """Whether every index said what the files say when it was read."""
        return not any(report.drifts for report in self.indexes)


def build_sections(root: Path, environ: Mapping[str, str]) -> SectionsReport:
    """Write every index of a project that is not fresh.

    Raises:
        SettingsError, WriteRefusedError, PathError, StorageFullError: with the reason and the next
            step.
    """
    report, corpora = _check(WorkingTree(root), root, environ)
    written = write_indexes(root, corpora)
    new = [checked.corpus.index_path for checked in corpora if checked.stored is None]
    notes = (*report.notes, *_attributes_hints(root, new))
    return replace(_written(report, written), notes=notes)


def build_staged_sections(root: Path, environ: Mapping[str, str]) -> SectionsReport:
    """Stage a fresh index for what git's index holds; the files on disk stay as they are.

    For commits that leave changes of corpus files out. Raises like `check_staged_sections`.
    """
    index = _git_index(root, environ)
    report, corpora = _check(StagedTree(index), index.repository.top, environ)
    stale = {checked.corpus.index_path: checked for checked in corpora if checked.drifts}
    for checked in stale.values():
        refuse_foreign(checked)
    for path, checked in stale.items():
        index.put(path, index.store(serialise(checked.fresh)))
    return _written(report, stale)


def check_sections(root: Path, environ: Mapping[str, str]) -> SectionsReport:
    """Compare every index of a project with the files on disk.

    Raises:
        SettingsError: the settings can't be read.
    """
    return _check(WorkingTree(root), root, environ)[0]


def check_staged_sections(root: Path, environ: Mapping[str, str]) -> SectionsReport:
    """Compare every index of a project with the files, both as git's index holds them.

    Args:
        root: a folder of the work tree.
        environ: GIT_INDEX_FILE in it names the index, as it does inside of a git hook.

    Raises:
        SettingsError: the settings can't be read.
        GitError: there is no repository, or git gave no answer.
    """
    index = _git_index(root, environ)
    top = index.repository.top
    report, corpora = _check(StagedTree(index), top, environ)
    stale = [checked for checked in corpora if checked.drifts]
    if not stale:
        return report
    rules = load_settings(top, environ).settings.sections.corpora
    return replace(report, repair=repair_commands(top, stale, rules))


def _attributes_hints(root: Path, index_paths: Sequence[str]) -> Iterator[str]:
    for line in missing_lines(root, index_paths):
        yield f"for git and reviews, add this line to .gitattributes: {line}"


def _git_index(root: Path, environ: Mapping[str, str]) -> ChangeableIndex:
    repository = find_repository(root)
    if repository is None:
        message = f"{root} is in no git work tree; leave --staged out to check the files on disk"
        raise GitError(message)
    index = Path.cwd() / environ["GIT_INDEX_FILE"] if "GIT_INDEX_FILE" in environ else None
    return ChangeableIndex(repository, {"GIT_INDEX_FILE": str(index or repository.index)})


def _check(
    tree: Tree, root: Path, environ: Mapping[str, str]
) -> tuple[SectionsReport, tuple[CheckedCorpus, ...]]:
    loaded = load_settings(root, environ)
    rules = loaded.settings.sections.corpora
    with known_entries(places_of(environ)) as known:
        corpora = check_corpora(tree, rules, known)
    configured = rules if "sections.corpora" in loaded.origins else ()
    report = SectionsReport(
        indexes=tuple(_report(checked) for checked in corpora),
        problems=tuple(problem for checked in corpora for problem in checked.problems),
        notes=(*loaded.problems, *_large(corpora)),
        unmatched=tuple(_unmatched(configured, corpora)),
        repair=("pit-memory sections build",) if any(one.drifts for one in corpora) else (),
    )
    return report, corpora


def _written(report: SectionsReport, paths: Container[str]) -> SectionsReport:
    indexes = (replace(one, written=one.index in paths) for one in report.indexes)
    return replace(report, indexes=tuple(indexes), repair=())


def _report(checked: CheckedCorpus) -> IndexReport:
    return IndexReport(
        index=checked.corpus.index_path,
        files=len(checked.fresh),
        sections=sum(len(entries) for entries in checked.fresh.values()),
        drifts=checked.drifts,
        written=False,
    )


def _large(corpora: Sequence[CheckedCorpus]) -> Iterator[str]:
    for checked in corpora:
        data = serialise(checked.fresh)
        if is_large(data):
            yield (
                f"{checked.corpus.index_path} has about {estimate(data.decode()):,} tokens, more "
                f"than {LARGE_FILE_TOKENS:,}: too much to be read whole. Agents can use "
                "`pit-memory sections show`; one index for each plugin is smaller "
                '([[sections.corpora]] with root = "plugins/*")'
            )


def _unmatched(configured: Sequence[CorpusRule], corpora: Sequence[CheckedCorpus]) -> Iterator[str]:
    paths = [
        checked.corpus.in_project(path)
        for checked in corpora
        for path in (*checked.corpus.files, checked.corpus.index)
    ]
    for rule in configured:
        if not corpora_among(paths, [rule]):
            globs = ", ".join(rule.files)
            yield f"no file of {rule.root} matches {globs}; correct [[sections.corpora]]"
