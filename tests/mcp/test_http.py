"""The server over HTTP: tokens, limits, routes; the whole application over a real project."""

import asyncio
import json
import logging
import os
import re
import time

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from joserfc import jwt
from joserfc.jwk import RSAKey

from pit_memory.core.jwt_setting import JwtRule
from pit_memory.core.server_settings import AuthSettings, ServerSettings
from pit_memory.errors import SettingsError, UsageError
from pit_memory.operations.freshness import Freshness
from pit_memory.operations.tokens import add_token, revoke_token
from pit_memory.server.factory import NEEDS, build_server
from pit_memory.server.gate import SIGNED_ROUTES, WATCHED_ROUTES
from pit_memory.server.http import (
    HttpPlace,
    access_of_request,
    authenticator,
    check_tls,
    http_application,
    listen,
)
from pit_memory.server.push_hook import HookRules, PushHook
from pit_memory.server.request_log import JsonLines
from pit_memory.server.tool_calls import ToolCalls
from pit_memory.server.watching import Watching
from pit_memory.wiring import open_services, server_folders
from pit_memory.workspace.token_file import TokenFile
from tests.builders import write_files
from tests.mcp.asgi import ELSEWHERE, HERE, MCP_HEADERS, request, running, tool_call

pytestmark = pytest.mark.timeout(90)

PUBLIC = HttpPlace("0.0.0.0", 8484)  # noqa: S104 -- nothing listens
SEARCH = tool_call("docs_search", query="zanzibar valve")
DOCS = {
    "docs/team.md": "# Zanzibar for the team\n\nThe zanzibar valve is opened by hand.\n",
    "docs/customer.md": "---\naudience: customer\n---\n# Zanzibar for customers\n\nCall us.\n",
}
SCRAPER = "a secret of the scraper"


@pytest.fixture
def tokens(tmp_path):
    return TokenFile(tmp_path / "tokens.json")


def token(tokens, name="agent", **changed):
    given = {"assignment": None, "audiences": ["team"], "writes": False, "expires": "90d"}
    return add_token(tokens, name, **(given | changed)).secret


class Server:
    """A server over a project, asked one request at a time."""

    def __init__(self, services, settings, who, log_content=False):
        self.meter = services.meter
        self.app = build_server(
            services,
            who_asks=access_of_request,
            calls=ToolCalls(NEEDS, self.meter, log_content=log_content),
            folders=server_folders(services.root, services.settings),
        )
        freshness = Freshness(None, services.sync, 600.0)
        Watching(services, self.meter, freshness).add_routes(self.app)
        PushHook(HookRules("", (), ()), freshness.wake, self.meter).add_route(self.app)
        self.asgi = http_application(self.app, settings, who, self.meter)

    def ask(self, *requests):
        """The answers to several requests, in order; each is (method, path, keyword arguments)."""

        async def ask():
            async with running(self.asgi):
                return [
                    await request(self.asgi, method, path, **more)
                    for method, path, more in requests
                ]

        return asyncio.run(ask())

    def call(self, secret=None, body=SEARCH, **more):
        headers = MCP_HEADERS | ({"authorization": f"Bearer {secret}"} if secret else {})
        return self.ask(("POST", "/mcp", {"headers": headers, "body": body, **more}))[0]


@pytest.fixture
def serve(tmp_path, tokens):
    """Make a server; the arguments are settings of the table `server`."""
    project = write_files(tmp_path / "project", DOCS)
    with open_services(project, background="none", shared=True, canary=True) as services:

        def serve(auth=AuthSettings(), place=PUBLIC, log_content=False, **settings):  # noqa: B008
            made = ServerSettings(metrics_token=SCRAPER, **settings)
            return Server(services, made, authenticator(auth, tokens, place), log_content)

        yield serve


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


