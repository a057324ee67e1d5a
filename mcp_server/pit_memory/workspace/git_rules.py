"""Which files decide what git lists in a folder, besides what lies in the folder and below."""

import os.path
from collections.abc import Sequence
from pathlib import Path

from pit_memory.workspace import git
from pit_memory.workspace.work_trees import common_dir, git_dir

IGNORE_FILE = ".gitignore"
ENVIRONMENT = ("HOME", "XDG_CONFIG_HOME", "PATH")
"""What says where these files are, and which git reads them."""


def rule_files(top: Path, folder: Path) -> Sequence[str] | None:
    """The index, the files of the configuration and those with ignore rules, there or not.

    None where one that isn't there may be missed: configuration that includes other files, or has
    them where only git knows.

    Args:
        top: of a work tree.
        folder: it, or below it.
    """
    own, shared, home = git_dir(top), common_dir(top), os.environ.get("HOME")
    said = git.configuration(folder)
    if own is None or shared is None or not home or isinstance(said, git.GitFailure):
        return None
    if any(key.startswith(("include.", "includeif.")) for _, key, _ in said):
        return None
    personal = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    excludes = [value for _, key, value in said if key == "core.excludesfile" and value]
    expanded = [os.path.expanduser(value) for value in excludes]  # noqa: PTH111 -- text in and out
    if not all(path.startswith("/") for path in expanded):
        return None
    origins = [origin.removeprefix("file:") for origin, _, _ in said if origin.startswith("file:")]
    above = [place for place in (folder, *folder.parents) if place.is_relative_to(top)]
    found = (
        f"{top}/.git" if (top / ".git").is_file() else f"{own}/HEAD",
        f"{own}/index",
        f"{own}/config.worktree",
        f"{own}/info/sparse-checkout",
        f"{shared}/config",
        f"{shared}/info/exclude",
        "/etc/gitconfig",
        f"{home}/.gitconfig",
        f"{personal}/git/config",
        f"{personal}/git/ignore",
        *expanded,
        *(os.path.join(top, origin) for origin in origins),  # noqa: PTH118 -- text in and out
        *(f"{place}/{IGNORE_FILE}" for place in above),
    )
    return tuple(dict.fromkeys(found))
