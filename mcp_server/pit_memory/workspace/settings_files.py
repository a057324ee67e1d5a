"""Reading settings: the project's file, the person's file, the environment, flags."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.settings import Settings
from pit_memory.workspace.places import Places


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, where each value came from, and what was ignored."""

    settings: Settings
    problems: tuple[str, ...]
    """What was ignored and why, one line each; for answers and `status`."""
    origins: Mapping[str, str]
    """Key to the file, variable or flag that set it; keys at their default are missing."""


def load(
    root: Path, where: Places, environ: Mapping[str, str], flags: Mapping[str, object]
) -> LoadedSettings:
    """Read the settings that hold for a project.

    Strength grows: defaults, project file, person's file, environment, flags.

    Args:
        root: the project's root.
        flags: values by dotted key.

    Raises:
        SettingsError: a file is not TOML, a key is unknown or a value is not what its key takes.
    """
    raise NotImplementedError
