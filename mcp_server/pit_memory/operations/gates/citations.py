"""Check the references of agent prose to corpus files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.corpus.citation_gate import CitedFile, CitedProject, ProseFile, check_citations
from pit_memory.core.corpus.corpora import Corpus, corpora_among
from pit_memory.core.corpus.section_entries import INDEXED_LEVELS
from pit_memory.core.corpus.section_index import parse_index
from pit_memory.core.documents.documents import Problem
from pit_memory.core.documents.sections import split
from pit_memory.core.text.decoding import decode, lines_of
from pit_memory.errors import SourceError
from pit_memory.workspace.corpus_rules import load_settings
from pit_memory.workspace.section_index import WorkingTree


@dataclass(frozen=True, slots=True)
class CitationsReport:
    """What the citation gate found."""

    files: int
    """Prose files that were read."""
    problems: tuple[Problem, ...]
    """References that do not hold, and files that can't be read; in order of file and line."""
    notes: tuple[str, ...]
    """What was ignored in the settings, one line each."""


def check_project_citations(
    root: Path, environ: Mapping[str, str], neighbours: Sequence[Path] = ()
) -> CitationsReport:
    """Check every reference to a corpus file in a project's agent prose.

    A corpus is cited from its own prose by its files as they are, from elsewhere by its index.

    Args:
        root: the project.
        environ: settings come from it.
        neighbours: other projects whose corpora may be cited, by the name of their folder.

    Raises:
        SettingsError: the settings can't be read.
        SourceError: a neighbour is no folder.
    """
    loaded = load_settings(root, environ)
    rules = loaded.settings.sections.corpora
    tree = WorkingTree(root)
    corpora = corpora_among(tree.paths(rules), rules)
    live = {corpus.root: dict(_live_files(tree, corpus)) for corpus in corpora}
    others = [_neighbour(folder, environ) for folder in neighbours]
    problems: list[Problem] = []
    for corpus in corpora:
        contents, unreadable = tree.read(corpus.in_project(path) for path in corpus.prose)
        prose = [
            ProseFile(path, corpus.root, lines_of(decode(data).text))
            for path, data in contents.items()
        ]
        known = {
            other.root: live[other.root] if other.has_index or other is corpus else None
            for other in corpora
        }
        project = CitedProject(root.name, rules, known)
        exists = lambda path: (root / path).exists()  # noqa: E731
        problems += [*unreadable, *check_citations(prose, project, others, exists)]
    return CitationsReport(
        files=sum(len(corpus.prose) for corpus in corpora),
        problems=tuple(sorted(problems, key=lambda problem: (problem.path, problem.line))),
        notes=loaded.problems,
    )


def _live_files(tree: WorkingTree, corpus: Corpus) -> Iterator[tuple[str, CitedFile]]:
    paths = {corpus.in_project(path): path for path in corpus.files}
    contents, _ = tree.read(paths)
    for path, data in contents.items():
        sections = split(decode(data).text).sections
        indexed = [section.anchor for section in sections if section.level in INDEXED_LEVELS]
        names = {name for section in sections for name in (section.anchor, *section.other_anchors)}
        yield paths[path], CitedFile(tuple(indexed), frozenset(names - {""}))


def _neighbour(folder: Path, environ: Mapping[str, str]) -> CitedProject:
    if not folder.is_dir():
        message = f"the neighbour {folder} is no folder; give the checkout of another project"
        raise SourceError(message)
    root = folder.resolve()
    rules = load_settings(root, environ).settings.sections.corpora
    tree = WorkingTree(root)
    corpora = corpora_among(tree.paths(rules), rules)
    files = {corpus.root: _indexed_files(tree, corpus) for corpus in corpora}
    return CitedProject(root.name, rules, files)


def _indexed_files(tree: WorkingTree, corpus: Corpus) -> dict[str, CitedFile] | None:
    if not corpus.has_index:
        return None
    contents, _ = tree.read([corpus.index_path])
    index = parse_index(contents.get(corpus.index_path, b"")).index
    return {
        path: CitedFile(tuple(entry.anchor for entry in entries.values()))
        for path, entries in index.items()
    }
