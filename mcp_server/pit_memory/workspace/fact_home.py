"""Where facts lie: a folder that is a git repository of its own, or a folder of a project.

A project's tree holds the facts of that repository alone: whoever clones it reads them.
"""

import os
from contextlib import suppress
from pathlib import Path

from pit_memory.core.facts.assignments import assignment_folder, folder_identity, remote_identity
from pit_memory.core.records import NamedTuple
from pit_memory.errors import PathError
from pit_memory.workspace.files import make_folder, write_atomic
from pit_memory.workspace.git import configured, init_repository, remote_address
from pit_memory.workspace.work_trees import common_dir, git_dir, toplevel

ATTRIBUTES = ".gitattributes"
"""At the top of a repository of facts, and the sign that it is one."""
_ATTRIBUTES_TEXT = b"# A repository of facts (pit-memory): their bytes identify them.\n*.md -text\n"
_NOBODY = ("pit-memory", "pit-memory@localhost")
"""Who commits to our own repository where the person has told git no name."""


class FactHome(NamedTuple):
    """The home of facts."""

    root: Path
    """Absolute, symlinks resolved; it need not exist."""
    only: str | None
    """The one assignment that may lie there, as it is in the tree of a project; None for any."""

    def folder(self, assignment: str) -> Path:
        """The folder of an assignment; it need not exist.

        Raises:
            PathError: the home is in a project's tree, and the assignment is not that project's.
        """
        if self.only is not None and assignment != self.only:
            message = (
                f"{self.root} lies in a project's tree, where everybody who clones it reads what "
                f"is written: it takes the facts of {self.only!r} alone, not of {assignment!r}; "
                "choose another `facts.home` in your own settings"
            )
            raise PathError(message)
        return self.root / assignment_folder(assignment)


def fact_home(root: Path, *, is_own: bool = False) -> FactHome:
    """Look what a home of facts is.

    Args:
        root: absolute.
        is_own: it is the person's default one, a repository of its own wherever it lies.
    """
    real = Path(os.path.realpath(root))
    top = None if is_own else toplevel(real)
    if top is None or (top == real and _is_ours(top)):
        return FactHome(real, None)
    return FactHome(real, repository_identity(top))


def ensure_home(home: FactHome) -> None:
    """Make the home of facts and its repository where they are missing.

    Raises:
        StorageFullError: it can't be made.
        GitError: there is no git, or it refuses.
    """
    make_folder(home.root)
    if home.only is not None or git_dir(home.root) is not None:
        return
    init_repository(home.root, None if _has_identity(home.root) else _NOBODY)
    if not (home.root / ATTRIBUTES).exists():
        write_atomic(home.root / ATTRIBUTES, _ATTRIBUTES_TEXT)


def repository_identity(top: Path) -> str | None:
    """The assignment of a repository: its remote, else the folder that its worktrees share.

    Args:
        top: root of a work tree.

    Returns:
        None where it is no repository.
    """
    shared = common_dir(top)
    if shared is None:
        return None
    if identity := remote_identity(remote_address(top)):
        return identity
    name = shared.parent.name if shared.name == ".git" else shared.name.removesuffix(".git")
    return folder_identity(name, str(shared))


def _is_ours(top: Path) -> bool:
    with suppress(OSError):
        return (top / ATTRIBUTES).read_bytes().startswith(_ATTRIBUTES_TEXT[:40])
    return False


def _has_identity(folder: Path) -> bool:
    if os.environ.get("GIT_COMMITTER_EMAIL") or os.environ.get("EMAIL"):
        return True
    return bool(configured(folder, "user.email"))
