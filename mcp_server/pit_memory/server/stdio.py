"""Serve one client over stdin and stdout.

Calls of tools, which are nearly all that a client asks, are answered by whoever reads them, past
FastMCP's and the protocol's layers and their changes of thread: those take 3 ms a call, a tenth of
a search. Everything else goes through them.
"""

import json
import os
import select
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import anyio
from anyio import to_thread
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from fastmcp.exceptions import ToolError
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from pit_memory.server.calling import ToolCaller
from pit_memory.server.factory import ToolServer
from pit_memory.server.taking_turns import TakingTurns

_STDIN, _STDOUT, _STDERR = range(3)

LEAVE_SECONDS: Final = 10
"""A client that closed its end and reads nothing for so long is gone, whoever holds the other."""

Received = SessionMessage | Exception


def serve(server: ToolServer) -> None:
    """Serve until stdin closes."""
    with _own_descriptors() as (stdin, stdout):
        anyio.run(_serve, server, stdin, stdout)


@contextmanager
def _own_descriptors() -> Iterator[tuple[int, int]]:
    """Yield the client's ends; what else reads or prints here meets nothing, and stderr."""
    stdin, stdout = os.dup(_STDIN), os.dup(_STDOUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    os.dup2(_STDERR, _STDOUT)
    try:
        yield stdin, stdout
    finally:
        os.dup2(stdin, _STDIN)
        os.dup2(stdout, _STDOUT)
        os.close(stdin)
        os.close(stdout)


async def _serve(server: ToolServer, stdin: int, stdout: int) -> None:
    into, received = anyio.create_memory_object_stream[Received]()
    answers, outgoing = anyio.create_memory_object_stream[SessionMessage]()
    protocol = server._mcp_server  # FastMCP itself takes no streams
    options = protocol.create_initialization_options()
    out = _Out(stdout, stdin)
    async with (
        server._lifespan_manager(),
        BlockingPortal() as portal,
        anyio.create_task_group() as tasks,
    ):
        client = _Client(server.caller, portal, into, out)
        reading = TakingTurns(stdin, client.sort, client.answer)
        tasks.start_soon(_write, outgoing, out)
        tasks.start_soon(_read, reading, into)
        await protocol.run(received, answers, options)


async def _read(reading: TakingTurns["_Call"], into: MemoryObjectSendStream[Received]) -> None:
    """Read until the client closes its end, and what it asked is answered."""
    async with into:
        reading.start()
        await to_thread.run_sync(reading.join)


@dataclass(slots=True, eq=False)
class _Call:
    """A call of a tool that exists."""

    id: RequestId
    tool: str
    arguments: Mapping[str, Any]
    is_cancelled: bool = False


class _Client:
    """What a client sends: plain calls of tools after the handshake, and everything else."""

    def __init__(
        self,
        caller: ToolCaller,
        portal: BlockingPortal,
        into: MemoryObjectSendStream[Received],
        out: "_Out",
    ) -> None:
        self._caller = caller
        self._portal = portal
        self._into = into
        self._out = out
        self._greeted = False
        self._open: list[_Call] = []
        """Calls that are not answered yet; two may have one id."""

    def sort(self, line: str) -> _Call | None:
        """Return a call; pass everything else on to the protocol's layers."""
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError as error:
            self._portal.call(self._into.send, error)
            return None
        if call := self._call_in(message):
            self._open.append(call)
            return call
        if isinstance(message, JSONRPCNotification):
            self._greeted |= message.method == "notifications/initialized"
            if message.method == "notifications/cancelled":
                self._cancel((message.params or {}).get("requestId"))
        self._portal.call(self._into.send, SessionMessage(message))
        return None

    def answer(self, call: _Call) -> None:
        """Answer a call, unless the client has cancelled it."""
        answer = "" if call.is_cancelled else self._answer_to(call)
        self._open.remove(call)
        if not call.is_cancelled:
            self._out.line(answer)

    def _answer_to(self, call: _Call) -> str:
        try:
            text, failed = self._caller.call(call.tool, call.arguments), False
        except ToolError as error:
            text, failed = str(error), True
        result = {"content": [{"type": "text", "text": text}], "isError": failed}
        answer = {"jsonrpc": "2.0", "id": call.id, "result": result}
        return json.dumps(answer, ensure_ascii=False)

    def _cancel(self, request_id: object) -> None:
        for call in tuple(self._open):
            if call.id == request_id and not isinstance(request_id, bool):  # True is 1 to Python
                call.is_cancelled = True

    def _call_in(self, message: JSONRPCMessage) -> _Call | None:
        """The call that a message is; what is special about another one is not ours."""
        if not (self._greeted and isinstance(message, JSONRPCRequest)):
            return None
        params = message.params or {}
        name, arguments = params.get("name"), params.get("arguments", {})
        if (
            message.method == "tools/call"
            and params.keys() <= {"name", "arguments", "_meta"}
            and _is_plain(params.get("_meta", {}))
            and isinstance(name, str)
            and isinstance(arguments, dict)
            and self._caller.exists(name)
        ):
            return _Call(message.id, name, arguments)
        return None


def _is_plain(meta: object) -> bool:
    """Tell whether what a call says of itself is as it should be."""
    if not isinstance(meta, dict):
        return False
    token = meta.get("progressToken", "")
    return isinstance(token, (str, int)) and not isinstance(token, bool)


async def _write(outgoing: MemoryObjectReceiveStream[SessionMessage], out: "_Out") -> None:
    """Hand the client what the protocol's layers have to say."""
    async with outgoing:
        async for answer in outgoing:
            line = answer.message.model_dump_json(by_alias=True, exclude_unset=True)
            await to_thread.run_sync(out.line, line)


class _Out:
    """The client's end, line by line; several threads may write."""

    def __init__(self, descriptor: int, stdin: int) -> None:
        """Take where to write, and what tells whether the client closed its other end."""
        self._descriptor = descriptor
        self._asks = select.poll()
        self._asks.register(stdin, getattr(select, "POLLRDHUP", 0))
        self._is_gone = False
        self._writing = Lock()

    def line(self, text: str) -> None:
        """Write a line, as slowly as the client reads; nothing where it is gone."""
        left = memoryview(text.encode(errors="replace") + b"\n")
        with self._writing:
            while left and not self._is_gone:
                try:
                    if self._takes_more():
                        left = left[os.write(self._descriptor, left[: select.PIPE_BUF]) :]
                    else:
                        self._is_gone = True
                except BlockingIOError:  # a socket may have room for less
                    continue
                except OSError:  # whatever it is, nothing reaches it any more
                    self._is_gone = True

    def _takes_more(self) -> bool:
        """Wait until the client takes more; False where it has left and takes nothing."""
        waited = 0
        while not select.select((), (self._descriptor,), (), 1)[1]:
            waited = waited + 1 if self._asks.poll(0) else 0
            if waited >= LEAVE_SECONDS:
                return False
        return True
