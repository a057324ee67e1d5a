"""The real server's environment, as a session needs it: a command to run, or how far a build is."""

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import launch
from launcher.notes import READY
from pit_memory.errors import PitMemoryError

MODULE = "pit_memory.server"
BEGIN_SECONDS = 5.0
"""A build that was just asked for may take so long to say its first word."""
RETRY_SECONDS = 300.0
"""A build that failed is tried again after this: the cause may be gone."""


class Standing(NamedTuple):
    """Where the building of the environment stands."""

    sentence: str
    """For the agent: the step reached and the time left, or what failed with the log."""
    failed: bool


class Environment:
    """The environment of one plugin folder, which may vanish while we run."""

    def __init__(self, root: Path, arguments: Sequence[str] = ()) -> None:
        """Take the plugin folder, and arguments for the server."""
        self._root = root
        self._arguments = arguments
        self._asked: float | None = None
        """When we last asked for a build, by the monotonic clock."""

    def command(self) -> list[str] | None:
        """The real server's command; None while there is no environment for it."""
        try:
            python = launch.environment_python(self._root)
        except PitMemoryError:
            return None  # `build` says why.
        return None if python is None else [str(python), "-I", "-m", MODULE, *self._arguments]

    def build(self) -> Standing:
        """Have the environment built unless it is being built; say where that stands."""
        try:
            return self._build()
        except (PitMemoryError, OSError) as error:
            return Standing(f"pit-memory can't be set up: {error}", failed=True)

    def _build(self) -> Standing:
        state = launch.build_state(self._root)
        if state is not None:
            _reap(state.process)
        if state is not None and state.running:
            return Standing(f"pit-memory is {state.sentence(time.time())}", failed=False)
        now = time.monotonic()
        since = None if self._asked is None else now - self._asked
        # One that succeeded and yet left us without a command was outrun by a change of the folder.
        outrun = state is not None and state.step == READY
        if since is None or since > (BEGIN_SECONDS if outrun else RETRY_SECONDS):
            self._asked, since = now, 0.0
            launch.start_build_detached(self._root)
        if state is None or outrun or since < BEGIN_SECONDS:
            return Standing("pit-memory begins to set itself up", failed=False)
        return Standing(f"pit-memory: {state.sentence(time.time())}", failed=True)


def _reap(builder: int) -> None:
    """Let a builder that ended vanish where it is our child: till then it counts as alive.

    It is nobody's child when it starts, and so ours where we are the first process of a container.
    """
    with contextlib.suppress(ChildProcessError):
        os.waitpid(builder, os.WNOHANG)
