"""Who asks at this machine."""

import os
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from pathlib import Path

from pit_memory.core.serving.access import LOCAL, Access
from pit_memory.core.settings.settings import Settings
from pit_memory.errors import PitMemoryError
from pit_memory.wiring.project import project_root, settings_watch
from pit_memory.workspace.assignment_setting import resolved_assignment
from pit_memory.workspace.places import places
from pit_memory.workspace.settings_files import load


def local_access(root: Path | None, settings: Settings) -> Access:
    """Who asks at this machine: the person, with the assignment that the settings resolve.

    Args:
        root: the project; None for the one that encloses the current folder.
        settings: of the project.
    """
    return replace(LOCAL, assignment=resolved_assignment(settings.assignment, project_root(root)))


def who_asks_here(
    root: Path | None, environ: Mapping[str, str] = os.environ
) -> Callable[[], Access]:
    """Tell who asks at this machine; anew where the settings have changed.

    Where they are wrong, it is somebody without an assignment: the first call says what is wrong.
    """
    known: list[tuple[Hashable, Access]] = []
    watch = settings_watch(root, environ)

    def who() -> Access:
        try:
            stamp = watch()
        except PitMemoryError:
            return LOCAL
        if not known or known[0][0] != stamp:
            try:
                loaded = load(project_root(root), places(environ), environ, lenient=True)
                access = local_access(root, loaded.settings)
            except PitMemoryError:
                access = LOCAL
            known[:] = [(stamp, access)]
        return known[0][1]

    return who
