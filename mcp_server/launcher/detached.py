"""Starts a build that outlives whoever asked for it."""

import sys
from collections.abc import Mapping
from pathlib import Path

from pit_memory.workspace.detached import start_command
from pit_memory.workspace.places import places


def start_build(root: Path, environ: Mapping[str, str]) -> None:
    """Build the environment of a plugin folder; its progress is in the notes about that folder.

    Raises:
        OSError, subprocess.CalledProcessError: the process can't be started.
    """
    cache = f"pycache_prefix={places(environ).data}/pycache"
    script = str(root / "mcp_server/launch.py")
    start_command([sys.executable, "-I", "-S", "-X", cache, script, "--build"], environ, "/")
