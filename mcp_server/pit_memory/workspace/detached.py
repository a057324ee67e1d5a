"""Start a process that outlives this one, and is nobody's child."""

import subprocess
import sys
from collections.abc import Mapping, Sequence


def start_detached(arguments: Sequence[str], environ: Mapping[str, str], folder: str) -> None:
    """Run this package's command line in a process of its own; returns at once.

    Args:
        arguments: what follows `pit-memory`.
        environ: its environment.
        folder: its working directory; one that stays, so that no folder of the user is held.
    """
    start_command([sys.executable, "-I", "-m", "pit_memory", *arguments], environ, folder)


def start_command(command: Sequence[str], environ: Mapping[str, str], folder: str) -> None:
    """Run a command in a process of its own; returns at once.

    It has no terminal, no input and no output, and isn't ended with this process. The shell between
    us ends at once: a child that nobody waits for would look alive after its end.

    Args:
        command: the program and its arguments.
        environ: its environment.
        folder: its working directory.

    Raises:
        OSError, subprocess.CalledProcessError: the shell can't be started.
    """
    subprocess.run(
        ["/bin/sh", "-c", '"$@" &', "sh", *command],
        cwd=folder,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        check=True,
    )
