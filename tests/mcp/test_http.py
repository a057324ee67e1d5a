"""The server over HTTP: who is let in by which token, and what of it there is for them."""

import json
import os
import re
import time

import pytest

from pit_memory.core.settings.server_settings import AuthSettings, ServerSettings
from pit_memory.operations.upkeep.tokens import revoke_token
from pit_memory.server.gate import SIGNED_ROUTES, WATCHED_ROUTES
from pit_memory.server.http import HttpPlace, authenticator
from pit_memory.wiring import open_services
from tests.builders import write_files
from tests.mcp.asgi import ELSEWHERE, HERE, MCP_HEADERS, tool_call
from tests.mcp.http_server import DOCS, PUBLIC, SCRAPER, SEARCH, Server, token

pytestmark = pytest.mark.timeout(90)


def test_a_token_lets_its_reader_search(serve, tokens):
    secret = token(tokens)

    answer = serve().call(secret)

    assert answer.status == 200
    assert "docs/team.md#zanzibar-for-the-team@" in answer.text
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("docs_read", {"ref": "../../secret.md"}, "../../secret.md"),
        ("docs_read", {"ref": "docs/gone.md"}, "there is no such file"),
        ("docs_search", {"query": "xyzzy", "path": "nowhere/"}, "seen from the project"),
        ("docs_search", {"query": "zanzibar"}, ".pit-memory.toml:1: there is no setting nonsense"),
    ],
)
def test_a_client_elsewhere_is_told_no_folder_of_the_server(
    tmp_path, tokens, tool, arguments, said
):
    files = DOCS | {".pit-memory.toml": "nonsense = 1\n"}
    project = write_files(tmp_path / "a project", files)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body |= {"params": {"name": tool, "arguments": arguments}}
    secret = token(tokens)
    with open_services(project, background="none", shared=True, canary=True) as services:
        who = authenticator(AuthSettings(), tokens, PUBLIC)
        server = Server(services, ServerSettings(metrics_token=SCRAPER), who)
        text = server.call(secret, json.dumps(body).encode()).text
    assert said in text
    for folder in (str(project), str(tmp_path), os.environ["HOME"]):
        assert folder not in text


def test_a_token_decides_which_documents_exist(serve, tokens):
    token(tokens)
    secret = token(tokens, "shop", audiences=["customer"])

    text = serve().call(secret).text

    assert "docs/customer.md" in text
    assert "docs/team.md" not in text


@pytest.mark.parametrize(
    ("authorization", "reason"),
    [
        (None, "missing"),
        ("", "missing"),
        ("Bearer", "malformed"),
        ("Bearer ", "malformed"),
        ("Basic YTpi", "malformed"),
        ("Bearer pit_wrong", "unknown"),
        ("Bearer a.b.c", "unknown"),
        ("Bearer \xfc", "malformed"),
        ("Bearer two words", "unknown"),
        ("Bearer " + "x" * 5_000, "oversized"),
    ],
)
def test_every_route_without_or_with_a_wrong_token_is_refused(serve, tokens, authorization, reason):
    token(tokens)
    server = serve()
    headers = MCP_HEADERS | ({} if authorization is None else {"authorization": authorization})
    table = [
        (method, route.path)
        for route in server.asgi._app.routes
        for method in sorted(route.methods or {"GET", "POST", "DELETE"})
    ]
    assert {path for _, path in table} == {"/mcp", *WATCHED_ROUTES, *SIGNED_ROUTES}
    table += [("GET", "/"), ("GET", "/mcp/"), ("POST", "/nowhere"), ("GET", "/.well-known/x")]

    answers = server.ask(*((method, path, {"headers": headers}) for method, path in table))

    assert [answer.status for answer in answers] == [401] * len(table)
    named = [answer.headers.get("www-authenticate", "") for answer in answers]
    assert sum(name.startswith("Bearer") for name in named) == len(table) - 1
    key = ("pit_memory_token_rejections_total", (reason,))
    assert server.meter.counts()[key] == len(table) - 1  # a push is checked by its signature


def test_a_fact_is_told_to_its_assignment_and_to_nobody_else(serve, tokens):
    ours = token(tokens, "ours", assignment="acme", writes=True)
    reader = token(tokens, "reader", assignment="acme")
    theirs = token(tokens, "theirs", assignment="other", writes=True)
    nobody = token(tokens, "nobody", writes=True)
    server = serve()
    fact = "The zanzibar contract ends in May."
    stored = server.call(ours, tool_call("kb_memory_store", fact=fact)).text
    found = re.search(r"[0-9a-f]{16}", stored)
    assert found, stored
    recall = tool_call("kb_memory_recall", query="when does the zanzibar contract end")
    read = tool_call("docs_read", ref=f"facts::{found[0]}")

    assert fact in server.call(reader, recall).text
    assert fact in server.call(reader, read).text
    for secret in (theirs, nobody):
        for body in (recall, read, SEARCH):
            assert "contract" not in server.call(secret, body).body.decode().lower()
    take_back = tool_call("kb_memory_retract", document_id=found[0], reason="wrong")
    for secret in (theirs, nobody, reader):
        server.call(secret, take_back)
    assert fact in server.call(ours, recall).text


def test_an_expired_and_a_revoked_token_are_refused_while_the_server_runs(serve, tokens):
    old, gone, good = token(tokens, "old"), token(tokens, "gone"), token(tokens, "good")
    server = serve()
    assert server.call(gone).status == 200

    with tokens.change() as records:
        records[0] = type(records[0])(
            **{name: getattr(records[0], name) for name in records[0].__slots__}
            | {"expires": int(time.time()) - 1}
        )
    revoke_token(tokens, "gone")

    assert "has expired" in server.call(old).json["error"]
    assert "been revoked" in server.call(gone).json["error"]
    assert server.call(good).status == 200


def test_a_damaged_file_of_tokens_lets_nobody_in(serve, tokens, caplog):
    secret = token(tokens)
    server = serve()
    tokens.path.write_text("{broken")

    answer = server.call(secret)

    assert answer.status == 503
    assert str(tokens.path) not in answer.body.decode()
    assert str(tokens.path) in caplog.records[0].fields["reason"]


def test_health_and_metrics_are_for_this_machine_and_the_metrics_token(serve, tokens):
    token(tokens)
    server = serve()
    scraper = {"authorization": f"Bearer {SCRAPER}"}
    through_proxy = {"x-forwarded-for": ELSEWHERE}

    for path in sorted(WATCHED_ROUTES):
        answers = server.ask(
            ("GET", path, {"client": HERE}),
            ("GET", path, {"client": "::1"}),
            ("GET", path, {"headers": scraper}),
            ("GET", path, {"client": HERE, "headers": through_proxy}),
            ("GET", path, {}),
        )
        assert [answer.status for answer in answers] == [200, 200, 200, 401, 401]
    assert server.call(SCRAPER).status == 401


def test_without_any_token_only_this_machine_is_answered(serve):
    server = serve(place=HttpPlace("127.0.0.1", 8484))

    assert "docs/team.md" in server.call(client=HERE).text
    assert server.call(client=ELSEWHERE).status == 401
    headers = MCP_HEADERS | {"x-forwarded-for": ELSEWHERE}
    (proxied,) = server.ask(("POST", "/mcp", {"client": HERE, "headers": headers, "body": SEARCH}))
    assert proxied.status == 401
