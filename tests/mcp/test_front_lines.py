"""Lines that the front refuses, ignores or takes as they are."""

import pytest


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json", -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"17", -32600),
        (b"{}", -32600),
        (b'{"id":null,"method":"ping"}', -32600),
        (b'{"id":{},"method":"tools/call"}', -32600),
        (b'{"id":true,"method":"ping"}', -32600),
        (b'{"id":1,"method":7}', -32600),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32700),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call"}'.encode("utf-16-be"), -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (5 * 1024 * 1024) + b'"}', -32600),
    ],
)
def test_a_line_that_is_no_request_is_refused_and_the_session_goes_on(start, line, code):
    session = start()
    session.send(line)
    assert session.receive()["error"]["code"] == code
    session.call(1, "pid")
    assert int(session.text()) > 0
    session.send(line)
    assert session.receive()["error"]["code"] == code
    session.call(2, "pid")
    assert session.receive()["id"] == 2


def test_notifications_and_answers_nobody_asked_for_are_ignored(start):
    session = start()
    session.notify("notifications/roots/list_changed", {})
    session.notify("notifications/cancelled", {})
    session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 3})
    session.send({"jsonrpc": "2.0", "id": 5, "result": {}})
    session.send(b"")
    session.send(b"   \r")
    session.request(1, "ping")
    assert session.receive()["id"] == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}', "must be an object"),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}', "must be an object"),
        (b'{"id":1,"method":"tools/call","params":{}}', "JSON-RPC 2.0"),
        (b'{"jsonrpc":2,"id":1,"method":"tools/call","params":{}}', "JSON-RPC 2.0"),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":'
            + b"[" * 300
            + b"]" * 300
            + b"}}",
            "deeper than 100",
        ),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\uD800"}}',
            "half of a character",
        ),
    ],
)
def test_a_request_the_server_would_drop_in_silence_is_refused_with_its_id(start, line, why):
    session = start()
    for number in (2, 3):  # Before the server runs, and while it does.
        session.send(line)
        refused = session.receive()
        assert (refused["id"], refused["error"]["code"]) == (1, -32600)
        assert why in refused["error"]["message"]
        session.call(number, "pid")
        assert int(session.text()) > 0


def test_an_emoji_in_escapes_and_many_short_lists_reach_the_server(start):
    session = start()
    session.call(1, "pid", _meta={"emoji": "\N{ZEBRA FACE}", "lists": [[1]] * 500})
    assert int(session.text()) > 0


def test_a_client_that_writes_much_before_it_reads_is_answered(start):
    session = start()
    for number in range(500):
        session.request(number, "tools/list")
    assert [session.receive()["id"] for _ in range(500)] == list(range(500))
