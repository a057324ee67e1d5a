"""Remove what pit-memory made outside the user's knowledge."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from pit_memory.errors import StorageFullError
from pit_memory.workspace.files import reason
from pit_memory.workspace.places import DERIVED, Places


@dataclass(frozen=True, slots=True)
class Removal:
    """What goes and what stays."""

    removed: tuple[Path, ...]
    """Indexes, environments and caches: all of it can be made again."""
    kept: tuple[Path, ...]
    """Everything else in our folders: knowledge and settings that a person wrote."""


def plan_uninstall(where: Places) -> Removal:
    """Find what an uninstall would remove; nothing is touched."""
    removed = [path for pattern in DERIVED for path in sorted(where.data.glob(pattern))]
    folders = (folder for folder in (where.data, where.config) if folder.is_dir())
    kept = [path for folder in folders for path in sorted(folder.iterdir()) if path not in removed]
    return Removal(tuple(removed), tuple(kept))


def uninstall(where: Places) -> Removal:
    """Remove indexes, environments and caches; the data folder itself goes where it is then empty.

    Raises:
        StorageFullError: something can't be removed; names it and the reason.
    """
    removal = plan_uninstall(where)
    for path in removal.removed:
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        except OSError as error:
            message = f"{path} can't be removed: {reason(error)}; remove it by hand"
            raise StorageFullError(message) from error
    if where.data.is_dir() and not any(where.data.iterdir()):
        where.data.rmdir()
    return removal
