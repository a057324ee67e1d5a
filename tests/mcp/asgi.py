"""An ASGI application spoken to directly: any client address, any header, no socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

HERE = "127.0.0.1"
ELSEWHERE = "203.0.113.9"
MCP_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """What a tool answered."""
        text: str = self.json["result"]["content"][0]["text"]
        return text


@asynccontextmanager
async def running(app: Any) -> AsyncIterator[None]:
    """The application between its start and its end."""
    inbox: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    outbox: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    life = asyncio.create_task(app({"type": "lifespan"}, inbox.get, outbox.put))
    await inbox.put({"type": "lifespan.startup"})
    assert (await outbox.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await inbox.put({"type": "lifespan.shutdown"})
        await outbox.get()
        await life


async def request(
    app: Any,
    method: str,
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | list[bytes] = b"",
    client: str = ELSEWHERE,
    host: str = "127.0.0.1:8484",
) -> Answer:
    """Send one request; a list of bodies comes in several pieces without an announced length."""
    pieces = body if isinstance(body, list) else [body]
    given = {"host": host, **(headers or {})}
    if not isinstance(body, list):
        given["content-length"] = str(len(body))
    waiting = [
        {"type": "http.request", "body": piece, "more_body": place + 1 < len(pieces)}
        for place, piece in enumerate(pieces)
    ]
    sent: list[dict[str, Any]] = []
    done = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop(0)
        await done.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in given.items()],
        "client": (client, 40_000),
        "server": ("127.0.0.1", 8484),
    }
    await app(scope, receive, send)
    done.set()
    return Answer(
        sent[0]["status"],
        {k.decode(): v.decode() for k, v in sent[0]["headers"]},
        b"".join(message.get("body", b"") for message in sent[1:]),
    )


def tool_call(tool: str, **arguments: Any) -> bytes:
    """The body of a request that calls a tool."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    ).encode()
