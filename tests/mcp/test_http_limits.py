"""What the server over HTTP turns away however right the token is: hosts, sizes, too much."""

import pytest

from tests.mcp.asgi import MCP_HEADERS
from tests.mcp.http_server import SEARCH, token

pytestmark = pytest.mark.timeout(90)


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