@pytest.mark.parametrize("host", [PUBLIC.host, "::", "10.1.2.3", "docs.example.org"])
def test_listening_for_other_machines_without_a_token_is_refused(tokens, host):
    with pytest.raises(UsageError, match="pit-memory token add"):
        authenticator(AuthSettings(), tokens, HttpPlace(host, 8484))
    assert authenticator(AuthSettings(), tokens, HttpPlace("::1", 8484)) is None


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "docs.example.org"}, 200),
        ({"host": "docs.example.org", "origin": "https://evil.example"}, 403),
        ({"host": "docs.example.org", "origin": "https://app.example.org"}, 200),
    ],
)
def test_hosts_and_origins_that_are_not_ours_are_turned_away(serve, tokens, more, status):
    secret = token(tokens)
    server = serve(
        allowed_hosts=("docs.example.org",), allowed_origins=("https://app.example.org",)
    )
    headers = MCP_HEADERS | {"authorization": f"Bearer {secret}"}
    headers |= {"origin": more["origin"]} if "origin" in more else {}

    (answer,) = server.ask(
        ("POST", "/mcp", {"headers": headers, "body": SEARCH, "host": more["host"]})
    )

    assert answer.status == status


@pytest.mark.parametrize("body", [b"x" * 2_001, [b"x" * 1_500, b"x" * 1_500]])
def test_a_large_request_is_refused_whether_its_size_is_announced_or_not(serve, tokens, body):
    secret = token(tokens)
    server = serve(max_request_bytes=2_000)

    assert server.call(secret, body).status == 413
    assert server.meter.counts()["pit_memory_limited_requests_total", ("size",)] == 1


def test_a_token_and_an_assignment_have_their_limits(serve, tokens):
    one = token(tokens, "one", assignment="acme")
    two = token(tokens, "two", assignment="acme")
    other = token(tokens, "other", assignment="other")
    # 6 a minute are one at a time.
    server = serve(requests_a_minute=6, assignment_requests_a_minute=12)
    statuses = [server.call(secret, b"{}").status for secret in (one, one, two, two, other)]

    # "two" has a permit of its own left, and "acme" has had both of its permits.
    assert statuses == [400, 429, 400, 429, 400]
    answer = server.call(one, b"{}")
    assert 1 <= int(answer.headers["retry-after"]) <= 10
    assert "try again in" in answer.json["error"]


def test_each_request_has_an_id_in_its_answer_and_its_log_line(serve, tokens, caplog):
    secret = token(tokens)
    server = serve()
    headers = {"authorization": f"Bearer {secret}"}
    caplog.set_level(logging.INFO, logger="pit_memory.requests")

    given, unfit, refused = server.ask(
        ("GET", "/health/live", {"headers": headers | {"x-request-id": "abc-1"}}),
        ("GET", "/health/live", {"headers": headers | {"x-request-id": "no good"}}),
        ("GET", "/health/live", {}),
    )

    assert given.headers["x-request-id"] == "abc-1"
    assert unfit.headers["x-request-id"] not in ("", "no good")
    assert refused.json["request_id"] == refused.headers["x-request-id"]
    assert caplog.records[0].fields["token"] == "agent"  # noqa: S105 -- a name
    assert caplog.records[2].fields["status"] == 401


@pytest.mark.parametrize("log_content", [False, True])
def test_the_log_holds_questions_only_where_that_is_asked_for(serve, tokens, caplog, log_content):
    secret = token(tokens)
    caplog.set_level(logging.INFO, logger="pit_memory")

    serve(log_content=log_content).call(secret)

    lines = [JsonLines().format(record) for record in caplog.records]
    assert any(json.loads(line).get("tool") == "docs_search" for line in lines)
    assert any("zanzibar" in line for line in lines) == log_content
    assert not any(secret in line for line in lines)


def test_readiness_is_what_is_found_of_the_canary(serve, tokens):
    token(tokens)
    ready, _ = serve().ask(
        ("GET", "/health/ready", {"client": HERE}), ("GET", "/health/live", {"client": HERE})
    )
    assert ready.status == 200
    assert (ready.json["words"], ready.json["filters"]) == (True, True)


def test_nobody_finds_the_canary_by_asking(serve, tokens):
    secret = token(tokens, audiences=["ai_internal"])
    text = serve().call(secret, tool_call("docs_search", query="pitmemorycanary bird")).text
    assert "canary.md" not in text


