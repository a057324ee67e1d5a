"""Everything a session starts with: gathered, and compiled for the hooks."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pit_memory.core.push.memory_entries import triggers_of
from pit_memory.core.push.session_block import (
    Area,
    SessionBlock,
    session_block,
    subagent_block,
)
from pit_memory.core.records import NamedTuple
from pit_memory.errors import SettingsError, StorageFullError
from pit_memory.workspace.compiled_push import (
    CompiledPush,
    known_native,
    known_patterns,
    stamp_of,
    write_compiled,
)
from pit_memory.workspace.files import read_bytes
from pit_memory.workspace.memory_files import (
    LOST,
    Memory,
    MemoryFolders,
    memory_folders,
    read_memory,
)
from pit_memory.workspace.places import (
    SESSION_FILE,
    Places,
    person_settings,
    project_settings,
    store_folder,
)
from pit_memory.workspace.push_settings import PushSettings, push_settings

_MOST_MAP_BYTES = 100_000


class PushMemory(NamedTuple):
    """What there is to push."""

    folders: MemoryFolders
    memory: Memory
    areas: tuple[Area, ...]
    budget: int
    notes: tuple[str, ...]
    """What could not be read, one line each."""
    patterns: Mapping[str, str]
    """Of triggers, known from the last compilation."""
    made_from: tuple[str, ...]
    """Files and folders whose content it is, absolute; they need not exist."""
    stamp: str
    """Of those, taken before they were read."""

    def session(self) -> SessionBlock:
        """The block of a session."""
        return session_block(
            self.memory.entries,
            preambles=self.memory.preambles,
            areas=self.areas,
            notes=self.notes,
            budget=self.budget,
        )

    def subagent(self) -> SessionBlock:
        """The block of a subagent."""
        return subagent_block(self.memory.entries, budget=self.budget)


def gather_push_memory(
    root: Path, where: Places, environ: Mapping[str, str], plugin: Path | None
) -> PushMemory:
    """Read everything a session starts with; what can't be read is said in a note.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        environ: settings come from it.
        plugin: the plugin's own folder.
    """
    notes = []
    try:
        settings = push_settings(root, where, environ)
    except SettingsError as error:
        settings = PushSettings()
        notes.append(f"(pit-memory settings are not read: {error})")
    folders = memory_folders(root, where, settings.home, plugin)
    map_file = store_folder(where, root) / SESSION_FILE
    files = (project_settings(root), person_settings(where), map_file)
    made_from = tuple(str(path) for path in (*files, *folders[:3]) if path)
    stamp = stamp_of(made_from, environ)
    patterns = known_patterns(where, root)
    memory = read_memory(folders, patterns)
    if lost := [problem for problem in memory.problems if problem.rule in LOST]:
        more = f"; {len(lost) - 1} more: `pit-memory memory lint`" if len(lost) > 1 else ""
        notes.append(f"({lost[0].place}: {lost[0].message}{more})")
    return PushMemory(
        folders, memory, _areas(map_file), settings.budget, tuple(notes), patterns, made_from, stamp
    )


def compile_push_memory(
    root: Path,
    where: Places,
    environ: Mapping[str, str],
    plugin: Path | None,
    native: str | None = None,
) -> CompiledPush:
    """Compile a project's push memory for the hooks, and leave it for those to come.

    Called at the start of a session, and where an entry was written or found changed. Where it
    can't be left (a full disk), the next hook compiles again.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        environ: settings come from it.
        plugin: the plugin's own folder.
        native: the client's own memory folder; empty where it has none, None where that is what an
            earlier compilation said.
    """
    push = gather_push_memory(root, where, environ, plugin)
    compiled = CompiledPush(
        session=push.session().text,
        subagent=push.subagent().text,
        triggers=triggers_of(push.memory.entries, push.patterns),
        native=known_native(where, root) if native is None else native,
        home=str(push.folders.project),
        made_from=push.made_from,
        stamp=push.stamp,
    )
    with suppress(StorageFullError):
        write_compiled(where, root, compiled)
    return compiled


def _areas(map_file: Path) -> tuple[Area, ...]:
    """What the project's documents are about, as the last look left it; derived, so no problem."""
    try:
        read = json.loads(read_bytes(map_file, _MOST_MAP_BYTES))
        return tuple(Area(area["path"], tuple(area["words"])) for area in read["areas"])
    except (OSError, ValueError, LookupError, TypeError):
        return ()
