"""An Obsidian vault: where it begins, and what its owner set aside."""

from pathlib import Path

from pit_memory.core.source import Dialect

SETTINGS_FOLDER = ".obsidian"
"""Where Obsidian keeps the settings of a vault, at its top."""


def dialect_of(folder: Path) -> Dialect:
    """Tell what markdown means in a folder: that of Obsidian in a vault and everywhere below."""
    return "obsidian" if vault_of(folder) else "markdown"


def vault_of(folder: Path) -> Path | None:
    """The top of the vault that a folder is or lies in; None outside of any."""
    for place in (folder, *folder.parents):
        if (place / SETTINGS_FOLDER).is_dir():
            return place
    return None
