"""Which project a gate is about, and which corpora its settings name.

Light, because a hook asks this before it knows whether there is anything to do.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.corpora import DEFAULT_RULES, CorpusRule
from pit_memory.errors import SourceError
from pit_memory.workspace.places import person_settings, places, project_settings

if TYPE_CHECKING:
    from pit_memory.workspace.settings_files import LoadedSettings


def enclosing_tree(path: Path) -> Path | None:
    """Return the top of the work tree around a path (absolute); None outside of any."""
    return next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)


def project_root(given: Path | None) -> Path:
    """Return the given folder, else the work tree around the current one, else that.

    Raises:
        SourceError: the given folder does not exist.
    """
    if given is None:
        here = Path.cwd().resolve()
        return enclosing_tree(here) or here
    if not given.is_dir():
        message = f"{given} is no folder; give the project's with --root"
        raise SourceError(message)
    return given.resolve()


def load_settings(root: Path, environ: Mapping[str, str]) -> "LoadedSettings":
    """Read the settings of a project, also where the environment does not say who asks.

    Raises:
        SettingsError: a file can't be read or says something unknown.
    """
    from pit_memory.workspace.settings_files import load

    known = _with_home(environ)
    return load(root, places(known), known)


def project_rules(root: Path, environ: Mapping[str, str]) -> tuple[CorpusRule, ...]:
    """Return the corpora that the settings of a project name. Raises like `load_settings`."""
    files = (project_settings(root), person_settings(places(_with_home(environ))))
    # Only a file can hold them; without one, reading settings would cost more than the hook.
    if not any(file.exists() for file in files):
        return DEFAULT_RULES
    return load_settings(root, environ).settings.sections.corpora


def _with_home(environ: Mapping[str, str]) -> Mapping[str, str]:
    return {"HOME": os.path.expanduser("~"), **environ}  # noqa: PTH111 - git's hooks may lack HOME
