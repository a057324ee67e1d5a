"""Read what a citation names: always from the file, never from the index.

Works without any store: a catalogue only helps to find text that moved to another file, and what a
mistyped path may have meant.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.answers.read_answers import CitedState, ReadAnswer
from pit_memory.core.answers.read_budget import fit_lines
from pit_memory.core.documents.citations import Ref, format_ref, parse_ref
from pit_memory.core.documents.documents import Document
from pit_memory.core.documents.passages import (
    Passage,
    nearest_anchors,
    passage_at,
    passage_taken_in,
    passage_with_hash,
    sections_below,
)
from pit_memory.core.serving.access import AUDIENCES
from pit_memory.core.source import Source
from pit_memory.core.text.nearest import nearest
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_name
from pit_memory.errors import (
    DocumentError,
    NotFoundError,
    PathError,
    RefError,
    SourceError,
    UsageError,
)
from pit_memory.operations.reading.origins import origins_of
from pit_memory.sources.formats import RawFile, ending_of, most_bytes, read_contents
from pit_memory.sources.sieve import is_document
from pit_memory.workspace.files import read_bytes, reason, resolve_inside
from pit_memory.workspace.git import is_ignored

if TYPE_CHECKING:
    from pit_memory.stores.catalogue import Catalogue

    CatalogueOpener = Callable[[], Sequence[Catalogue]]

__all__ = ["BUDGET_BOUNDS", "DEFAULT_BUDGET", "ReadAnswer", "read"]

DEFAULT_BUDGET = 2000
"""Estimated tokens of a read unless the caller says otherwise."""
BUDGET_BOUNDS = (50, 20_000)
_MAX_BYTES = 100_000_000
"""Of a file; far above what is indexed."""
_MOST_LINKS = 25
"""Links, and backlinks, of an answer where not all are asked for."""
_NAMED = 3
"""Nearest names in an error."""


@dataclass(frozen=True, slots=True)
class _File:
    """A document as it is now."""

    source: str
    document: Document
    lines: Sequence[str]


def read(
    ref: str,
    sources: Sequence[Source],
    *,
    catalogues: "CatalogueOpener" = tuple,
    budget: int = DEFAULT_BUDGET,
    audiences: Collection[str] = AUDIENCES,
    links: bool = False,
    all_links: bool = False,
    only_indexed: bool = False,
) -> ReadAnswer:
    """Show what a citation names, with the state of the citation.

    Args:
        ref: any form of `core.documents.citations`.
        sources: what may be read; the project itself has the empty name.
        catalogues: opens the indexes, which are asked only where the cited text is not at its
            place: they find what moved to another file.
        budget: estimated tokens at most.
        audiences: of whoever asks; a document of another one is as good as not there.
        links: also where the links of the passage lead, and what links to its page.
        all_links: every one of them, not the first 25 of either.
        only_indexed: a file that no search would show (excluded, hidden, ignored by git) is not
            there either; without it the project's own files are.

    Raises:
        RefError: the ref can't be parsed, or names an unknown source (the nearest is named).
        PathError: the path leaves the root.
        NotFoundError: no such file, anchor or line; names the nearest.
        UsageError: the budget is out of its bounds.
    """
    least, most = BUDGET_BOUNDS
    if not least <= budget <= most:
        message = f"budget is {budget}; it must lie between {least} and {most:,}"
        raise UsageError(message)
    cited = parse_ref(ref)
    by_name = {source.name: source for source in sources}
    readable = _Readable(by_name, frozenset(audiences), only_indexed)
    file = readable.open(cited.source or "", cited.path)
    passage = passage_at(file.document, file.lines, cited) if file else None
    state: CitedState = "uncited" if cited.hash is None else "same"
    if cited.hash and (passage is None or passage.hash != cited.hash):
        state = "changed"
        if found := next(_places_of_text(cited, file, readable, catalogues), None):
            state, (file, passage) = "moved", found
    if file is None and (elsewhere := _moved_document(cited, readable)):
        file, passage, is_same = elsewhere
        state = "moved" if is_same else "changed"
    if file is None:
        raise NotFoundError(_no_file(ref, cited, readable, catalogues))
    if passage is None:
        raise NotFoundError(_no_place(ref, cited, file))
    answer = fit_lines(_answer(file, passage, state), file.lines, budget)
    if not links:
        return answer
    return _with_links(answer, file, readable, catalogues, None if all_links else _MOST_LINKS)


@dataclass(frozen=True, slots=True)
class _Readable:
    """What whoever asks may read."""

    sources: Mapping[str, Source]
    audiences: frozenset[str]
    only_indexed: bool

    @property
    def names_others(self) -> bool:
        """Whether other files may be named: those of every audience exist for who asks."""
        return self.audiences.issuperset(AUDIENCES)

    def open(self, source: str, path: str) -> _File | None:
        """The document at a path; None where there is none for who asks."""
        if source not in self.sources:
            near = nearest(source, filter(None, self.sources))
            guess = (
                f"did you mean {near}::?" if near else "`pit-memory docs list` names the sources"
            )
            message = f"no source {source!r} is searched here; {guess}"
            raise RefError(message)
        known = self.sources[source]
        real = resolve_inside(Path(known.root), path)
        if source and not is_document(known, path):
            return None
        if self.only_indexed and not _is_indexed(known, path, real):
            return None
        try:
            data = read_bytes(real, most_bytes(path, _MAX_BYTES))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            message = f"{path} can't be read: {reason(error)}"
            raise NotFoundError(message) from error
        if not path.lower().endswith(known.endings):
            endings = ", ".join(known.endings)
            message = f"{path} is no document ({endings}); open it with other tools"
            raise NotFoundError(message)
        try:
            contents = read_contents(RawFile(path, data, dialect=known.dialect))
        except DocumentError as error:
            message = f"{path} can't be read: {error}"
            raise NotFoundError(message) from error
        if contents.document.audience not in self.audiences:
            return None
        return _File(source, contents.document, contents.lines)


def _is_indexed(source: Source, path: str, real: Path) -> bool:
    """Tell whether a source indexes a file, by its own name and by the one that a link leads to."""
    top = Path(source.root).resolve()
    names = {path, real.relative_to(top).as_posix()}
    if not all(is_document(source, name) for name in names):
        return False
    if is_ignored(top) is True:
        return True  # git would leave out all of it: so the file system is listed
    return is_ignored(real.parent, real.name, even_tracked=False) is not True


def _places_of_text(
    cited: Ref, file: _File | None, readable: _Readable, catalogues: "CatalogueOpener"
) -> Iterator[tuple[_File, Passage]]:
    """Where the cited text stands now: in the same file, then in others that the index knows."""
    if file and (passage := passage_with_hash(file.document, file.lines, cited)):
        yield file, passage
    found = (index.sections_with_hash(cited.hash or "") for index in catalogues())
    for document, _ in chain.from_iterable(found):
        try:
            other = readable.open(document.source, document.path)
        except (RefError, PathError, NotFoundError):
            continue  # the index is behind the files: this place is no place any more
        if other and (passage := passage_with_hash(other.document, other.lines, cited)):
            yield other, passage


def _moved_document(cited: Ref, readable: _Readable) -> tuple[_File, Passage | None, bool] | None:
    """The document that says it was at the cited path before, or took it in; None where none does.

    With the cited passage, and whether that is the same.
    """
    source = cited.source or ""
    try:
        now = origins_of(readable.sources[source]).get(cited.path)
        file = readable.open(source, now.path) if now else None
    except (SourceError, PathError, NotFoundError):
        return None
    if file is None or now is None:
        return None
    if now.anchor and (found := passage_taken_in(file.document, file.lines, cited, now.anchor)):
        return file, *found
    passage = passage_at(file.document, file.lines, cited)
    return file, passage, passage is None or cited.hash in (None, passage.hash)


def _answer(file: _File, passage: Passage, state: CitedState) -> ReadAnswer:
    whole = passage.first, passage.last
    return ReadAnswer(
        ref=format_ref(replace(passage.ref, source=file.source or None)),
        state=state,
        source=file.source,
        path=file.document.path,
        title=safe_name(file.document.title),
        breadcrumb=tuple(map(safe_name, passage.breadcrumb)),
        status=file.document.status,
        lines=(),
        shown=whole,
        whole=whole,
        below=tuple(section.anchor for section in sections_below(passage)),
        next_ref=None,
        used_tokens=0,
    )


def _with_links(
    answer: ReadAnswer,
    file: _File,
    readable: _Readable,
    catalogues: "CatalogueOpener",
    most: int | None,
) -> ReadAnswer:
    """The answer with one hop of links and backlinks, at most so many each."""
    from pit_memory.operations.reading.links import Library, links_from, links_to

    path = file.document.path
    index = next((it for it in catalogues() if it.document(file.source, path)), None)
    library = Library(readable.sources[file.source], index)
    found = list(links_from(library, file.document, answer.whole))
    back = []
    if index and readable.names_others:
        back = links_to(library, index, file.source, path)
    notes = [] if index else ["backlinks are not known: the page is not indexed yet"]
    for what, listed in (("more link", found), ("more backlink", back)):
        if most and len(listed) > most:
            more = counted(len(listed) - most, what)
            notes.append(f"{more}; all: pit-memory read {answer.ref} --all-links")
    return replace(
        answer,
        links=tuple(found[:most]),
        backlinks=tuple(back[:most]),
        notes=(*answer.notes, *notes),
    )


def _no_file(ref: str, cited: Ref, readable: _Readable, catalogues: "CatalogueOpener") -> str:
    known = _known_paths(cited, readable, catalogues)
    if cited.path in known and not _is_any_there(readable.sources[cited.source or ""], known):
        why = f"of {counted(len(known), 'file')} indexed there, none can be reached now"
        root = readable.sources[cited.source or ""].root
        if not Path(root).is_dir():
            return f"{ref} can't be read: {why}; {root} is not there: mount or restore it"
        return f"{ref} can't be read: {why}; `pit-memory docs list` says more"
    known = [path for path in known if path != cited.path]
    by_name = {path.rpartition("/")[2]: path for path in known}
    near = get_close_matches(cited.path, known, _NAMED) or [
        by_name[name] for name in get_close_matches(cited.path.rpartition("/")[2], by_name, _NAMED)
    ]
    refs = ", ".join(format_ref(Ref(path, cited.source)) for path in near)
    return f"{ref} {_fate(cited)}: there is no such file" + (f"; nearest: {refs}" if near else "")


def _is_any_there(source: Source, paths: Sequence[str]) -> bool:
    """Tell whether a source's files are in reach; of a disk that is gone, the index keeps them.

    One file alone may as well have been deleted since the last look.
    """
    if len(paths) == 1:
        return os.path.isdir(source.root)  # noqa: PTH112 -- as below
    return any(os.path.exists(f"{source.root}/{path}") for path in paths)  # noqa: PTH110 -- raises


def _known_paths(cited: Ref, readable: _Readable, catalogues: "CatalogueOpener") -> list[str]:
    if not readable.names_others:
        return []
    source = cited.source or ""
    if indexed := [path for index in catalogues() for _, path in index.paths(source).values()]:
        return indexed
    if readable.only_indexed:
        return []
    folder = cited.path.rpartition("/")[0]
    try:
        names = sorted(
            entry.name for entry in Path(readable.sources[source].root, folder).iterdir()
        )
    except OSError:
        return []
    return [f"{folder}/{name}".lstrip("/") for name in names if ending_of(name)]


def _no_place(ref: str, cited: Ref, file: _File) -> str:
    if cited.page is not None:
        pages = sum(bool(section.anchor) for section in file.document.sections)
        return f"{ref} {_fate(cited)}: the file has {counted(pages, 'page')} with text"
    if cited.anchor is None:
        return f"{ref} {_fate(cited)}: the last line is {len(file.lines):,}"
    path = format_ref(Ref(file.document.path, cited.source))
    near = nearest_anchors(file.document, cited.anchor, _NAMED)
    if not near:
        return f"{ref} {_fate(cited)}: the file has no headings; read {path}"
    refs = ", ".join(f"{path}#{anchor}" for anchor in near)
    return f"{ref} {_fate(cited)}: the file has no such heading; nearest: {refs}"


def _fate(cited: Ref) -> str:
    """A hash proves that the text was there once."""
    return "is gone" if cited.hash else "names nothing"
