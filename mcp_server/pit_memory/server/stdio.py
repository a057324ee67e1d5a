"""Serve one client over stdin and stdout, on the event loop alone.

FastMCP's own way reads a line, writes one and flushes it in threads of their own. On an idle
machine each change of thread waits for a processor to wake up.

Calls of tools, which are nearly all that a client asks, go past FastMCP's and the protocol's layers
(2 ms a call, a tenth of a search); everything else goes through them.
"""

import json
import os
import select
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup
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

_READ_BYTES = 65536
_STDIN, _STDOUT, _STDERR = range(3)

Received = SessionMessage | Exception
Sent = SessionMessage | str
"""An answer of the protocol's layers, or a line."""


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
    answers, outgoing = anyio.create_memory_object_stream[Sent]()
    protocol = server._mcp_server  # FastMCP itself takes no streams
    options = protocol.create_initialization_options()
    async with server._lifespan_manager(), anyio.create_task_group() as tasks:
        calls = _Calls(server.caller, answers.clone(), tasks)
        tasks.start_soon(_read, stdin, into, calls)
        tasks.start_soon(_write, stdout, outgoing)
        await protocol.run(received, answers, options)


async def _read(stdin: int, into: MemoryObjectSendStream[Received], calls: "_Calls") -> None:
    """Pass on what the client sends, until it closes its end."""
    async with into, calls.answers:
        async for line in _lines(stdin):
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError as error:
                await into.send(error)
            else:
                if not calls.take(message):
                    await into.send(SessionMessage(message))


class _Calls:
    """Answers calls of tools after the handshake, each in a thread of its own."""

    def __init__(
        self, caller: ToolCaller, answers: MemoryObjectSendStream[Sent], tasks: TaskGroup
    ) -> None:
        self._caller = caller
        self.answers = answers
        """To be closed when nothing more comes; calls that are open have their own end."""
        self._tasks = tasks
        self._greeted = False
        self._open: set[RequestId] = set()
        """Ids of the calls that the client waits for."""

    def take(self, message: JSONRPCMessage) -> bool:
        """Answer a message, if it is a plain call; what is special about others is not ours."""
        if isinstance(message, JSONRPCNotification):
            self._greeted |= message.method == "notifications/initialized"
            if message.method == "notifications/cancelled":
                cancelled = (message.params or {}).get("requestId")
                self._open -= {it for it in self._open if it == cancelled}
            return False
        if not (self._greeted and isinstance(message, JSONRPCRequest)):
            return False
        params = message.params or {}
        name, arguments = params.get("name"), params.get("arguments", {})
        if not (
            message.method == "tools/call"
            and params.keys() <= {"name", "arguments", "_meta"}
            and isinstance(name, str)
            and isinstance(arguments, dict)
            and self._caller.exists(name)
        ):
            return False
        self._open.add(message.id)
        end = self.answers.clone()
        self._tasks.start_soon(self._answer, end, message.id, name, arguments)
        return True

    async def _answer(
        self,
        answers: MemoryObjectSendStream[Sent],
        call: RequestId,
        name: str,
        arguments: Mapping[str, Any],
    ) -> None:
        async with answers:
            try:
                text, failed = await to_thread.run_sync(self._caller.call, name, arguments), False
            except ToolError as error:
                text, failed = str(error), True
            if call in self._open:  # else the client has cancelled it
                self._open.discard(call)
                result = {"content": [{"type": "text", "text": text}], "isError": failed}
                answer = {"jsonrpc": "2.0", "id": call, "result": result}
                with suppress(anyio.BrokenResourceError):  # the client is gone
                    await answers.send(json.dumps(answer, ensure_ascii=False))


async def _lines(stdin: int) -> AsyncIterator[str]:
    parts: list[bytes] = []
    while data := await _read_some(stdin):
        *ended, rest = data.split(b"\n")
        for part in ended:
            yield b"".join((*parts, part)).decode(errors="replace")
            parts.clear()
        parts.append(rest)
    if last := b"".join(parts):
        yield last.decode(errors="replace")


async def _read_some(stdin: int) -> bytes:
    with suppress(PermissionError):  # a file is always ready, and nothing waits for one
        await anyio.wait_readable(stdin)
    return os.read(stdin, _READ_BYTES)


async def _write(stdout: int, outgoing: MemoryObjectReceiveStream[Sent]) -> None:
    """Hand the client its answers, as much at a time as a pipe takes without blocking."""
    async with outgoing:
        with suppress(BrokenPipeError):  # it is gone
            async for answer in outgoing:
                left = memoryview(_line(answer).encode(errors="replace") + b"\n")
                while left:
                    if not _takes_more(stdout):
                        with suppress(PermissionError):
                            await anyio.wait_writable(stdout)
                    left = left[os.write(stdout, left[: select.PIPE_BUF]) :]


def _line(answer: Sent) -> str:
    if isinstance(answer, str):
        return answer
    line: str = answer.message.model_dump_json(by_alias=True, exclude_unset=True)
    return line


def _takes_more(stdout: int) -> bool:
    """Tell at once what waiting would find out by way of the event loop."""
    return bool(select.select((), (stdout,), (), 0)[1])
