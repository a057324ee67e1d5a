"""One hop around a passage: where its links lead, and which sections link to its page."""

import os
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.answers.read_answers import ReadLink
from pit_memory.core.documents.citations import Ref, format_ref, section_ref
from pit_memory.core.documents.documents import Document, DocumentLink, Section
from pit_memory.core.documents.vault_links import (
    VaultFiles,
    link_name,
    page_of_place,
    path_and_place,
    section_of_place,
)
from pit_memory.core.source import Source
from pit_memory.core.text.safe_text import safe_line
from pit_memory.sources.vault import vault_of

if TYPE_CHECKING:
    from pit_memory.stores.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class DeadLink:
    """A link of a source that leads nowhere."""

    path: str
    line: int
    """1-based."""
    message: str


class Library:
    """The files of a source, as its links name them."""

    def __init__(self, source: Source, catalogue: "Catalogue | None") -> None:
        """List the files.

        Args:
            source: whose links are followed.
            catalogue: its index; None where there is none, which leaves sections unknown.
        """
        self._source = source
        self._catalogue = catalogue
        self._above = ""
        self._is_vault = source.dialect == "obsidian"
        paths: Sequence[str] = ()
        root = Path(source.root)
        if self._is_vault:
            top = vault_of(root) or root
            self._above = "" if top == root else root.relative_to(top).as_posix() + "/"
            paths = tuple(_files_below(top))
        elif catalogue is not None:
            paths = [path for _, path in catalogue.paths(source.name).values()]
        self._files = VaultFiles(paths)
        self._sections: dict[str, tuple[Section, ...] | None] = {}

    def target(self, path: str, link: DocumentLink) -> str | None:
        """The file that a link of a document leads to; None where there is none.

        Returns:
            A path relative to the source's root; one outside of it begins with `../`.
        """
        wanted, _ = path_and_place(link)
        if self._is_vault or (link.is_wikilink and not wanted.startswith("/")):
            found = self._files.find(wanted, self._above + path)
            return None if found is None else self._relative(found)
        folder = "" if wanted.startswith("/") else posixpath.dirname(path)
        place = posixpath.normpath(posixpath.join(folder, wanted.strip("/") or path))
        for ending in ("", ".md"):
            if not place.startswith("..") and Path(self._source.root, place + ending).exists():
                return place + ending
        return None

    def ref(self, path: str, place: str) -> str | None:
        """The citation of a place of a file; None where the file has no such place."""
        name = self._source.name or None
        sections = self._sections_of(path)
        if not place or sections is None:
            return format_ref(Ref(path, name))
        is_pdf = path.casefold().endswith(".pdf")
        section = section_of_place(sections, page_of_place(place) if is_pdf else place)
        if section is None:  # a page of pictures has no section
            return format_ref(Ref(path, name)) if is_pdf else None
        lines = section.line_start, section.line_end
        if place.startswith("^"):
            return format_ref(Ref(path, name, anchor=place))
        return format_ref(section_ref(path, section.anchor, lines, section.hash, name))

    def ref_at(self, path: str, line: int) -> str:
        """The citation of the section around a line."""
        name = self._source.name or None
        for section in self._sections_of(path) or ():
            if section.line_start <= line <= section.line_end:
                lines = section.line_start, section.line_end
                return format_ref(section_ref(path, section.anchor, lines, section.hash, name))
        return format_ref(Ref(path, name, lines=(line, line)))

    def _relative(self, found: str) -> str:
        if found.startswith(self._above):
            return found[len(self._above) :]
        return posixpath.relpath(found, self._above)

    def _sections_of(self, path: str) -> tuple[Section, ...] | None:
        """The sections of a document; None for a file that is none, or unknown."""
        if path not in self._sections:
            index = self._catalogue
            row = index.document(self._source.name, path) if index else None
            self._sections[path] = index.sections_of(row.id) if index and row else None
        return self._sections[path]


def links_from(library: Library, document: Document, lines: tuple[int, int]) -> Iterator[ReadLink]:
    """The links of some lines, with the citation of what they lead to; empty where that is nothing.

    Links to places of the document itself are left out.

    Args:
        library: the source's.
        document: as it is now.
        lines: 1-based, inclusive.
    """
    for link in document.links:
        if lines[0] <= link.line <= lines[1] and not link.target.startswith("#"):
            target = library.target(document.path, link)
            leads = target is not None and not target.startswith("../")
            ref = library.ref(target, path_and_place(link)[1]) if target and leads else None
            yield ReadLink(link.line, safe_line(link.target), ref or "")


def links_to(library: Library, catalogue: "Catalogue", source: str, path: str) -> list[ReadLink]:
    """The sections of other documents that link to a document, each once, by path and line."""
    found: dict[str, ReadLink] = {}
    for _, linking, link in catalogue.links(source, link_name(path)):
        if linking != path and library.target(linking, link) == path:
            ref = library.ref_at(linking, link.line)
            found.setdefault(ref, ReadLink(link.line, safe_line(link.target), ref))
    return list(found.values())


def dead_links(source: Source, catalogue: "Catalogue") -> Iterator[DeadLink]:
    """Every wikilink of a source that leads to no file, or to no place of one."""
    library = Library(source, catalogue)
    for _, path, link in catalogue.links(source.name):
        if not link.is_wikilink:
            continue
        target = library.target(path, link)
        place = path_and_place(link)[1]
        if target is None:
            yield DeadLink(path, link.line, f"[[{safe_line(link.target)}]] names no file")
        elif not target.startswith("../") and library.ref(target, place) is None:
            message = f"[[{safe_line(link.target)}]]: {target} has no #{safe_line(place)}"
            yield DeadLink(path, link.line, message)


def _files_below(top: Path) -> Iterator[str]:
    """Every file of a vault, hidden ones left out, relative to its top."""
    prefix = len(str(top).rstrip("/")) + 1
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = folder[prefix:]
        for name in files:
            if not name.startswith("."):
                yield f"{inside}/{name}" if inside else name
