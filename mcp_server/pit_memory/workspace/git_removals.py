"""What became of files that a repository once had."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pit_memory.workspace.git_command import run_git, text_of

_AT_ONCE = 400
"""Paths asked for in one command."""
_COMMIT = "\x01"
"""Begins the line of a commit in what git prints."""


@dataclass(frozen=True, slots=True)
class Removal:
    """The last commit that took a file away."""

    path: str
    """Relative to the folder that was asked about."""
    commit: str
    """Abbreviated."""
    date: str
    """ISO 8601."""
    new_path: str = ""
    """Where the commit put its content; empty where it put it nowhere."""


def removals(folder: Path, paths: Sequence[str]) -> Iterator[Removal]:
    """Find files that the history of HEAD took away; the latest removal of each path.

    Args:
        folder: of a work tree.
        paths: files or folders relative to it; one without a slash is a name in any folder.

    Raises:
        GitError: git is missing, too slow, or refuses.
    """
    for start in range(0, len(paths), _AT_ONCE):
        specs = [_pathspec(path) for path in paths[start : start + _AT_ONCE]]
        log = ("log", "--diff-filter=D", "--no-renames", "--relative", "--name-only")
        form = f"--format={_COMMIT}%h %as"
        out = text_of(run_git(folder, ["-c", "core.quotePath=false", *log, form, "--", *specs], {}))
        seen: set[str] = set()
        commit = date = ""
        for line in out.split("\n"):
            if line.startswith(_COMMIT):
                commit, date = line[1:].split(" ")
            elif line and line not in seen:
                seen.add(line)
                yield Removal(line, commit, date)


def moved_to(folder: Path, removal: Removal) -> str:
    """Where the commit that removed a file put its content; empty where it is nowhere like it.

    Raises:
        GitError: git is missing, too slow, or refuses.
    """
    command = ["-c", "core.quotePath=false", "show", "--relative", "-M", "--diff-filter=R"]
    out = text_of(run_git(folder, [*command, "--name-status", "--format=", removal.commit], {}))
    for line in out.split("\n"):
        _, _, paths = line.partition("\t")
        old, _, new = paths.partition("\t")
        if old == removal.path:
            return new
    return ""


def _pathspec(path: str) -> str:
    return f":(literal){path.rstrip('/')}" if "/" in path.rstrip("/") else f":(glob)**/{path}"
