"""What is seen of a server over HTTP: its log, whether it is ready, its metrics."""

import json
import logging

import pytest

from pit_memory.server.request_log import JsonLines
from tests.mcp.asgi import HERE, tool_call
from tests.mcp.http_server import token

pytestmark = pytest.mark.timeout(90)


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
