"""The process an MCP client starts: answers at once, runs the real server only for tool calls.

Standard library only and small, since every session has one. `initialize` and `tools/list` are
answered from `tools.json`. The first `tools/call` starts the real server from its own environment,
greets it as the client greeted us, and from then on lines pass through unchanged. All modules are
loaded at the start, so that the plugin's folder may be replaced under a running session.
"""

import json
import os
import select
import signal
import sys
import time
from typing import TYPE_CHECKING, NoReturn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - no pathlib

import front_answers as say
from front_child import Child
from front_lines import LineReader, LineWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from front_environment import Environment

HELLO_ID = "pit-memory-front-initialize"
"""Id of the `initialize` that is replayed to the real server; its answer stays here."""
HELD_BYTES = 16 * 1024 * 1024
"""Above this a side that doesn't read is not read from either, or is told to come back later."""
WATCH_SECONDS = 0.25
"""How often we look for what makes no event: a built environment, a client that vanished."""
QUIET_SECONDS = 0.2
"""The handshake is over when the client is silent for so long; then we look for the environment."""


class Limits:
    """Times in seconds; another set than the default is for tests."""

    def __init__(
        self,
        *,
        idle: float = 900.0,
        start: float = 60.0,
        build_wait: float = 45.0,
        drain: float = 10.0,
    ) -> None:
        self.idle = idle
        """Without traffic and open calls for so long, the real server is let go."""
        self.start = start
        """The real server must have answered `initialize` by then."""
        self.build_wait = build_wait
        """A call waits so long for the environment at most: many clients give up after 60 s."""
        self.drain = drain
        """Once the client closed its end but still reads, open calls may be answered for so long."""


class Call:
    """A `tools/call` that waits for the real server."""

    def __init__(self, line: bytes, message: say.Json) -> None:
        self.line = line
        self.message = message
        self.since = time.monotonic()
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        self.progress_token = meta.get("progressToken") if isinstance(meta, dict) else None
        self.progress = 0


