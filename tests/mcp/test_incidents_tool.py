"""`incidents_search` through an in-memory client, over a real project."""

import asyncio

import pytest
from fastmcp import Client

from pit_memory.server.factory import build_server
from pit_memory.wiring import open_services
from tests.builders import write_files
from tests.incident_records import RECORDS


@pytest.fixture
def ask(tmp_path, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    with open_services(write_files(tmp_path / "shop", RECORDS), background="none") as services:
        server = build_server(services)

        async def call(tool, arguments):
            async with Client(server) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        def ask(tool="incidents_search", **arguments):
            answer = asyncio.run(call(tool, arguments))
            return answer.content[0].text, answer.is_error

        yield ask


def test_an_agent_gets_the_past_fix(ask):
    text, failed = ask(query="checkout returns 502", service="checkout", since="2024-01-01")
    assert not failed
    assert text.startswith("1. docs/incidents/2024-05-17-checkout.md#")
    assert "resolution: Lowered the retries" in text


def test_what_an_agent_records_is_found_at_once(ask):
    record = """\
---
date: 2024-06-01
services: [mail]
---
## Symptom

Newsletters arrived twice.

## Resolution

The zanzibar worker was stopped.
"""
    receipt, failed = ask(
        "memory_write", content=record, kind="incident", title="Newsletters sent twice"
    )
    assert not failed
    assert "docs/incidents/2024-06-01-newsletters-sent-twice.md" in receipt
    text, _ = ask(query="newsletters arrive twice", service="mail")
    assert "resolution: The zanzibar worker was stopped." in text


def test_a_long_log_is_taken_whole(ask):
    log = "".join(f"2026-01-01 10:00:{n % 60:02} INFO request {n} done\n" for n in range(900))
    log += "2026-01-01 10:11:12 ERROR QueuePool limit of size 5 overflow 10 reached\n"
    text, failed = ask(query=log)
    assert not failed
    assert text.startswith("1. docs/incidents/2024-05-17-checkout.md#")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": "502", "since": "2999-01-01"}, "since is 2999-01-01, which is in the future"),
        ({"query": "502", "since": "soon"}, "since is 'soon', which is no date"),
        ({"query": " "}, "the question is empty"),
        ({"query": "x" * 60_000}, "query"),
    ],
    ids=["future", "no date", "empty", "too long"],
)
def test_a_wrong_argument_is_told_in_one_line(ask, arguments, said):
    text, failed = ask(**arguments)
    assert failed
    assert said in text
    assert "\n" not in text.strip()
