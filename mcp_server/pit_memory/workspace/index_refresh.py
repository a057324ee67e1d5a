"""Bring section indexes up to date with one edited file, at the least cost: a hook does it.

What is needed only seldom is imported where it is needed.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pit_memory.core.corpus.corpora import Corpus, CorpusRule, corpora_among
from pit_memory.core.corpus.section_entries import file_entries, lists_file, replaced, serialise
from pit_memory.core.text.decoding import decode
from pit_memory.workspace.files import (
    MAX_TEXT_BYTES,
    is_regular,
    read_bytes,
    resolve_inside,
    write_atomic,
)


def refresh_file(root: Path, path: str, rules: Sequence[CorpusRule]) -> tuple[str, ...]:
    """Bring the indexes up to date with one file, after it was edited or removed.

    A corpus without an index file is left alone, and so is a file that is no index: the settings of
    a cloned project may name any. A damaged index, or one that was itself edited, is built anew.

    Args:
        root: the project.
        path: the file, relative to it.
        rules: the corpora of the project.

    Returns:
        The index files that changed, relative to the project.
    """
    rewritten = []
    for corpus in corpora_among([path], rules, prose=False):
        target = resolve_inside(root, corpus.index_path)
        if not target.is_file():
            continue
        with _only_writer(target.parent):
            stored = read_bytes(target, MAX_TEXT_BYTES)
            if _is_foreign(stored):
                continue
            if corpus.has_index:
                data = _built_anew(root, corpus, rules)
            else:
                relative = path.removeprefix(f"{corpus.root}/") if corpus.root else path
                data = _with_file(root, corpus, rules, stored, relative)
            if data != stored:
                write_atomic(target, data)
                rewritten.append(corpus.index_path)
    return tuple(rewritten)


def _with_file(
    root: Path, corpus: Corpus, rules: Sequence[CorpusRule], stored: bytes, relative: str
) -> bytes:
    """Return the bytes of an index after one file of its corpus changed."""
    path = corpus.in_project(relative)
    content = _content_for_index(root, path, known=lists_file(stored, relative))
    entries = None if content is None else file_entries(decode(content).text)
    data = replaced(stored, relative, entries)
    if data is not None:
        return data
    # Not as we write it: read what it says, which sets the rest of it right as well.
    from pit_memory.core.corpus.section_index import parse_index, with_file

    index = parse_index(stored)
    if index.problem:
        return _built_anew(root, corpus, rules)
    return serialise(with_file(index.index, relative, entries))


def _is_foreign(stored: bytes) -> bool:
    if b'"summary"' in stored and b'"anchor"' in stored:  # the usual case, without the import
        return False
    from pit_memory.core.corpus.section_index import is_foreign

    return is_foreign(stored)


def _content_for_index(root: Path, path: str, *, known: bool) -> bytes | None:
    """A file's content; None where it is gone, no regular file, or ignored by git."""
    if not is_regular(f"{root}/{path}") or any("\ud800" <= char <= "\udfff" for char in path):
        return None
    listed = None
    if not known:  # an edit of a known file needs no git
        from pit_memory.workspace.section_index import listed_by_git

        listed = listed_by_git(root, [path])
    return None if listed == set() else read_bytes(root / path, MAX_TEXT_BYTES)


def _built_anew(root: Path, corpus: Corpus, rules: Sequence[CorpusRule]) -> bytes:
    from pit_memory.workspace.section_index import WorkingTree, check_corpora

    for checked in check_corpora(WorkingTree(root), rules):
        if checked.corpus.index_path == corpus.index_path:
            return serialise(checked.fresh)
    return serialise({})


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """Let hooks that run at the same time rewrite one index one after the other."""
    opened = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)
