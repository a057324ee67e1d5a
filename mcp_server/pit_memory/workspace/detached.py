"""Start a process that outlives this one."""

import subprocess
import sys
from collections.abc import Mapping, Sequence


def start_detached(arguments: Sequence[str], environ: Mapping[str, str], folder: str) -> None:
    """Run this package's command line in a process of its own; returns at once.

    It has no terminal, no input and no output, and isn't ended with this process.

    Args:
        arguments: what follows `pit-memory`.
        environ: its environment.
        folder: its working directory; one that stays, so that no folder of the user is held.
    """
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "pit_memory", *arguments],
        cwd=folder,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        close_fds=True,
    )
    process.returncode = 0  # nobody waits for it: without this, Popen warns when it is forgotten
