"""One client's session: what the front answers itself, and what it hands to the real server."""

import json
import os
import select
import sys
import time
from collections.abc import Callable, Sequence

import front_answers as say
from front_child import Child
from front_lines import LineReader, LineWriter
from front_requests import why_unreadable

TYPE_CHECKING = False  # `typing` itself would cost more than all our own files.
if TYPE_CHECKING:
    from typing import Protocol

    from front_environment import Standing

    class Buildable(Protocol):
        """What a session asks of `front_environment.Environment`."""

        def command(self) -> Sequence[str] | None:
            """The real server's command; None while there is no environment for it."""

        def build(self) -> Standing:
            """Have the environment built unless it is being built; say where that stands."""


HELD_BYTES = 16 * 1024 * 1024
"""Above this a side that doesn't read is not read from either, or is told to come back later."""
WATCH_SECONDS = 0.25
"""How often we look for what makes no event: a built environment, a client that vanished."""
ROOTS_ID = "pit-memory-front-roots"
"""Id of our question for the project's folder."""
ROOTS_SECONDS = 3.0
"""A client that said it knows its folders has so long to name them."""
QUIET_SECONDS = 0.2
"""The handshake is over when the client is silent for so long; then we look for the environment."""


class Limits:
    """Times in seconds; other ones than the defaults are for tests."""

    def __init__(
        self,
        *,
        warm: float = 0.5,
        unasked: float = 300.0,
        idle: float = 900.0,
        start: float = 60.0,
        build_wait: float = 50.0,
        watched_build_wait: float = 100.0,
        drain: float = 10.0,
    ) -> None:
        self.warm = warm
        """So long after a quiet handshake the real server is started, without a call that asks.

        Its imports take 1.5 s, and a model needs longer than that for its first call.
        """
        self.unasked = unasked
        """A server started that way is let go where nobody has asked it anything by then.

        Most sessions that search at all do so in their first minutes; it takes 100 MB.
        """
        self.idle = idle
        """Without traffic and open calls for so long, the real server is let go."""
        self.start = start
        """The real server must have answered `initialize` by then."""
        self.build_wait = build_wait
        """Calls of one session wait so long for a build, then they are told how far it is.

        Many clients give up on a call after 60 s.
        """
        self.watched_build_wait = watched_build_wait
        """The same for calls whose progress the client shows to somebody."""
        self.drain = drain
        """Open calls may be answered so long after the client closed its end, while it reads."""


class Call:
    """A `tools/call` that waits for the real server to start."""

    def __init__(self, line: bytes, message: say.Json) -> None:
        self.line = line
        self.message = message
        self.since = time.monotonic()
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        self.progress_token = meta.get("progressToken") if isinstance(meta, dict) else None
        self.progress = 0
        """Seconds of waiting that the client has been told of."""


