"""Serve one client over stdin and stdout, on the event loop alone.

FastMCP's own way reads a line, writes one and flushes it in threads of their own. On an idle
machine each change of thread waits for a processor to wake up.
"""

import os
import select
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from fastmcp import FastMCP
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

_READ_BYTES = 65536
_STDIN, _STDOUT, _STDERR = range(3)

Received = SessionMessage | Exception


def serve(server: FastMCP) -> None:
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


async def _serve(server: FastMCP, stdin: int, stdout: int) -> None:
    into, received = anyio.create_memory_object_stream[Received]()
    answers, outgoing = anyio.create_memory_object_stream[SessionMessage]()
    protocol = server._mcp_server  # FastMCP itself takes no streams
    options = protocol.create_initialization_options()
    async with server._lifespan_manager(), anyio.create_task_group() as tasks:
        tasks.start_soon(_read, stdin, into)
        tasks.start_soon(_write, stdout, outgoing)
        await protocol.run(received, answers, options)


async def _read(stdin: int, into: MemoryObjectSendStream[Received]) -> None:
    """Pass on what the client sends, until it closes its end."""
    async with into:
        async for line in _lines(stdin):
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError as error:
                await into.send(error)
            else:
                await into.send(SessionMessage(message))


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


async def _write(stdout: int, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
    """Hand the client its answers, as much at a time as a pipe takes without blocking."""
    async with outgoing:
        with suppress(BrokenPipeError):  # it is gone
            async for answer in outgoing:
                text = answer.message.model_dump_json(by_alias=True, exclude_unset=True)
                left = memoryview(text.encode() + b"\n")
                while left:
                    if not _takes_more(stdout):
                        with suppress(PermissionError):
                            await anyio.wait_writable(stdout)
                    left = left[os.write(stdout, left[: select.PIPE_BUF]) :]


def _takes_more(stdout: int) -> bool:
    """Tell at once what waiting would find out by way of the event loop."""
    return bool(select.select((), (stdout,), (), 0)[1])
