"""The gates as a native git hook, beside whatever hook is there already."""

from dataclasses import dataclass
from pathlib import Path

from pit_memory.errors import GitError, PathError, UsageError
from pit_memory.workspace.files import make_folder, write_atomic
from pit_memory.workspace.git_command import run_git
from pit_memory.workspace.git_index import find_repository

HOOK = "pre-commit"
EARLIER = f"{HOOK}.before-pit-memory"
COMMAND = "pit-memory sections check --staged"

_MARK = "# Installed by `pit-memory hooks install`"
_SCRIPT = f"""\
#!/bin/sh
{_MARK}: the section index must fit what is committed.
# To switch it off, remove this file, and rename {EARLIER}, if it is there, to {HOOK}.
hooks=${{0%/*}}
if [ -x "$hooks/{EARLIER}" ]; then
  "$hooks/{EARLIER}" "$@" || exit
fi
if command -v pit-memory >/dev/null 2>&1; then
  exec {COMMAND}
fi
echo 'pit-memory is not installed here: the section index was not checked' >&2
"""
_EXECUTABLE = 0o755


@dataclass(frozen=True, slots=True)
class InstalledHook:
    """Where the hook is, and what it runs first."""

    path: Path
    earlier: Path | None
    """The hook that was there before; it runs first, and its refusal stands."""
    changed: bool
    """False where it was installed already."""


def install_git_hook(root: Path) -> InstalledHook:
    """Install the pre-commit hook of a repository; a hook that is there is kept and runs first.

    Raises:
        GitError: there is no work tree.
        PathError: the hooks of this repository are shared with others, or rewritten by a tool.
        UsageError: two earlier hooks are there, and only a person can tell which one counts.
        StorageFullError: the folder can't be written.
    """
    folder = _hooks_folder(root)
    make_folder(folder)
    path, earlier = folder / HOOK, folder / EARLIER
    text = _text_of(path)
    if text and _MARK not in text:
        if earlier.exists():
            message = f"{path} is another tool's hook, and {earlier} exists; remove one of them"
            raise UsageError(message)
        path.rename(earlier)
        text = ""
    if text != _SCRIPT:
        write_atomic(path, _SCRIPT.encode())
        path.chmod(_EXECUTABLE)
    return InstalledHook(path, earlier if earlier.exists() else None, text != _SCRIPT)


def find_git_hook(root: Path) -> InstalledHook | None:
    """Find the hook that `install_git_hook` left in a repository, if there is one.

    Raises:
        GitError: git gave no answer.
    """
    repository = find_repository(root)
    if repository is None:
        return None
    folder, _ = _hooks_and_common(repository.top)
    path, earlier = folder / HOOK, folder / EARLIER
    if _MARK not in _text_of(path):
        return None
    return InstalledHook(path, earlier if earlier.exists() else None, changed=False)


def _hooks_folder(root: Path) -> Path:
    """Folder of the repository's hooks, as `core.hooksPath` has it."""
    repository = find_repository(root)
    if repository is None:
        message = f"{root} is in no git work tree; run it in the repository, or name it with --root"
        raise GitError(message)
    folder, common = _hooks_and_common(repository.top)
    add = f"add the line `{COMMAND} || exit 1` to"
    if not folder.is_relative_to(repository.top) and not folder.is_relative_to(common):
        message = f"core.hooksPath is {folder}, which other repositories use too; {add} its {HOOK}"
        raise PathError(message)
    if folder.name == "_" and folder.parent.name == ".husky":
        message = f"husky rewrites {folder}; {add} {folder.parent / HOOK}"
        raise PathError(message)
    return folder


def _hooks_and_common(top: Path) -> tuple[Path, Path]:
    """The folder of hooks, and git's own that all worktrees share."""
    out = run_git(top, ["rev-parse", "--git-path", "hooks", "--git-common-dir"], {})
    names = out.decode("utf-8", "surrogateescape").split("\n")
    return (top / names[0]).resolve(), (top / names[1]).resolve()


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""
