"""The setting `assignment`, read without any other, and what it resolves to: for a quick hook.

To ask git costs more than a hook may, so the answer is kept until a file changes that it rests on.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pit_memory.core.facts.assignments import AUTO, assignment_name
from pit_memory.errors import StorageFullError
from pit_memory.workspace.compiled_push import stamp_of
from pit_memory.workspace.files import make_data_folder, read_bytes, write_atomic
from pit_memory.workspace.places import (
    Places,
    known_assignment,
    person_settings,
    project_settings,
)
from pit_memory.workspace.settings_tables import tables_naming
from pit_memory.workspace.work_trees import common_dir, toplevel

VARIABLE = "PIT_MEMORY_ASSIGNMENT"
_MOST_NOTE_BYTES = 100_000


def project_assignment(root: Path, where: Places, environ: Mapping[str, str]) -> str | None:
    """The assignment that holds in a project; None for none.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        environ: what it comes from before all files.

    Raises:
        OSError, ValueError, UsageError: a file that speaks of it can't be read, or it is no name.
    """
    said = environ.get(VARIABLE, "")
    if said and said != AUTO:
        return assignment_name(said)
    note = known_assignment(where, root)
    with suppress(OSError, ValueError, TypeError):  # not there, or not ours: made anew
        told, made_from, stamp, name = json.loads(read_bytes(note, _MOST_NOTE_BYTES))
        if (told, stamp) == (said, stamp_of(made_from, environ)):
            return name or None
    made_from = [str(path) for path in _made_from(root, where, environ)]
    stamp = stamp_of(made_from, environ)
    found = resolved_assignment(assignment_setting(root, where, environ), root)
    with suppress(StorageFullError):  # it costs the next start some milliseconds
        make_data_folder(note.parent)
        write_atomic(note, json.dumps([said, made_from, stamp, found]).encode())
    return found


def _made_from(root: Path, where: Places, environ: Mapping[str, str]) -> list[Path]:
    """Files that the assignment of a project rests on: settings, and what git knows of remotes."""
    top = toplevel(root)
    shared = common_dir(top) if top else None
    home = Path(environ.get("HOME") or "/")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return [
        *(person_settings(where), project_settings(root)),
        *(home / ".gitconfig", config / "git/config"),
        *((shared / "config",) if shared else (root / ".git",)),
    ]


def assignment_setting(root: Path, where: Places, environ: Mapping[str, str]) -> str:
    """Read `assignment`, as `settings_files.load` would; empty where nobody says it.

    Raises:
        OSError, ValueError, UsageError: a file that speaks of it can't be read, or it is no name.
    """
    if said := environ.get(VARIABLE):
        return assignment_name(said)
    for file, is_trusted in ((project_settings(root), False), (person_settings(where), True)):
        name = tables_naming(file, "assignment").get("assignment")
        if name == AUTO or (is_trusted and isinstance(name, str) and name):
            return assignment_name(name)
    return ""


def resolved_assignment(setting: str, root: Path) -> str | None:
    """The assignment that the setting stands for in a project; None for none.

    Args:
        setting: value of `assignment`; empty where it is not set.
        root: the project.
    """
    if setting != AUTO:
        return setting or None
    from pit_memory.workspace.fact_home import repository_identity  # may start git

    top = toplevel(root)
    return repository_identity(top) if top else None
