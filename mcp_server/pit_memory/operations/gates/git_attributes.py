"""What git should know about section indexes: they are generated, and their line ends are LF."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pit_memory.core.corpus.corpora import corpora_among
from pit_memory.workspace.corpus_rules import project_rules
from pit_memory.workspace.files import write_atomic
from pit_memory.workspace.section_index import WorkingTree

FILE = ".gitattributes"


def gitattributes_line(index_path: str) -> str:
    """The line that keeps an index out of reviews and free of CRLF.

    Args:
        index_path: relative to the project; a space in it is written as git wants it.
    """
    return f"{index_path.replace(' ', '[[:space:]]')} linguist-generated eol=lf"


def missing_lines(root: Path, index_paths: Sequence[str]) -> tuple[str, ...]:
    """Return the lines for some indexes that a project's .gitattributes lacks."""
    there = _text(root).splitlines()
    return tuple(line for line in map(gitattributes_line, index_paths) if line not in there)


def missing_lines_of_project(root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines for the indexes that a project has.

    Raises:
        SettingsError: the settings can't be read.
    """
    rules = project_rules(root, environ)
    corpora = corpora_among(WorkingTree(root).paths(rules), rules)
    return missing_lines(root, [corpus.index_path for corpus in corpora if corpus.has_index])


def add_lines(root: Path, lines: Sequence[str]) -> None:
    """Add lines to a project's .gitattributes, which is made where it is missing.

    Raises:
        StorageFullError: it can't be written.
    """
    text = _text(root)
    before = text if not text or text.endswith("\n") else text + "\n"
    data = (before + "".join(f"{line}\n" for line in lines)).encode("utf-8", "surrogateescape")
    write_atomic(root / FILE, data)


def _text(root: Path) -> str:
    try:
        return (root / FILE).read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""