class Front:
    """One client's session."""

    def __init__(
        self, answers: say.Answers, environment: "Environment", limits: Limits | None = None
    ) -> None:
        self._answers = answers
        self._environment = environment
        self._limits = limits or Limits()
        self._client = LineReader(sys.stdin.fileno())
        self._out = LineWriter(sys.stdout.fileno())
        self._child: Child | None = None
        self._hello: say.Json | None = None
        self._waiting: list[Call] = []
        self._open: dict[str, say.Json] = {}
        """Requests the real server has not answered yet, by their id as JSON."""
        self._looked = False
        """True once the environment was looked at."""
        self._last_traffic = time.monotonic()
        self._leave_at: float | None = None

    def run(self) -> None:
        """Serve until the client closes its end; nothing stays behind."""
        try:
            while not self._finished():
                self._turn()
                self._advance()
        except BrokenPipeError:
            pass  # The client is gone, and with it everything that could still be said.
        finally:
            self._end_child()

    # -- one turn --

    def _turn(self) -> None:
        """Wait for traffic or the next deadline, then move lines."""
        readers: list[LineReader] = []
        if len(self._out) < HELD_BYTES:
            readers += [] if self._client.closed else [self._client]
            readers += [self._child.lines] if self._child else []
        writers = [self._out] + ([self._child.writer] if self._child else [])
        writers = [writer for writer in writers if len(writer)]
        ready, writable, _ = select.select(
            [reader.fd for reader in readers],
            [writer.fd for writer in writers],
            [],
            self._patience(),
        )
        for writer in writers:
            if writer.fd in writable:
                self._write(writer)
        for reader in readers:
            if reader.fd not in ready:
                continue
            if reader is self._client:
                self._read_client()
            elif self._child and reader is self._child.lines:
                self._read_child(self._child)
        if not ready and not writable and not self._looked:
            self._look()

    def _write(self, writer: LineWriter) -> None:
        try:
            writer.write()
        except BrokenPipeError:
            if writer is self._out:
                raise
            self._child_ended()

    def _patience(self) -> float | None:
        """Seconds until something is due by itself; None to sleep until there is traffic."""
        now = time.monotonic()
        due: list[float] = []
        if not self._looked:
            due.append(QUIET_SECONDS)
        if self._leave_at is not None:
            due.append(min(WATCH_SECONDS, self._leave_at - now))
        if self._waiting and self._child is None:
            due.append(WATCH_SECONDS)
        if self._child is not None and not self._child.ready:
            due.append(self._child.started + self._limits.start - now)
        elif self._child is not None and not self._open:
            due.append(self._last_traffic + self._limits.idle - now)
        return max(0.0, min(due)) if due else None

    def _advance(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        if self._waiting and self._child is None:
            self._bring_up()
        elif self._child is None:
            return
        elif not self._child.ready and now > self._child.started + self._limits.start:
            self._child_ended(f"no answer to initialize within {self._limits.start:.0f} s")
        elif self._child.ready and not self._open and now >= self._last_traffic + self._limits.idle:
            self._end_child()

    def _finished(self) -> bool:
        if not self._client.closed:
            return False
        if self._leave_at is None:
            self._leave_at = time.monotonic() + self._limits.drain
        busy = self._open or self._waiting or len(self._out)
        return not busy or time.monotonic() >= self._leave_at or not self._out.has_reader()

    # -- the client --

    def _read_client(self) -> None:
        self._last_traffic = time.monotonic()
        for line in self._client.read():
            self._from_client(line)

    def _from_client(self, line: bytes | None) -> None:
        if line is None:
            self._out.add(
                say.error(None, say.INVALID_REQUEST, "request dropped: its line is too long")
            )
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._out.add(say.error(None, say.PARSE_ERROR, "not JSON: one JSON-RPC message a line"))
            return
        if not isinstance(message, dict):
            self._out.add(say.error(None, say.INVALID_REQUEST, "not a JSON-RPC message: an object"))
            return
        method = message.get("method")
        if isinstance(method, str) and "id" in message:
            self._request(line, message, method)
        elif isinstance(method, str):
            self._notification(line, message, method)
        elif "id" in message and ("result" in message or "error" in message):
            self._pass_on(line)
        else:
            self._out.add(say.error(None, say.INVALID_REQUEST, "not a JSON-RPC message: no method"))

    def _request(self, line: bytes, message: say.Json, method: str) -> None:
        request_id = message["id"]
        if isinstance(request_id, bool) or not isinstance(request_id, (str, int)):
            self._out.add(say.error(None, say.INVALID_REQUEST, "id must be a string or an integer"))
        elif method == "initialize":
            params = message.get("params")
            self._hello = params if isinstance(params, dict) else {}
            self._out.add(self._answers.initialize(request_id, self._hello))
        elif self._child is not None and self._child.ready:
            self._forward(self._child, line, message)
        elif method == "tools/call":
            self._waiting.append(Call(line, message))
        else:
            self._out.add(self._answers.other(request_id, method))

    def _notification(self, line: bytes, message: say.Json, method: str) -> None:
        if method == "notifications/cancelled":
            params = message.get("params")
            cancelled = _key(params.get("requestId")) if isinstance(params, dict) else ""
            self._waiting = [c for c in self._waiting if _key(c.message["id"]) != cancelled]
            self._open.pop(cancelled, None)  # The answer to a cancelled request never comes.
        if method != "notifications/initialized":
            self._pass_on(line)

    def _pass_on(self, line: bytes) -> None:
        if self._child is not None and self._child.ready:
            self._child.writer.add(line)

    def _forward(self, child: "Child", line: bytes, message: say.Json) -> None:
        if len(child.writer) > HELD_BYTES:
            self._give_up(
                message, "pit-memory is behind with earlier calls. Wait for their answers."
            )
            return
        self._open[_key(message["id"])] = message
        child.writer.add(line)

    def _give_up(self, message: say.Json, why: str) -> None:
        """Answer a request that the real server can't answer."""
        method = str(message["method"])
        if method == "tools/call":
            self._out.add(say.failed_call(message["id"], why))
        else:
            self._out.add(self._answers.other(message["id"], method))

    # -- the environment --

    def _look(self) -> None:
        """Find the environment, or have it built, before the first call needs it."""
        self._looked = True
        if self._environment.command() is None:
            self._environment.build()

    def _bring_up(self) -> None:
        """Start the real server for the waiting calls, or tell them why not."""
        self._looked = True
        command = self._environment.command()
        if command is not None:
            self._start(command)
            return
        state = self._environment.build()
        now = time.monotonic()
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            left = call.since + self._limits.build_wait - now
            if state.failed or self._client.closed or left < 0 or state.seconds_left > left:
                self._give_up(call.message, state.sentence)
            else:
                self._report_progress(call, now, state.sentence)
                self._waiting.append(call)

    def _report_progress(self, call: Call, now: float, sentence: str) -> None:
        """Tell a client that asked for it, once a second, how far the environment is."""
        elapsed = int(now - call.since) + 1
        if call.progress_token is None or elapsed <= call.progress:
            return
        call.progress = elapsed
        params = {"progressToken": call.progress_token, "progress": elapsed, "message": sentence}
        self._out.add(say.notification("notifications/progress", params))

    # -- the real server --

    def _start(self, command: "Sequence[str]") -> None:
        try:
            self._child = Child(command, self._environment.variables())
        except OSError as error:
            self._lose_calls(f"could not start ({error})")
            return
        hello = self._hello or self._answers.first_hello()
        self._child.writer.add(say.request(HELLO_ID, "initialize", hello))

    def _read_child(self, child: "Child") -> None:
        self._last_traffic = time.monotonic()
        for line in child.lines.read():
            self._from_child(child, line)
        if child.lines.closed and child is self._child:
            self._child_ended()

    def _from_child(self, child: "Child", line: bytes | None) -> None:
        try:
            message = json.loads(line or b"")
        except ValueError:
            # Not for the client: a stray print must not break the protocol.
            print(
                f"pit-memory: dropped {(line or b'a line that is too long')[:200]!r}",
                file=sys.stderr,
            )
            return
        if "method" not in message:
            if message.get("id") == HELLO_ID:
                self._greeted(child, message)
                return
            self._open.pop(_key(message.get("id")), None)
        if line is not None:
            self._out.add(line)

    def _greeted(self, child: "Child", answer: say.Json) -> None:
        if "error" in answer:
            self._child_ended(f"it refused the session: {answer['error']}")
            return
        child.ready = True
        child.writer.add(say.notification("notifications/initialized"))
        for call in self._waiting:
            self._forward(child, call.line, call.message)
        self._waiting.clear()

    def _child_ended(self, why: str = "") -> None:
        """Clear up after a real server that ended by itself, or must."""
        if self._child is None:
            return
        how = self._child.end()
        self._child = None
        self._lose_calls(f"ended ({why or how})")

    def _end_child(self) -> None:
        """Let the real server go."""
        if self._child is not None:
            child, self._child = self._child, None
            child.end()

    def _lose_calls(self, what: str) -> None:
        lost = [*self._open.values(), *(call.message for call in self._waiting)]
        self._open.clear()
        self._waiting.clear()
        for message in lost:
            self._give_up(
                message,
                f"pit-memory's search process {what}; this call has no answer. Call again: that "
                "starts a new process. If it happens again use grep; the client's log of the "
                "server `kb` has the reason.",
            )


def _key(request_id: object) -> str:
    """An id as a dictionary key that keeps 1 and "1" apart."""
    return json.dumps(request_id)


def _leave(signum: int, frame: object) -> NoReturn:  # noqa: ARG001
    """End by way of the `finally` that also ends the child."""
    raise SystemExit(0)


def serve(answers: say.Answers, environment: "Environment", limits: Limits | None = None) -> None:
    """Serve one client on stdin and stdout until it leaves or a signal ends us."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    Front(answers, environment, limits).run()


def main() -> None:
    """Serve the client that started us."""
    from front_environment import Environment

    folder = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - no pathlib
    with open(os.path.join(folder, "tools.json"), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        answers = say.Answers(file.read())
    serve(answers, Environment(os.path.dirname(folder)))  # noqa: PTH120


if __name__ == "__main__":
    main()
