"""Connections that ask nothing: closed in time; those that ask are left alone."""

import asyncio

import uvicorn

from pit_memory.server.patience import PatientProtocol

REQUEST = b"GET / HTTP/1.1\r\nhost: here\r\n\r\n"


class Hasty(PatientProtocol):
    seconds = 0.3


async def slow_app(scope, _, send):
    if scope["type"] == "http":
        await asyncio.sleep(1.0)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def served(*clients):
    """What each client got, each on a connection of its own."""
    config = uvicorn.Config(slow_app, http=Hasty, log_config=None, lifespan="off", port=0)
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    port = server.servers[0].sockets[0].getsockname()[1]

    async def one(client):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            return await asyncio.wait_for(client(reader, writer), 30)
        finally:
            writer.close()

    try:
        return await asyncio.gather(*map(one, clients))
    finally:
        await server.shutdown()


def sends(data):
    async def client(reader, writer):
        writer.write(data)
        return await reader.read()

    return client


async def sends_half_a_request_after_a_whole_one(reader, writer):
    writer.write(REQUEST)
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(REQUEST[:20])
    return head + await reader.read()


def test_a_connection_that_sends_no_whole_request_is_closed_and_a_slow_answer_is_waited_for():
    nothing, half, whole, second = asyncio.run(
        served(
            sends(b""),
            sends(REQUEST[:20]),
            sends(REQUEST.replace(b"here", b"here\r\nconnection: close")),
            sends_half_a_request_after_a_whole_one,
        )
    )

    assert nothing == b""
    assert half == b""
    assert whole.startswith(b"HTTP/1.1 204")
    assert second.count(b"HTTP/1.1 204") == 1
