"""Which project a gate is about, and which corpora its settings name.

Light, because a hook asks this before it knows whether there is anything to do.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from pit_memory.core.corpora import DEFAULT_RULES, CorpusRule
from pit_memory.errors import SettingsError, SourceError
from pit_memory.workspace.places import Places, person_settings, places, project_settings

TYPE_CHECKING = False  # `typing` itself costs a hook more than it may
if TYPE_CHECKING:
    from pit_memory.workspace.settings_files import LoadedSettings


def enclosing_tree(path: Path) -> Path | None:
    """Return the top of the work tree around a path (absolute); None outside of any."""
    return next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), None)


def current_folder() -> Path:
    """Return the folder we are in.

    Raises:
        SourceError: somebody has removed it.
    """
    try:
        return Path.cwd().resolve()
    except FileNotFoundError as error:
        message = "the current folder has been removed; cd to one that is there"
        raise SourceError(message) from error


def project_root(given: Path | None) -> Path:
    """Return the given folder, else the work tree around the current one, else that.

    Raises:
        SourceError: the folder does not exist.
    """
    if given is None:
        here = current_folder()
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

    return load(root, places_of(environ), environ)


def project_rules(root: Path, environ: Mapping[str, str]) -> tuple[CorpusRule, ...]:
    """Return the corpora that the settings of a project name.

    As `load_settings` would, without reading any other setting: a hook must be quick.

    Raises:
        SettingsError: a file can't be read, or does not say what a corpus is.
    """
    for file in (project_settings(root), person_settings(places_of(environ))):
        if (said := _said_of_corpora(file)) is None:
            continue
        from pit_memory.core.corpus_setting import CORPORA
        from pit_memory.core.setting_values import OutsideError

        try:
            return CORPORA.read(said)
        except OutsideError:
            continue
        except ValueError:
            return load_settings(root, environ).settings.sections.corpora
    return DEFAULT_RULES


def _said_of_corpora(file: Path) -> object:
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        message = f"{file} can't be read: {error}"
        raise SettingsError(message) from error
    if "sections" not in text:
        return None
    import tomllib  # as dear as the rest of a hook, and mostly not needed

    try:
        sections = tomllib.loads(text).get("sections", {})
    except tomllib.TOMLDecodeError as error:
        message = f"{file} is not TOML: {error}"
        raise SettingsError(message) from error
    return sections.get("corpora") if isinstance(sections, dict) else None


def places_of(environ: Mapping[str, str]) -> Places:
    """Return our folders, also for a hook whose environment lacks HOME."""
    return places({"HOME": os.path.expanduser("~"), **environ})  # noqa: PTH111 - no Path needed
