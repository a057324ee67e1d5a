"""The tools of facts, through an in-memory client: only for an assignment, and only its own."""

import asyncio
import os
from dataclasses import replace

import pytest
from fastmcp import Client

from pit_memory.core.serving.access import LOCAL, Access
from pit_memory.server.factory import build_server
from pit_memory.wiring import open_services
from pit_memory.workspace.places import facts_folder, places

WINDOW = "The deploy window is Tuesday 09:00 UTC."
ALPHA = replace(LOCAL, assignment="alpha")

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def talk(tmp_path):
    (tmp_path / "a.md").write_text("# A\n")
    with open_services(tmp_path, background="none") as services:

        def talk(access: Access, tool: str = "", **arguments: object):
            async def ask():
                async with Client(build_server(services, who_asks=lambda: access)) as client:
                    if not tool:
                        return [it.name for it in await client.list_tools()]
                    called = await client.call_tool(tool, arguments, raise_on_error=False)
                    return called.content[0].text

            return asyncio.run(ask())

        yield talk


def test_without_an_assignment_there_are_no_tools_for_facts(talk):
    facts = {"kb_memory_store", "kb_memory_recall", "kb_memory_retract"}
    assert not facts & set(talk(LOCAL))
    assert facts <= set(talk(ALPHA))
    assert facts & set(talk(replace(ALPHA, may_write=False))) == {"kb_memory_recall"}
    assert talk(LOCAL, "kb_memory_recall", query="x") == "Unknown tool: 'kb_memory_recall'"


def test_a_fact_is_stored_recalled_read_and_retracted(talk):
    stored = talk(ALPHA, "kb_memory_store", fact=WINDOW, topic="deploy")
    ref = stored.split()[1]
    assert stored.startswith(f"stored {ref} for alpha, approved\nretrievable now")
    assert WINDOW not in stored

    assert WINDOW in talk(ALPHA, "kb_memory_recall", query="deploy window")
    assert WINDOW in talk(ALPHA, "docs_read", ref=ref)
    assert WINDOW not in talk(ALPHA, "docs_search", query=WINDOW)
    said = talk(ALPHA, "kb_memory_retract", document_id=ref, reason="they moved")
    assert said.startswith(f"{ref} retracted")
    assert talk(ALPHA, "kb_memory_recall", query="deploy window") == "no fact of alpha answers this"
    assert "names no fact of alpha" in talk(ALPHA, "docs_read", ref=ref)


def test_another_connection_learns_nothing_of_a_fact_not_even_that_it_is_there(talk):
    ref = talk(ALPHA, "kb_memory_store", fact=WINDOW).split()[1]
    beta = Access("b", assignment="beta")
    missing = f"facts::{'0' * 16}"

    assert talk(beta, "kb_memory_recall", query=WINDOW) == "no fact of beta answers this"
    assert talk(beta, "docs_read", ref=ref) == talk(beta, "docs_read", ref=missing).replace(
        missing, ref
    )
    told = talk(beta, "kb_memory_retract", document_id=ref, reason="x")
    assert told == f"document_id: there is no fact {ref[7:]} of beta"
    assert "no assignment is resolved" in talk(LOCAL, "docs_read", ref=ref)
    assert WINDOW in talk(ALPHA, "kb_memory_recall", query="deploy")


def test_who_stored_a_fact_is_the_name_of_the_token(talk):
    ref = talk(Access("ci-bot", assignment="alpha"), "kb_memory_store", fact=WINDOW).split()[1]
    (file,) = facts_folder(places(os.environ)).rglob(f"{ref.removeprefix('facts::')}.md")
    assert "author: ci-bot" in file.read_text()
    with_author = talk(ALPHA, "memory_write", content="Mrs Weaver decides.", kind="fact")
    assert with_author.startswith("Visible to the assignment alpha alone")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("kb_memory_store", {"fact": ""}, 'fact: "" must have at least 1 character'),
        ("kb_memory_store", {"fact": "x" * 2001}, "must have at most 2000 characters"),
        ("kb_memory_store", {"fact": "x", "topic": "t" * 121}, "at most 120 characters"),
        ("kb_memory_store", {"fact": "a\x00b"}, "fact: U+0000 in line 1 is no text"),
        ("kb_memory_store", {"fact": "x", "assignment": "beta"}, "assignment: no such argument"),
        ("kb_memory_recall", {"query": ""}, 'query: "" must have at least 1 character'),
        ("kb_memory_recall", {"query": "x" * 1001}, "at most 1000 characters"),
        ("kb_memory_recall", {"query": "x", "limit": 0}, "limit: 0 must be at least 1"),
        ("kb_memory_recall", {"query": "x", "limit": 21}, "limit: 21 must be at most 20"),
        ("kb_memory_retract", {"document_id": "x", "reason": "y"}, "document_id: 'x' is no id"),
        ("kb_memory_retract", {"document_id": "x"}, "reason: missing; it is required"),
    ],
)
def test_a_wrong_argument_is_told_in_one_line(talk, tool: str, arguments, said: str):
    told = talk(ALPHA, tool, **arguments)
    assert said in told
    assert "\n" not in told
