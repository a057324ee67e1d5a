"""Starts a build that outlives whoever asked for it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from pit_memory.workspace.places import places


def start_detached(root: Path, environ: Mapping[str, str]) -> None:
    """Build the environment of a plugin folder in a process that is nobody's child.

    It prints nothing; its progress is in the notes about the plugin folder. The shell between us
    ends at once: a child that nobody waits for would look alive after its end.

    Raises:
        OSError, subprocess.CalledProcessError: the process can't be started.
    """
    cache = f"pycache_prefix={places(environ).data}/pycache"
    script = str(root / "mcp_server/launch.py")
    subprocess.run(
        [
            "/bin/sh",
            "-c",
            '"$@" &',
            "sh",
            sys.executable,
            "-I",
            "-S",
            "-X",
            cache,
            script,
            "--build",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env=dict(environ),
        check=True,
    )
