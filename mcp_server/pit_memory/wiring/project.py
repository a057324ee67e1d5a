"""Which project a command is about, and what holds there."""

import os
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from pathlib import Path

from pit_memory.workspace.files import file_stamp
from pit_memory.workspace.places import person_settings, places, stores
from pit_memory.workspace.places import project_settings as settings_file
from pit_memory.workspace.project import project_root as project_root
from pit_memory.workspace.settings_files import LoadedSettings, load


def plugin_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the plugin's own folder, as its launcher says; None without the launcher."""
    named = environ.get("PIT_MEMORY_PLUGIN_ROOT")
    return Path(named) if named else None


def project_settings(
    root: Path, environ: Mapping[str, str] = os.environ, *, lenient: bool = False
) -> LoadedSettings:
    """Read the settings of a project; `lenient` for whoever only asks (`settings_files.load`)."""
    return load(root, places(environ), environ, lenient=lenient)


def settings_watch(
    root: Path | None, environ: Mapping[str, str] = os.environ
) -> Callable[[], Hashable]:
    """Return what gives another value where a settings file of a project, or the person's, changed.

    Asked several times a call, so which project it is, is found out once, by the first of them.
    """

    @cache
    def files() -> tuple[Path, ...]:
        return settings_file(project_root(root)), person_settings(places(environ))

    return lambda: tuple(file_stamp(file) for file in files())


def is_project(root: Path, environ: Mapping[str, str]) -> bool:
    """Tell whether a folder is a project: a work tree, or one with settings; a home is none."""
    home = environ.get("HOME", "")
    if home and (os.path.realpath(home) + "/").startswith(str(root).rstrip("/") + "/"):
        return False
    # Asked at every search: a Path would cost as much as the question.
    return os.path.exists(f"{root}/.git") or os.path.isfile(settings_file(root))  # noqa: PTH110, PTH113


def all_stores(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all stores of this person."""
    return stores(places(environ))
