"""Remove what pit-memory made outside the user's knowledge."""

import shlex
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pit_memory.errors import GitError, StorageFullError
from pit_memory.operations.gates.git_hook import InstalledHook, find_git_hook
from pit_memory.workspace.files import reason
from pit_memory.workspace.places import DERIVED, Places


@dataclass(frozen=True, slots=True)
class Removal:
    """What goes and what stays."""

    removed: tuple[Path, ...]
    """Indexes, environments and caches: all of it can be made again."""
    kept: tuple[Path, ...]
    """Everything else in our folders: knowledge and settings that a person wrote."""
    git_hook: InstalledHook | None
    """Of the repository where it is asked; it stays, as other repositories have theirs."""

    @property
    def hook_command(self) -> str:
        """The command of a shell that removes the git hook; empty where there is none."""
        if self.git_hook is None:
            return ""
        if self.git_hook.earlier is None:
            return shlex.join(["rm", str(self.git_hook.path)])
        return shlex.join(["mv", str(self.git_hook.earlier), str(self.git_hook.path)])


def plan_uninstall(where: Places, root: Path) -> Removal:
    """Find what an uninstall would remove; nothing is touched.

    Args:
        where: the folders of this person.
        root: a folder; where it lies in a repository, that one's git hook is looked for.
    """
    removed = [path for pattern in DERIVED for path in sorted(where.data.glob(pattern))]
    folders = (folder for folder in (where.data, where.config) if folder.is_dir())
    kept = [path for folder in folders for path in sorted(folder.iterdir()) if path not in removed]
    hook = None
    with suppress(GitError, OSError):
        hook = find_git_hook(root)
    return Removal(tuple(removed), tuple(kept), hook)


def uninstall(where: Places, root: Path) -> Removal:
    """Remove indexes, environments and caches; the data folder itself goes where it is then empty.

    Raises:
        StorageFullError: something can't be removed; names it and the reason.
    """
    removal = plan_uninstall(where, root)
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
