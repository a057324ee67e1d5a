"""Section indexes on disk: finding corpora, reading their files, comparing, writing the index."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pit_memory.core.corpus.corpora import Corpus, CorpusRule, corpora_among, folders_to_list
from pit_memory.core.corpus.section_entries import SectionIndex, serialise
from pit_memory.core.corpus.section_index import (
    Drift,
    EntriesByContent,
    build,
    drifts_from,
    is_foreign,
    parse_index,
)
from pit_memory.core.documents.documents import Problem
from pit_memory.errors import GitError, WriteRefusedError
from pit_memory.workspace.files import (
    MAX_TEXT_BYTES,
    is_regular,
    make_folder,
    read_bytes,
    reason,
    resolve_inside,
    write_atomic,
)
from pit_memory.workspace.linked_folders import LinkedFolders

if TYPE_CHECKING:
    from pit_memory.workspace.git_index import Blob, GitIndex


class Tree(Protocol):
    """Files of a project: as they are on disk, or as git's index holds them."""

    def paths(self, rules: Sequence[CorpusRule]) -> Iterable[str]:
        """Regular files that a rule may match, relative to the project, POSIX."""

    def read(self, paths: Iterable[str]) -> tuple[dict[str, bytes], list[Problem]]:
        """Content by path; what can't be read is a problem instead."""


class WorkingTree:
    """The files on disk; in a repository those that git ignores are left out."""

    def __init__(self, root: Path) -> None:
        """Name it; nothing is read yet."""
        self.root = root

    def paths(self, rules: Sequence[CorpusRule]) -> list[str]:
        """List by git where there is a repository, else by the file system."""
        places = folders_to_list(rules)
        if (listed := listed_by_git(self.root, places)) is None:
            listed = {path for place in places for path in _below(self.root, place)}
        linked = LinkedFolders(os.fspath(self.root))
        return [
            path
            for path in listed
            if is_regular(f"{self.root}/{path}") and not linked.link_to(path)
        ]

    def read(self, paths: Iterable[str]) -> tuple[dict[str, bytes], list[Problem]]:
        """Read files of the listing."""
        contents: dict[str, bytes] = {}
        problems: list[Problem] = []
        for path in paths:
            try:
                contents[path] = read_bytes(self.root / path, MAX_TEXT_BYTES)
            except OSError as error:
                problems.append(Problem(path, 0, "unreadable", f"not indexed: {reason(error)}"))
        return contents, problems


class StagedTree:
    """What a git index holds, as a commit would take it."""

    def __init__(self, index: "GitIndex") -> None:
        """Name it; nothing is read yet."""
        self._index = index
        self._blobs: dict[str, Blob] = {}

    def paths(self, rules: Sequence[CorpusRule]) -> list[str]:
        """List the index."""
        self._blobs = self._index.files(folders_to_list(rules))
        return list(self._blobs)

    def read(self, paths: Iterable[str]) -> tuple[dict[str, bytes], list[Problem]]:
        """Read files of the listing."""
        wanted = {path: self._blobs[path] for path in paths if path in self._blobs}
        contents = self._index.contents(wanted.values())
        return {path: contents[blob.id] for path, blob in wanted.items()}, []


@dataclass(frozen=True, slots=True)
class CheckedCorpus:
    """One corpus compared with its index."""

    corpus: Corpus
    contents: Mapping[str, bytes]
    """Its files by path relative to the corpus, as they were read."""
    fresh: SectionIndex
    """What the index must hold."""
    stored: bytes | None
    """The index file; None where there is none."""
    drifts: tuple[Drift, ...]
    """Empty where the index is fresh."""
    problems: tuple[Problem, ...]
    """Files that can't be read or are no clean text; paths relative to the project."""


def check_corpora(
    tree: Tree, rules: Sequence[CorpusRule], known: EntriesByContent | None = None
) -> tuple[CheckedCorpus, ...]:
    """Compare every corpus of a tree with its index.

    Args:
        tree: where the files are.
        rules: the corpora of the project.
        known: entries of contents; what is missing is parsed and added.
    """
    corpora = corpora_among(tree.paths(rules), rules)
    return tuple(_check(tree, corpus, known) for corpus in corpora if corpus.is_indexed)


