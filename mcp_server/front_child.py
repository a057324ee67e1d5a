"""The real server as a child process, spoken to in lines."""

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from front_lines import LineReader, LineWriter

LEAVE_SECONDS = 1.0
"""How long a child may take to end after its stdin closed, and once more after SIGTERM."""


class Child:
    """One run of the real server: it ends when its stdin closes, so it never outlives us."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        """Start it; its stderr is ours.

        Raises:
            OSError: the command can't be run.
        """
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, bufsize=0
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("asked for pipes")
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self.lines = LineReader(self._stdout.fileno())
        self.writer = LineWriter(self._stdin.fileno())
        self.started = time.monotonic()
        self.ready = False
        """True once it answered the replayed `initialize`."""

    def end(self) -> str:
        """Close its stdin, wait, and press harder where that isn't enough.

        Returns:
            How it ended, in words: `exit code 3`, `killed by SIGKILL`.
        """
        self._stdin.close()
        for press in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(LEAVE_SECONDS)
                break
            except subprocess.TimeoutExpired:
                press()
        code = self._process.wait()
        self._stdout.close()
        if code >= 0:
            return f"exit code {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
