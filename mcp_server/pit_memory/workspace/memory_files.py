"""The folders of push memory, and what lies in them."""

import os
from collections.abc import Mapping
from pathlib import Path

from pit_memory.core.push.memory_entries import (
    NO_PATTERNS,
    PREAMBLE,
    EntryProblem,
    MemoryEntry,
    kind_and_slug,
    merge,
    parse_entry,
)
from pit_memory.core.push.session_block import Preamble
from pit_memory.core.records import NamedTuple
from pit_memory.core.text.decoding import with_lf
from pit_memory.errors import PathError
from pit_memory.workspace.files import read_bytes, reason, resolve_inside
from pit_memory.workspace.places import Places, person_memory

MOST_ENTRIES = 500
"""Of one folder; reading them is what a session waits for. Those first by name are read."""
MOST_BYTES = 64_000
"""Of one file."""
LOST = frozenset({"folder", "too-many", "unreadable"})
"""Rules of those problems that keep an entry from being shown."""


class MemoryFolders(NamedTuple):
    """Where entries lie, the weakest first. A folder need not exist."""

    shipped: Path | None
    """Comes with the plugin; None where the plugin's folder is not known."""
    person: Path
    """`<config>/memory`: in every project of this person."""
    project: Path
    """`memory.home` of the project."""
    root: Path
    """The project; nothing outside of it is its memory."""


class Memory(NamedTuple):
    """What push memory says, merged."""

    entries: tuple[MemoryEntry, ...]
    """One a slug: shipped < person < project."""
    preambles: tuple[Preamble, ...]
    """The person's and the project's own words, where there are any."""
    problems: tuple[EntryProblem, ...]


def memory_folders(root: Path, where: Places, home: str, plugin: Path | None) -> MemoryFolders:
    """Name the folders of a project.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        home: `memory.home`, relative to the root.
        plugin: the plugin's own folder.
    """
    return MemoryFolders(
        shipped=plugin / "memory" if plugin else None,
        person=person_memory(where),
        project=root / home,
        root=root,
    )


def read_memory(folders: MemoryFolders, known: Mapping[str, str] = NO_PATTERNS) -> Memory:
    """Read all entries; a folder that can't be read is a problem, a missing one is empty.

    Args:
        folders: where they lie.
        known: patterns of triggers that need no look, see `compiled_push.known_patterns`.
    """
    shipped = _Folder(folders.shipped, known) if folders.shipped else None
    person = _Folder(folders.person, known)
    project = _Folder(folders.project, known, folders.root)
    read = [folder for folder in (shipped, person, project) if folder]
    return Memory(
        entries=merge(*(folder.entries for folder in read)),
        preambles=tuple(folder.preamble for folder in (person, project) if folder.preamble),
        problems=tuple(problem for folder in read for problem in folder.problems),
    )


class _Folder:
    """One folder, read."""

    def __init__(self, folder: Path, known: Mapping[str, str], root: Path | None = None) -> None:
        """Read it.

        Args:
            folder: it need not exist.
            known: as `read_memory` takes them.
            root: what it must not lead out of; None where it may lie anywhere.
        """
        self.entries: list[MemoryEntry] = []
        self.preamble: Preamble | None = None
        self.problems: list[EntryProblem] = []
        self._folder = folder
        self._known = known
        self._root = root
        self._shown = folder.relative_to(root).as_posix() if root else str(folder)
        links = self._links()
        names = sorted(filter(kind_and_slug, links))
        for name in names[:MOST_ENTRIES]:
            self._read_entry(name, is_link=links[name])
        if len(names) > MOST_ENTRIES:
            message = f"{len(names):,} entries; the first {MOST_ENTRIES} by name are read"
            self._report("", "too-many", message)
        self._find_duplicates()
        if PREAMBLE in links:
            text = self._text(PREAMBLE, is_link=links[PREAMBLE])
            if text and text.strip():
                self.preamble = Preamble(self._place(PREAMBLE), text.strip("\n"))

    def _links(self) -> dict[str, bool]:
        """Name of each file in the folder, and whether it is a symlink."""
        try:
            if self._root:
                resolve_inside(self._root, self._shown)
            with os.scandir(self._folder) as entries:
                return {entry.name: entry.is_symlink() for entry in entries}
        except FileNotFoundError:
            return {}
        except (OSError, PathError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            self._report("", "folder", f"the memory folder can't be read: {why}")
            return {}

    def _find_duplicates(self) -> None:
        slugs: dict[str, MemoryEntry] = {}
        for entry in self.entries:
            if (first := slugs.setdefault(entry.slug, entry)) is not entry:
                message = f"{first.place} has the slug {entry.slug} too; the last one counts"
                self.problems.append(EntryProblem(entry.place, 0, "duplicate", message))

    def _read_entry(self, name: str, *, is_link: bool) -> None:
        text = self._text(name, is_link=is_link)
        if text is None:
            return
        entry, problems = parse_entry(name, text, self._place(name), self._known)
        self.problems += problems
        if entry:
            self.entries.append(entry)

    def _text(self, name: str, *, is_link: bool) -> str | None:
        try:
            if self._root and is_link:
                resolve_inside(self._root, f"{self._shown}/{name}")
            data = read_bytes(self._folder / name, MOST_BYTES)
        except FileNotFoundError:
            return None
        except (OSError, PathError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            self._report(name, "unreadable", f"it can't be read: {why}")
            return None
        if b"\0" in data:
            self._report(name, "unreadable", "it is no text; save it as UTF-8")
            return None
        text = data.decode("utf-8-sig", "replace")
        if "\N{REPLACEMENT CHARACTER}" in text:
            self._report(name, "encoding", "it is not UTF-8; save it as UTF-8")
        return with_lf(text)

    def _place(self, name: str) -> str:
        return f"{self._shown}/{name}" if name else self._shown

    def _report(self, name: str, rule: str, message: str) -> None:
        self.problems.append(EntryProblem(self._place(name), 0, rule, message))
