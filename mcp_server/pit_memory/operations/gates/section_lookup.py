"""Looking something up in the section indexes of a project: no search store, no server."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pit_memory.core.corpus.corpora import corpora_among
from pit_memory.core.corpus.section_lookup import IndexedSection
from pit_memory.core.documents.sections import split
from pit_memory.core.text.decoding import decode
from pit_memory.core.text.nearest import nearest
from pit_memory.errors import NotFoundError
from pit_memory.workspace.corpus_rules import load_settings
from pit_memory.workspace.section_index import WorkingTree, stored_or_built


def show_file(root: Path, environ: Mapping[str, str], path: str) -> tuple[IndexedSection, ...]:
    """Return the sections of a corpus file, as its index has them.

    Args:
        root: the project.
        environ: settings come from it.
        path: the file, relative to the project or by the end of its path; `#anchor` picks one.

    Raises:
        NotFoundError: no corpus has such a file or section; the nearest is named.
    """
    wanted, _, anchor = path.removeprefix("./").partition("#")
    sections = indexed_sections(root, environ)
    by_path: dict[str, list[IndexedSection]] = {}
    for section in sections:
        by_path.setdefault(section.path, []).append(section)
    names = [known for known in by_path if known == wanted or known.endswith(f"/{wanted}")]
    if not names:
        raise _not_found(path, wanted, by_path)
    found = [section for section in by_path[names[0]] if not anchor or section.anchor == anchor]
    if not found:
        raise _not_found(path, anchor, [section.anchor for section in by_path[names[0]]])
    return tuple(found)


def indexed_sections(root: Path, environ: Mapping[str, str]) -> tuple[IndexedSection, ...]:
    """Return every section of every index; where there is no index file, as it would be."""
    rules = load_settings(root, environ).settings.sections.corpora
    tree = WorkingTree(root)
    found: list[IndexedSection] = []
    for corpus in corpora_among(tree.paths(rules), rules):
        for path, entries in stored_or_built(tree, corpus).items():
            found += [
                IndexedSection(corpus.in_project(path), heading, entry.anchor, entry.summary)
                for heading, entry in entries.items()
            ]
    return tuple(found)


def with_lines(root: Path, sections: Sequence[IndexedSection]) -> tuple[IndexedSection, ...]:
    """Add the line ranges, which come from the files; a section that is gone there has none."""
    contents, _ = WorkingTree(root).read({section.path for section in sections})
    ranges = {
        (path, section.anchor): (section.line_start, section.line_end)
        for path, data in contents.items()
        for section in split(decode(data).text).sections
    }
    return tuple(
        replace(section, lines=ranges.get((section.path, section.anchor))) for section in sections
    )


def _not_found(path: str, wanted: str, known: Iterable[str]) -> NotFoundError:
    near = nearest(wanted, known)
    hint = (
        f"; the nearest is {near}" if near else "; `pit-memory sections show --grep WORDS` searches"
    )
    return NotFoundError(f"no section index has {path}{hint}")
