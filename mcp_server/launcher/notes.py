"""What is noted about a plugin folder: its environment, and how the building of it goes.

    <data>/roots/<plugin folder>/.environment   line 1 the interpreter, line 2 `ready` or what is
                                                still missing; its mtime is when the folder was
                                                last compared: whatever changed later is news
    <data>/roots/<plugin folder>/.build.json    a BuildState
    <data>/roots/<plugin folder>/.build.log     what the installers said

The folder's own path serves as the key, since sh can follow it without starting a process. Read by
the front, so this imports little; the writers are build.py and progress.py.
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

from pit_memory.workspace.places import Places

READY = "ready"
"""The environment lacks nothing."""
POINTER_NAME = ".environment"
STATE_NAME = ".build.json"
LOG_NAME = ".build.log"


class Pointer(NamedTuple):
    """The environment of a plugin folder."""

    python: Path
    compared_ns: int
    """When the plugin folder was last compared with it."""


class BuildState(NamedTuple):
    """Where a build of an environment stands; written at every step."""

    process: int
    """Id of the building process."""
    step: str
    """What it does, as in "installing the search libraries"; READY at the end."""
    ends: float
    """When the whole build should be done, by time.time(): a guess from other machines."""
    error: str
    """Why it failed and what to do; empty while it runs and when it is done."""
    log: str
    """Path of the log."""

    @property
    def running(self) -> bool:
        """True while the builder is alive and at work."""
        return not self.error and self.step != READY and _is_alive(self.process)

    def seconds_left(self, now: float) -> int:
        """Guess the seconds until it is done; 0 where it takes longer than it should."""
        return max(0, round(self.ends - now))

    def sentence(self, now: float) -> str:
        """Say in one line where it stands."""
        if self.error:
            return f"the set-up failed: {self.error}"
        if self.step == READY:
            return "set up"
        if not self.running:
            return f"the set-up was interrupted ({self.step}); its log is {self.log}"
        left = self.seconds_left(now)
        return f"{self.step}, " + (f"about {left} s left" if left else "longer than usual")


def root_folder(where: Places, root: Path) -> Path:
    """Return the folder of the notes about a plugin folder (absolute, links followed)."""
    return Path(f"{where.data}/roots{root}")


def read_pointer(where: Places, root: Path) -> Pointer | None:
    """Read which environment a plugin folder has; None before the first build."""
    file = root_folder(where, root) / POINTER_NAME
    try:
        compared_ns = file.stat().st_mtime_ns
        python, _ = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except (OSError, ValueError):
        return None
    return Pointer(Path(python), compared_ns)


def read_state(where: Places, root: Path) -> BuildState | None:
    """Read how the last build went; None before the first."""
    try:
        text = (root_folder(where, root) / STATE_NAME).read_text(encoding="utf-8")
        return BuildState(**json.loads(text))
    except (OSError, ValueError, TypeError):  # none, or one of another version
        return None


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