class Session:
    """One client on stdin and stdout."""

    def __init__(
        self,
        answers: say.Answers,
        find_environment: "Callable[[], Buildable]",
        limits: Limits,
        *,
        asks_for_folder: bool,
    ) -> None:
        """Take what answers need.

        Args:
            answers: to everything but calls.
            find_environment: called once, after the handshake.
            limits: times.
            asks_for_folder: we were not started in the project; ask the client where it is.
        """
        self._answers = answers
        self._find_environment = find_environment
        self._environment: Buildable | None = None
        self._limits = limits
        self._client = LineReader(sys.stdin.fileno())
        self._out = LineWriter(sys.stdout.fileno())
        self._child: Child | None = None
        self._hello: say.Json | None = None
        """What the client sent with `initialize`."""
        self._waiting: list[Call] = []
        self._folder: str | None = None if asks_for_folder else ""
        """The project's folder; empty for the current one, None until the client named it."""
        self._folder_due: float | None = None
        """When we stop waiting for it; None until we asked."""
        self._warm_at: float | None = None
        """When the real server is started without a call; None before we know, and after."""
        self._waiting_since: float | None = None
        """When the first call began to wait for the environment."""
        self._last_traffic = time.monotonic()
        self._leave_at: float | None = None
        """When we leave though calls are open; None until the client closed its end."""

    def run(self) -> None:
        """Serve until the client closes its end; nothing stays behind."""
        try:
            while not self._finished():
                self._move_lines()
                self._do_what_is_due()
        except BrokenPipeError:
            pass  # The client is gone, and with it everything that could still be said.
        finally:
            self._let_child_go()

    def _finished(self) -> bool:
        if not self._client.closed:
            return False
        if self._leave_at is None:
            self._leave_at = time.monotonic() + self._limits.drain
        busy = self._waiting or (self._child and self._child.open_requests) or len(self._out)
        return not busy or time.monotonic() >= self._leave_at or not self._out.has_reader()

    # -- lines and times --

    def _move_lines(self) -> None:
        """Wait for traffic or for the next thing that is due, then move lines."""
        child = self._child
        readers: list[LineReader] = []
        if len(self._out) < HELD_BYTES:
            readers += [] if self._client.closed else [self._client]
            readers += [child.lines] if child else []
        writers = [self._out] if len(self._out) else []
        writers += [child.writer] if child and len(child.writer) else []
        readable, writable, _ = select.select(
            [reader.fd for reader in readers],
            [writer.fd for writer in writers],
            [],
            self._seconds_to_sleep(),
        )
        if self._out.fd in writable:
            self._out.write()
        if self._client.fd in readable:
            self._read_client()
        if child and child.lines.fd in readable:
            self._read_child(child)
        if child and child is self._child and child.writer.fd in writable:
            self._write_child(child)
        if not readable and not writable and self._environment is None:
            self._look_for_environment()

    def _seconds_to_sleep(self) -> float | None:
        """Time until something is due by itself; None to sleep until there is traffic."""
        now = time.monotonic()
        due: list[float] = []
        if self._environment is None:
            due.append(QUIET_SECONDS)
        if self._leave_at is not None:
            due.append(min(WATCH_SECONDS, self._leave_at - now))
        if self._child is None:
            due += [WATCH_SECONDS] if self._waiting else []
            due += [self._warm_at - now] if self._warm_at is not None else []
        elif not self._child.ready:
            due.append(self._child.started + self._limits.start - now)
        elif not self._child.open_requests:
            due.append(self._last_traffic + self._idle_limit(self._child) - now)
        return max(0.0, min(due)) if due else None

    def _do_what_is_due(self) -> None:
        now = time.monotonic()
        child = self._child
        if child is None:
            if self._waiting:
                self._bring_up()
            elif self._warm_at is not None and now >= self._warm_at:
                self._warm_up()
        elif not child.ready:
            if now > child.started + self._limits.start:
                self._child_ended(f"no answer to initialize within {self._limits.start:.0f} s")
        elif not child.open_requests and now >= self._last_traffic + self._idle_limit(child):
            self._let_child_go()

    def _idle_limit(self, child: Child) -> float:
        return self._limits.idle if child.was_asked else self._limits.unasked

    # -- the client --

    def _read_client(self) -> None:
        self._last_traffic = time.monotonic()
        for line in self._client.read():
            self._from_client(line)

    def _from_client(self, line: bytes | None) -> None:
        if line is None:
            self._refuse(say.INVALID_REQUEST, "a line that is too long was dropped")
            return
        try:
            message = json.loads(line.decode())  # of bytes it would take what the server does not
        except (ValueError, RecursionError):
            self._refuse(say.PARSE_ERROR, "not JSON; send one JSON-RPC message a line")
            return
        if not isinstance(message, dict):
            self._refuse(say.INVALID_REQUEST, "not a JSON-RPC message; it must be an object")
            return
        method = message.get("method")
        if isinstance(method, str) and "id" in message:
            self._request(line, message, method)
        elif isinstance(method, str):
            self._notification(line, message, method)
        elif message.get("id") == ROOTS_ID:
            self._folder = say.first_folder(message)
        elif "result" in message or "error" in message:
            self._pass_on(line)
        else:
            self._refuse(say.INVALID_REQUEST, "not a JSON-RPC message; it has no method")

    def _refuse(self, code: int, why: str) -> None:
        self._out.add(say.error(None, code, why))

    def _request(self, line: bytes, message: say.Json, method: str) -> None:
        request_id = message["id"]
        if isinstance(request_id, bool) or not isinstance(request_id, (str, int)):
            self._refuse(say.INVALID_REQUEST, "the id must be a string or an integer")
        elif why := why_unreadable(line, message):
            self._out.add(say.error(request_id, say.INVALID_REQUEST, why))
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
            self._cancel(params.get("requestId") if isinstance(params, dict) else None)
        if method != "notifications/initialized":
            self._pass_on(line)

    def _cancel(self, request_id: object) -> None:
        cancelled = say.key(request_id)
        self._waiting = [call for call in self._waiting if say.key(call.message["id"]) != cancelled]
        if self._child is not None:
            self._child.forget(request_id)

    def _pass_on(self, line: bytes) -> None:
        if self._child is not None and self._child.ready:
            self._child.writer.add(line)

    def _forward(self, child: Child, line: bytes, message: say.Json) -> None:
        if len(child.writer) > HELD_BYTES:
            self._give_up(
                message, "pit-memory is behind with earlier calls; wait for their answers"
            )
        else:
            child.forward(line, message)

    def _give_up(self, message: say.Json, why: str) -> None:
        """Answer a request that the real server can't answer."""
        method = str(message["method"])
        if method == "tools/call":
            self._out.add(say.failed_call(message["id"], why))
        else:
            self._out.add(self._answers.other(message["id"], method))

    # -- the environment --

    def _look_for_environment(self) -> None:
        """Have the environment built, where it is missing, before the first call needs it."""
        self._environment = self._find_environment()
        if self._environment.command() is None:
            self._environment.build()
        elif self._hello is not None:
            self._warm_at = time.monotonic() + self._limits.warm

    def _bring_up(self) -> None:
        """Start the real server for the waiting calls, or tell them why not."""
        if self._environment is None:
            self._environment = self._find_environment()
        command = self._environment.command()
        if command is not None:
            if self._knows_folder():
                self._start(command)
            return
        standing = self._environment.build()
        now = time.monotonic()
        if self._waiting_since is None:
            self._waiting_since = now
        waited = now - self._waiting_since
        then = "" if standing.failed else ", and call again later in this session"
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            if standing.failed or self._client.closed or waited > self._patience(call):
                self._give_up(call.message, f"{standing.sentence}. Use grep meanwhile{then}.")
            else:
                self._report_progress(call, now, standing.sentence)
                self._waiting.append(call)

    def _patience(self, call: Call) -> float:
        """How long a call may wait for the environment."""
        watched = call.progress_token is not None
        return self._limits.watched_build_wait if watched else self._limits.build_wait

    def _knows_folder(self) -> bool:
        """Ask the client for the project's folder where we need to; False while it may answer."""
        if self._folder is not None:
            return True
        now = time.monotonic()
        capabilities = (self._hello or {}).get("capabilities")
        if not isinstance(capabilities, dict) or "roots" not in capabilities:
            self._folder = ""
        elif self._folder_due is None:
            self._folder_due = now + ROOTS_SECONDS
            self._out.add(say.request(ROOTS_ID, "roots/list", {}))
        elif now > self._folder_due or self._client.closed:
            self._folder = ""
        return self._folder is not None

    def _report_progress(self, call: Call, now: float, sentence: str) -> None:
        """Tell a client that asked for it, once a second, how far the environment is."""
        elapsed = int(now - call.since) + 1
        if call.progress_token is None or elapsed <= call.progress:
            return
        call.progress = elapsed
        params = {"progressToken": call.progress_token, "progress": elapsed, "message": sentence}
        self._out.add(say.notification("notifications/progress", params))

    # -- the real server --

    def _warm_up(self) -> None:
        """Start the real server before the first call needs it; once a session."""
        self._warm_at = None
        command = self._environment.command() if self._environment else None
        if command is not None and self._folder is not None and not self._client.closed:
            self._last_traffic = time.monotonic()
            self._start(command)

    def _start(self, command: Sequence[str]) -> None:
        self._warm_at = None
        try:
            hello = self._hello or self._answers.first_hello()
            self._child = Child(command, hello, self._folder or None)
        except OSError as error:
            waiting, self._waiting = self._waiting, []
            if self._folder and not os.path.isdir(self._folder):  # noqa: PTH112 - no pathlib yet
                gone = f"the project's folder is gone: {self._folder}; restore it, or start the "
                for call in waiting:
                    self._give_up(call.message, f"{gone}session again in one that is there")
            else:
                self._lose([call.message for call in waiting], f"could not start ({error})")

    def _write_child(self, child: Child) -> None:
        try:
            child.writer.write()
        except BrokenPipeError:
            self._child_ended()

    def _read_child(self, child: Child) -> None:
        self._last_traffic = time.monotonic()
        for line in child.lines.read():
            passed = child.received(line)
            if passed is not None:
                self._out.add(passed)
        if child.refusal or child.lines.closed:
            self._child_ended(child.refusal)
        elif child.ready:
            for call in self._waiting:
                self._forward(child, call.line, call.message)
            self._waiting.clear()

    def _child_ended(self, why: str = "") -> None:
        """Clear up after a real server that ended by itself, or must; its calls are lost."""
        child, self._child = self._child, None
        if child is None:
            return
        how = child.end()
        lost = [*child.open_requests, *(call.message for call in self._waiting)]
        self._waiting.clear()
        self._lose(lost, f"ended ({why or how})")

    def _let_child_go(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _lose(self, requests: Sequence[say.Json], what: str) -> None:
        for message in requests:
            self._give_up(
                message,
                f"pit-memory's search process {what}; this call has no answer. Call again: that "
                "starts a new process. If it happens again use grep; the client's log of the "
                "server `kb` has the reason.",
            )