def test_metrics_count_what_was_asked(serve, tokens):
    secret = token(tokens)
    server = serve()
    server.call(secret)
    server.call(secret, tool_call("docs_search", query="", limit=99))
    server.call(secret, tool_call("no_such_tool"))

    (answer,) = server.ask(("GET", "/metrics", {"client": HERE}))
    text = answer.body.decode()

    assert 'pit_memory_searches_total{mode="' in text
    assert 'pit_memory_tool_calls_total{outcome="ok",tool="docs_search"} 1.0' in text
    assert 'pit_memory_tool_calls_total{outcome="refused",tool="docs_search"} 1.0' in text
    assert 'pit_memory_tool_calls_total{outcome="refused",tool="other"} 1.0' in text
    assert "pit_memory_documents_indexed 2.0" in text
    assert 'pit_memory_requests_total{route="/mcp",status="200"} 3.0' in text
    assert "pit_memory_search_seconds_bucket" in text
    assert "canary" not in text.replace("pit_memory_canary", "")


# ---- signed tokens ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def rule(key, tmp_path):
    file = tmp_path / "key.pem"
    file.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    return JwtRule(public_key_file=str(file), issuer="https://id.example", audience="pit-memory")


def signed(key, algorithm="RS256", **claims):
    given = {
        "iss": "https://id.example",
        "aud": "pit-memory",
        "sub": "ada",
        "exp": int(time.time()) + 600,
        "audiences": ["team"],
    } | claims
    return jwt.encode(
        {"alg": algorithm},
        {name: value for name, value in given.items() if value is not None},
        RSAKey.import_key(key),
    )


def test_a_signed_token_lets_its_reader_search(serve, key, rule):
    server = serve(AuthSettings(jwt=rule))

    assert "docs/team.md" in server.call(signed(key)).text
    assert "docs/team.md" not in server.call(signed(key, audiences="customer")).text


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": int(time.time()) - 5},
        {"exp": None},
        {"nbf": int(time.time()) + 3_600},
        {"iss": "https://other.example"},
        {"aud": "another-service"},
        {"aud": None},
        {"sub": None},
        {"audiences": None},
        {"audiences": ["everyone"]},
        {"audiences": [1]},
        {"assignment": ["a", "b"]},
        {"assignment": " "},
        {"assignment": " acme"},
        {"assignment": "../acme"},
        {"assignment": "acme\n"},
        {"assignment": "a" * 201},
    ],
)
def test_a_signed_token_that_is_not_for_us_or_says_too_little_is_refused(serve, key, rule, claims):
    assert serve(AuthSettings(jwt=rule)).call(signed(key, **claims)).status == 401


def test_the_log_says_why_a_signed_token_was_refused(serve, key, rule, caplog):
    server = serve(AuthSettings(jwt=rule))
    caplog.set_level(logging.INFO, logger="pit_memory.requests")
    server.call(signed(key, assignment="a/b"))
    server.call(signed(key))
    lines = [record.fields for record in caplog.records if record.getMessage() == "request"]
    refused, taken = (line["refused"] for line in lines)
    assert "the claim assignment: 'a/b' holds '/'" in refused
    assert taken is None


def test_a_clock_that_is_a_little_behind_refuses_nobody(serve, key, rule):
    token = signed(key, nbf=int(time.time()) + 5, iat=int(time.time()) + 5)
    assert serve(AuthSettings(jwt=rule)).call(token).status == 200


def test_a_token_signed_by_another_key_is_refused(serve, rule):
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    server = serve(AuthSettings(jwt=rule))

    assert server.call(signed(other)).status == 401
    assert server.meter.counts()["pit_memory_token_rejections_total", ("invalid",)] == 1


def test_a_key_that_cannot_be_read_is_an_error_at_the_start(serve, tmp_path):
    wrong = JwtRule(public_key_file=str(tmp_path / "no.pem"), issuer="i", audience="a")
    with pytest.raises(SettingsError, match=r"no\.pem"):
        serve(AuthSettings(jwt=wrong))


# ---- where it listens ---------------------------------------------------------------------------


def test_a_port_in_use_is_named_with_the_way_out():
    with listen(HttpPlace("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=rf"127\.0\.0\.1:{port}.*--port"):
            listen(HttpPlace("127.0.0.1", port))


def test_a_certificate_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "cert.pem").write_text("no certificate")
    with pytest.raises(SettingsError, match=r"cert\.pem"):
        check_tls(HttpPlace("127.0.0.1", 1, str(tmp_path / "cert.pem")))
    with pytest.raises(SettingsError, match="--certfile"):
        check_tls(HttpPlace("127.0.0.1", 1, "", str(tmp_path / "key.pem")))
