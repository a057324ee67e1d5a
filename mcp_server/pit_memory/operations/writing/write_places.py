"""Where a kind of knowledge is written, in the scope that was asked for."""

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pit_memory.core.kinds import Form, Scope
from pit_memory.core.settings.settings import Settings
from pit_memory.core.source import Source
from pit_memory.workspace.files import resolve_inside


@dataclass(frozen=True, slots=True)
class WritePlace:
    """A folder that takes new files of a kind."""

    root: Path
    """Absolute, symlinks resolved; nothing is written outside of it."""
    folder: str
    """POSIX path relative to the root; empty is the root itself."""
    source: Source
    """Where its files are searched."""
    is_shared: bool
    """Whether it belongs to the project: committed where that is a repository."""

    def path_of(self, name: str) -> Path:
        """The real path of a file in it, which need not exist.

        Raises:
            PathError: a symlink on the way leads out of the root.
        """
        return resolve_inside(self.root, str(PurePosixPath(self.folder, name)))

    def shown(self, path: Path) -> str:
        """A path as people are told: within the project relative to it."""
        return path.relative_to(self.root).as_posix() if self.is_shared else str(path)


def place_for(
    form: Form, scope: Scope, settings: Settings, own: Source, personal: Source
) -> WritePlace:
    """Return where a kind is written.

    Args:
        form: of the kind.
        scope: one of the form's.
        settings: of the project; they may name another folder.
        own: the project's own documents.
        personal: the person's push memory.
    """
    if scope == "personal":
        return WritePlace(Path(os.path.realpath(personal.root)), "", personal, is_shared=False)
    table, _, name = form.home_setting.partition(".")
    folder = getattr(getattr(settings, table), name) if form.home_setting else form.home
    return WritePlace(Path(own.root), str(PurePosixPath(folder)), own, is_shared=True)
