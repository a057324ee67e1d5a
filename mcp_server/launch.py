"""Run pit-memory in the environment of its plugin folder; have it built where it is missing or old.

`bin/pit-memory` comes here only when its own glance says that something changed; the steady way is
from sh straight to the environment's interpreter. Standard library only, nothing happens at import.
For the front, which answers before there is an environment:

    environment_python(root)      the interpreter to run, or None: a few stats, no process
    build_state(root)             what a build is doing, or why the last one failed
    start_build_detached(root)    begin a build in a process of its own, unless one runs
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))  # `-I` leaves it out
    sys.dont_write_bytecode = sys.pycache_prefix is None  # never into the plugin folder

from launcher.notes import BuildState, read_pointer, read_state
from pit_memory.errors import PitMemoryError, StorageFullError, exit_code
from pit_memory.workspace.files import DATA_WAY_OUT
from pit_memory.workspace.places import places
from pit_memory.workspace.standard_streams import open_closed_streams

ROOT = Path(__file__).resolve().parents[1]
"""The plugin folder this file belongs to."""
WATCHED = (
    "mcp_server",
    "requirements.lock",
    "requirements-model.lock",
    "requirements-team.lock",
)
"""What an environment is made from, below the plugin folder; `bin/pit-memory` watches the same."""


def environment_python(root: Path, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Find the interpreter of the environment that fits a plugin folder as it is now.

    Run it as `python -I -m pit_memory ...`. The model may still be missing: then pit-memory answers
    by words, and a running process finds the model once it is installed.

    Returns:
        None where there is no environment, or the folder changed since it was compared. A plugin
        folder that is gone keeps the environment it had, for the sessions that still run.
    """
    pointer = read_pointer(places(environ), root)
    if pointer is None or not os.access(pointer.python, os.X_OK):
        return None
    if root.exists() and _newest_change_ns(root) > pointer.compared_ns:
        return None
    return pointer.python


def build_state(root: Path, environ: Mapping[str, str] = os.environ) -> BuildState | None:
    """Read what a build for a plugin folder is doing, or how the last one ended; None before any.

    `running`, `seconds_left(now)` and `sentence(now)` of it are made for showing.
    """
    return read_state(places(environ), root)


def start_build_detached(root: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Build the environment of a plugin folder in a process of its own, unless a build runs.

    It outlives the caller, prints nothing, and notes its progress for `build_state`.

    Raises:
        OSError: the process can't be started.
    """
    from launcher.detached import start_build

    state = build_state(root, environ)
    if state is None or not state.running:
        start_build(root, environ)


def main(arguments: list[str]) -> int:
    """Make the environment ready and become `pit_memory` in it; with `--build` alone, only that.

    `setup` tries again what could not be installed, `setup --team` adds what a team's servers need;
    then the command of that name says what there is.
    """
    open_closed_streams()
    if sys.platform in {"win32", "cygwin", "msys"}:
        print("pit-memory: native Windows isn't supported; use it inside WSL", file=sys.stderr)
        return 1
    from launcher.build import prepare

    build_only = arguments == ["--build"]
    is_setup = arguments[:1] == ["setup"] and not {"-h", "--help"}.intersection(arguments)
    try:
        python = prepare(
            ROOT,
            os.environ,
            retry_model=build_only or is_setup,
            add_team=is_setup and "--team" in arguments,
        )
    except PitMemoryError as error:
        is_full = isinstance(error, StorageFullError) and DATA_WAY_OUT not in str(error)
        print(f"pit-memory: {error}{f'; {DATA_WAY_OUT}' if is_full else ''}", file=sys.stderr)
        return exit_code(error)
    except KeyboardInterrupt:
        print("pit-memory: set-up interrupted; the next run starts it again", file=sys.stderr)
        return 130
    if not build_only:
        os.execv(python, [str(python), "-I", "-m", "pit_memory", *arguments])  # noqa: S606
    return 0


def _newest_change_ns(root: Path) -> int:
    """Return when anything an environment is made from last changed.

    By ctime, which nobody can set back: a file replaced by an older one counts too. Whatever is
    gone has changed its folder.
    """
    newest = 0
    folders = []
    try:
        for name in WATCHED:
            path = root / name
            newest = max(newest, path.stat().st_ctime_ns)
            if path.is_dir():
                folders.append(str(path))
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.name != "__pycache__":
                        newest = max(newest, entry.stat(follow_symlinks=False).st_ctime_ns)
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
    except OSError:
        return sys.maxsize
    return newest


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
