"""Starts a build that outlives whoever asked for it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from pit_memory.workspace.places import places


def start_detached(root: Path, environ: Mapping[str, str]) -> None:
    """Build the environment of a plugin folder in a process of its own; nobody waits for it.

    It prints nothing; its progress is in the notes about the plugin folder.

    Raises:
        OSError: the process can't be started.
    """
    cache = f"pycache_prefix={places(environ).data}/pycache"
    script = str(root / "mcp_server/launch.py")
    subprocess.Popen(
        [sys.executable, "-I", "-S", "-X", cache, script, "--build"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env=dict(environ),
    )
