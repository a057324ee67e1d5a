"""Run pit-memory in the environment of its plugin folder; have it built where it is missing or old.

`bin/pit-memory` comes here only when its own glance says that something changed; the steady way is
from sh straight to the environment's interpreter. Standard library only, nothing happens at import.
For the front, which answers before there is an environment:

    environment_python(root)      the interpreter to run, or None: a few stats, no process
    build_state(root)             what a build is doing, or why the last one failed
    start_build_detached(root)    begin a build in a process of its own, unless one runs

What lies where (`<data>` is pit_memory.workspace.places):

    <data>/roots/<plugin folder>/.environment   line 1 the interpreter, line 2 `ready` or what is
                                                still missing; its mtime is when the folder was
                                                last compared: whatever changed later is news
    <data>/roots/<plugin folder>/.build.json    BuildState; `.build.log` beside it
    <data>/envs/...                             see installer.py
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":  # -I leaves the folder of the script out of the path
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120

from pit_memory.errors import PitMemoryError
from pit_memory.workspace.places import Places, envs, places

ROOT = Path(__file__).resolve().parents[1]
"""The plugin folder this file belongs to."""
READY = "ready"
"""Second line of a pointer whose environment lacks nothing."""
WATCHED = ("mcp_server", "requirements.lock", "requirements-model.lock")
"""What an environment is made from, below the plugin folder; `bin/pit-memory` has the same list."""


class BuildState(NamedTuple):
    """Where a build of an environment stands. Written as JSON by the builder at every step."""

    process: int
    """Id of the building process."""
    step: str
    """What it does, as in "installing search libraries"; for people and agents."""
    ends: float
    """When it should be done, by the clock of time.time(): a guess from other machines."""
    error: str
    """Why it failed, with the next step; empty while it runs and when it is done."""
    log: str
    """Path of the log with all that the installers said."""

    @property
    def running(self) -> bool:
        """Tell whether the builder is alive and at work."""
        if self.error or self.step == READY:
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def seconds_left(self, now: float) -> int:
        """Guess the seconds until it is done; at least one while it runs."""
        return max(1, round(self.ends - now))

    def sentence(self, now: float) -> str:
        """Say where it stands in one line."""
        if self.error:
            return f"the set-up failed: {self.error} (log: {self.log})"
        if self.step == READY:
            return "set up"
        if self.running:
            return f"setting up: {self.step}, about {self.seconds_left(now)} s left"
        return f"the set-up was interrupted while {self.step} (log: {self.log})"


def root_folder(where: Places, root: Path) -> Path:
    """Return the folder of what we note about a plugin folder."""
    return Path(f"{where.data}/roots{root}")


def pointer_file(where: Places, root: Path) -> Path:
    """Return the file that names the environment of a plugin folder."""
    return root_folder(where, root) / ".environment"


def state_file(where: Places, root: Path) -> Path:
    """Return the file with the BuildState of a plugin folder."""
    return root_folder(where, root) / ".build.json"


def environment_python(root: Path, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Find the interpreter of the environment that fits a plugin folder as it is now.

    Run it as `python -I -m pit_memory ...`. It may still lack the model (words only until it is
    there; a running process finds it once it is installed).

    Returns:
        None where there is no environment, or the folder changed since it was compared. A plugin
        folder that is gone keeps the environment it had, for the sessions that still run.
    """
    pointer = pointer_file(places(environ), root)
    try:
        compared = pointer.stat().st_mtime_ns
        python = Path(pointer.read_text(encoding="utf-8").split("\n", 1)[0])
    except OSError:
        return None
    if not os.access(python, os.X_OK) or (root.exists() and _newest_change(root) > compared):
        return None
    return python


def build_state(root: Path, environ: Mapping[str, str] = os.environ) -> BuildState | None:
    """Read what a build for a plugin folder is doing, or how the last one ended; None before any."""
    import json

    try:
        text = state_file(places(environ), root).read_text(encoding="utf-8")
        return BuildState(**json.loads(text))
    except (OSError, ValueError, TypeError):  # none yet, or of another version
        return None


def start_build_detached(root: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Build the environment of a plugin folder in a process of its own, unless a build runs.

    It outlives the caller, says nothing, and notes its progress for `build_state`.

    Raises:
        OSError: the process can't be started.
    """
    import subprocess

    state = build_state(root, environ)
    if state is not None and state.running:
        return
    subprocess.Popen(
        [*_bare_python(places(environ)), os.fspath(root / "mcp_server/launch.py"), "--build"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env=dict(environ),
    )


def main(arguments: list[str]) -> int:
    """Make the environment ready and become `pit_memory` in it; with `--build` alone, only that."""
    if sys.platform in {"win32", "cygwin", "msys"}:
        print("pit-memory: native Windows isn't supported; use it inside WSL", file=sys.stderr)
        return 1
    import installer

    try:
        python = installer.prepare(ROOT, os.environ, retry_model=arguments == ["--build"])
    except PitMemoryError as error:
        print(f"pit-memory: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("pit-memory: set-up interrupted; the next run starts it again", file=sys.stderr)
        return 130
    if arguments != ["--build"]:
        os.execv(python, [os.fspath(python), "-I", "-m", "pit_memory", *arguments])
    return 0


def _bare_python(where: Places) -> list[str]:
    """Return this interpreter as it runs files of the plugin folder, which it must not write to."""
    return [sys.executable, "-I", "-S", "-X", f"pycache_prefix={where.data}/pycache"]


def _newest_change(root: Path) -> int:
    """Return the latest change of anything an environment is made from, in nanoseconds.

    The time of change (ctime) can't be set back, so a file that was replaced by an older one counts
    too. What is gone has changed its folder.
    """
    newest = 0
    waiting = [os.fspath(root / name) for name in WATCHED]
    while waiting:
        path = waiting.pop()
        try:
            newest = max(newest, os.stat(path).st_ctime_ns)  # noqa: PTH116
            if path.endswith(".lock"):
                continue
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.name == "__pycache__":
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        newest = max(newest, entry.stat(follow_symlinks=False).st_ctime_ns)
        except OSError:
            return sys.maxsize
    return newest


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
