"""The folders of push memory, and what lies in them."""

from pathlib import Path

from pit_memory.core.memory_entries import EntryProblem, MemoryEntry
from pit_memory.core.records import NamedTuple
from pit_memory.workspace.places import Places


class MemoryFolders(NamedTuple):
    """Where entries lie, the weakest first. A folder need not exist."""

    shipped: Path | None
    """Comes with the plugin; None where the plugin's folder is not known."""
    person: Path
    """`<config>/memory`: in every project of this person."""
    project: Path
    """`memory.home` of the project."""


class Memory(NamedTuple):
    """What push memory says, merged."""

    entries: tuple[MemoryEntry, ...]
    """One a slug: shipped < person < project."""
    preambles: tuple[str, ...]
    """The person's and the project's `MEMORY.md`, without blank lines around."""
    problems: tuple[EntryProblem, ...]


def memory_folders(root: Path, where: Places, home: str, plugin: Path | None) -> MemoryFolders:
    """Name the folders of a project.

    Args:
        root: the project.
        where: the folders of this person.
        home: `memory.home`, relative to the root.
        plugin: the plugin's own folder.
    """
    return MemoryFolders(
        shipped=plugin / "memory" if plugin else None,
        person=where.config / "memory",
        project=root / home,
    )


def read_memory(folders: MemoryFolders) -> Memory:
    """Read all entries; a folder that can't be read is a problem, a missing one is empty."""
    raise NotImplementedError