def repair_commands(
    root: Path,
    stale: Sequence[CheckedCorpus],
    rules: Sequence[CorpusRule],
    only: Sequence[str] = (),
) -> tuple[str, ...]:
    """Commands that make the indexes of a commit fresh, to be run in the project.

    Args:
        root: the project.
        stale: from the tree to be committed.
        rules: the corpora of the project.
        only: paths of a commit that takes these alone.
    """
    disk = WorkingTree(root)
    on_disk = {corpus.index_path: corpus for corpus in corpora_among(disk.paths(rules), rules)}
    indexes = [checked.corpus.index_path for checked in stale]
    if not all(_is_same(disk, on_disk.get(one.corpus.index_path), one) for one in stale):
        # What is built from disk would not fit: the commit leaves some changes of the corpus out.
        stage = [f"git add -- {shlex.join(only)}"] if only else []
        return (*stage, "pit-memory sections build --staged")
    built, _ = disk.read(indexes)
    fresh = {checked.corpus.index_path: serialise(checked.fresh) for checked in stale}
    build = [] if built == fresh else ["pit-memory sections build"]
    add = f"git add {shlex.join(indexes)}"
    if only:
        paths = shlex.join([*only, *indexes])
        add += f"   (and name it in the commit: git commit ... -- {paths})"
    return (*build, add)


def _is_same(disk: WorkingTree, corpus: Corpus | None, checked: CheckedCorpus) -> bool:
    """Tell whether the files on disk are those of a commit's tree, line ends aside."""
    if corpus is None or corpus.files != checked.corpus.files:
        return False
    contents, _ = disk.read(corpus.in_project(path) for path in corpus.files)
    return all(
        _with_lf(contents.get(corpus.in_project(path))) == _with_lf(data)
        for path, data in checked.contents.items()
    )


def _with_lf(data: bytes | None) -> bytes | None:
    return data and data.replace(b"\r\n", b"\n")


def stored_or_built(tree: Tree, corpus: Corpus) -> SectionIndex:
    """Return the index of a corpus as its file has it; built where there is no readable one."""
    if corpus.has_index:
        contents, _ = tree.read([corpus.index_path])
        index = parse_index(contents.get(corpus.index_path, b"")).index
        if index:
            return index
    return _check(tree, corpus, None).fresh


def write_indexes(root: Path, corpora: Sequence[CheckedCorpus]) -> set[str]:
    """Write the indexes that corpora must have; return the paths of those whose files that changed.

    Raises:
        WriteRefusedError: a file holds something else than an index; nothing was written.
        PathError: a symlink leads an index out of the project; nothing was written.
        StorageFullError: no room or no permission.
    """
    stale = {
        checked.corpus.index_path: data
        for checked in corpora
        if (data := serialise(checked.fresh)) != checked.stored
    }
    for checked in corpora:
        if checked.corpus.index_path in stale:
            refuse_foreign(checked)
    targets = {path: resolve_inside(root, path) for path in stale}
    for path, target in targets.items():
        make_folder(target.parent)
        write_atomic(target, stale[path])
    return {*stale}


def refuse_foreign(checked: CheckedCorpus) -> None:
    """Raise WriteRefusedError where something else lies in the place of an index."""
    if checked.stored is not None and is_foreign(checked.stored):
        message = (
            f"{checked.corpus.index_path} is no section index, and stays as it is; name another "
            "file as `index` in the settings, or move this one away"
        )
        raise WriteRefusedError(message)


def _check(tree: Tree, corpus: Corpus, known: EntriesByContent | None) -> CheckedCorpus:
    project_paths = {corpus.in_project(path): path for path in corpus.files}
    contents, problems = tree.read(
        [*project_paths, corpus.index_path] if corpus.has_index else project_paths
    )
    stored = contents.pop(corpus.index_path, None)
    files = {project_paths[path]: data for path, data in contents.items()}
    built = build(files, known)
    problems += [
        Problem(corpus.in_project(problem.path), problem.line, problem.rule, problem.message)
        for problem in built.problems
    ]
    if stored is None:
        drifts: tuple[Drift, ...] = (Drift("added", "", "", "there is no index yet"),)
    else:
        drifts = drifts_from(built.index, stored)
    return CheckedCorpus(corpus, files, built.index, stored, drifts, tuple(problems))


def listed_by_git(root: Path, places: Sequence[str]) -> set[str] | None:
    """Files that git knows or does not ignore; None where git can't tell, or ignores the root."""
    from pit_memory.workspace.git_command import names_of, run_git, text_of

    pathspecs = [f":(literal){place}" for place in places]
    command = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *pathspecs]
    try:
        listing = run_git(root, command, {})
    except GitError:
        return None
    if not listing and _is_ignored(root):
        return None
    return set(names_of(text_of(listing)))


def _is_ignored(root: Path) -> bool:
    from pit_memory.workspace.git import is_ignored  # too dear for the usual case

    return is_ignored(root) is True


def _below(root: Path, place: str) -> Iterator[str]:
    """Files below a place, by the file system; links to folders are not followed."""
    start = root / place
    if start.is_file():
        yield place
    for folder, folders, files in os.walk(start):
        folders[:] = [name for name in folders if name != ".git"]
        relative = os.path.relpath(folder, root)
        yield from (name if relative == "." else f"{relative}/{name}" for name in files)
