"""The environment that a process runs in, as the launcher built it.

Outside of one (a plain `pip install`, the tests) there is nothing to tell: `installation` is None.
Environments are removed when nobody uses them; a process that runs in one holds it.
"""

import fcntl
import json
import os
from pathlib import Path

from pit_memory.core.records import NamedTuple

ABOUT_NAME = "environment.json"
"""In an environment: where its plugin folder, libraries and model are."""
_HELD_NAME = "in-use"


class Installation(NamedTuple):
    """What an environment is made of."""

    environment: Path
    root: Path
    """The plugin folder it was built for; it may be gone."""
    libraries: Path
    model: Path
    """Packages of the embedding model; an empty folder until they are installed."""
    model_failure: str
    """Why the model could not be installed, with the log's name; empty where it was, or may be."""
    team: Path
    """Packages that a team's servers need; no folder unless they were asked for."""


def installation(prefix: Path) -> Installation | None:
    """Read what an environment is made of.

    Args:
        prefix: `sys.prefix` of the process.

    Returns:
        None where the launcher didn't build it.
    """
    try:
        about = json.loads((prefix / ABOUT_NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    try:
        failure = (prefix.parent / about["model_failure"]).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        failure = ""
    return Installation(
        environment=prefix,
        root=Path(about["root"]),
        libraries=prefix.parent / about["libraries"],
        model=prefix.parent / about["model"],
        model_failure=failure,
        team=prefix.parent / about.get("team", "none"),  # none: built by a version without it
    )


def model_is_pending(prefix: Path) -> bool:
    """Tell whether the model is still to be installed into an environment, or could not be.

    Args:
        prefix: `sys.prefix` of the process.
    """
    built = installation(prefix)
    return built is not None and not any(built.model.iterdir())


def hold(prefix: Path) -> None:
    """Keep the environment of this process, if it has one, from being removed until it ends.

    Args:
        prefix: `sys.prefix` of the process.
    """
    if not (prefix / ABOUT_NAME).exists():
        return
    opened = os.open(prefix / _HELD_NAME, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
    fcntl.flock(opened, fcntl.LOCK_SH)  # the descriptor stays open: the kernel frees it at the end


def is_held(environment: Path) -> bool:
    """Tell whether a process runs in an environment."""
    try:
        opened = os.open(environment / _HELD_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(opened)
    return False
