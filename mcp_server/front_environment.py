"""The real server's environment, as the front needs it: a command to run, or how far a build is."""

import time
from pathlib import Path
from typing import NamedTuple

import launch

MODULE = "pit_memory.server"
BEGIN_SECONDS = 5.0
"""A build that was just asked for may take so long to say its first word."""
RETRY_SECONDS = 300.0
"""A build that failed is tried again after this: the cause may be gone."""
MEANWHILE = "Use grep meanwhile, and call again later in this session."


class Standing(NamedTuple):
    """Where the building of the environment stands."""

    sentence: str
    """For the agent: the step reached and the time left, or the reason and the log; what to do."""
    failed: bool


class Environment:
    """The environment of one plugin folder, which may vanish while we run."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._asked: float | None = None
        """When we last asked for a build, by the monotonic clock."""

    def command(self) -> list[str] | None:
        """The real server's command; None while there is no environment for it."""
        python = launch.environment_python(self._root)
        return None if python is None else [str(python), "-I", "-m", MODULE]

    def build(self) -> Standing:
        """Have the environment built unless it is being built; say where that stands."""
        state = launch.build_state(self._root)
        if state is not None and state.running:
            return Standing(
                f"pit-memory is {state.sentence(time.time())}. {MEANWHILE}", failed=False
            )
        now = time.monotonic()
        if self._asked is None or now > self._asked + RETRY_SECONDS:
            self._asked = now
            launch.start_build_detached(self._root)
        if state is None or now < self._asked + BEGIN_SECONDS:
            return Standing(f"pit-memory begins to set itself up. {MEANWHILE}", failed=False)
        return Standing(
            f"pit-memory: {state.sentence(time.time())}. Use grep meanwhile; "
            f"to try again now, run {self._root}/bin/pit-memory status",
            failed=True,
        )
