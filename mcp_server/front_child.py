"""The real server as a child process, spoken to in lines."""

import json
import signal
import sys
import time
from collections.abc import Sequence

import front_answers as say
from front_lines import LineReader, LineWriter

HELLO_ID = "pit-memory-front-initialize"
"""Id of the `initialize` that is replayed to the real server; its answer stays here."""
POLL_SECONDS = 0.005
LEAVE_SECONDS = 1.0
"""How long a child may take to end after its stdin closed, and once more after SIGTERM."""


class Child:
    """One run of the real server: it ends when its stdin closes, so it never outlives us."""

    def __init__(self, command: Sequence[str], hello: say.Json, folder: str | None) -> None:
        """Start it and greet it as the client greeted us; its stderr is ours.

        Args:
            command: what to run.
            hello: parameters of `initialize`.
            folder: where to run it; None for the current one.

        Raises:
            OSError: the command can't be run.
        """
        import subprocess  # 5 ms that the handshake need not wait for

        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=folder
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("asked for pipes")
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self.lines = LineReader(self._stdout.fileno())
        self.writer = LineWriter(self._stdin.fileno())
        self.writer.add(say.request(HELLO_ID, "initialize", hello))
        self.started = time.monotonic()
        self.ready = False
        """True once it answered the greeting."""
        self.was_asked = False
        """True once a request was handed to it."""
        self.refusal = ""
        """Why it didn't take the greeting."""
        self._open: dict[str, say.Json] = {}

    @property
    def open_requests(self) -> list[say.Json]:
        """Requests that wait for its answer."""
        return list(self._open.values())

    def forward(self, line: bytes, message: say.Json) -> None:
        """Hand over a request."""
        self.was_asked = True
        self._open[say.key(message["id"])] = message
        self.writer.add(line)

    def forget(self, request_id: object) -> None:
        """Stop waiting for an answer: the one to a cancelled request never comes."""
        self._open.pop(say.key(request_id), None)

    def received(self, line: bytes | None) -> bytes | None:
        """Take note of a line it sent; returns it where it is for the client."""
        try:
            message = json.loads(line or b"")
        except ValueError:
            # A stray print must not break the protocol.
            shown = (line or b"a line that is too long")[:200]
            print(f"pit-memory: dropped output of the server: {shown!r}", file=sys.stderr)
            return None
        if "method" in message:
            return line
        if message.get("id") == HELLO_ID:
            self._greeted(message)
            return None
        self.forget(message.get("id"))
        return line

    def _greeted(self, answer: say.Json) -> None:
        if "error" in answer:
            self.refusal = f"it refused the session: {answer['error']}"
            return
        self.ready = True
        self.writer.add(say.notification("notifications/initialized"))

    def _has_ended(self) -> bool:
        """Wait a little for the end."""
        end = time.monotonic() + LEAVE_SECONDS
        while self._process.poll() is None:
            if time.monotonic() >= end:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def end(self) -> str:
        """Close its stdin, wait, and press harder where that isn't enough.

        Returns:
            How it ended, in words: `exit code 3`, `killed by SIGKILL`.
        """
        self._stdin.close()
        if not self.ready:
            self._process.terminate()  # it has done nothing yet, and reads nothing before it is up
        for press in (self._process.terminate, self._process.kill):
            if self._has_ended():
                break
            press()
        code = self._process.wait()
        self._stdout.close()
        if code >= 0:
            return f"exit code {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
