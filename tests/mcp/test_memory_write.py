"""`memory_write` through an in-memory client, over a real repository."""

import asyncio

import pytest
from fastmcp import Client

from pit_memory.core.serving.access import LOCAL, Access
from pit_memory.server.factory import build_server
from pit_memory.wiring import open_services
from tests.builders import git, make_repository

GATEWAY = "The gateway listens on port 8443 and restarts nightly at 03:10."


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    return make_repository(tmp_path / "project", {"docs/x.md": "# X\n\nold\n"})


@pytest.fixture
def ask(root):
    """Call a tool as somebody; returns (text, whether the agent reads it as an error)."""

    def ask(tool, access=LOCAL, **arguments):
        async def call():
            async with Client(build_server(services, who_asks=lambda: access)) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        answer = asyncio.run(call())
        assert answer.structured_content is None
        return answer.content[0].text, answer.is_error

    with open_services(root, background="none") as services:
        yield ask


def test_the_receipt_leads_with_who_can_see_it_and_the_search_finds_it_at_once(ask, root):
    text, failed = ask("memory_write", content=GATEWAY, kind="reference", title="Gateway port")
    assert not failed
    lines = text.split("\n")
    assert lines[0].startswith("Visible to everyone with this repository")
    assert lines[1].startswith("reference: docs/_drafts/gateway-port.md#gateway-port@")
    assert lines[2].startswith("committed ")
    assert lines[3] == "retrievable now: a search has just found it"
    assert lines[4].startswith("why there: ")
    ref = lines[1].removeprefix("reference: ")
    assert ref in ask("docs_search", query="when does the gateway restart")[0]
    assert GATEWAY in ask("docs_read", ref=ref)[0]
    assert git(root, "status", "--porcelain") == ""


def test_what_is_there_already_is_shown_and_force_writes_it_all_the_same(ask):
    ask("memory_write", content=GATEWAY, kind="reference", title="Gateway port")
    text, failed = ask("memory_write", content=GATEWAY, kind="reference")
    assert not failed
    assert text.startswith("Not written")
    assert "docs/_drafts/gateway-port.md#gateway-port@" in text
    assert "force=true" in text
    forced, _ = ask("memory_write", content=GATEWAY, kind="reference", force=True)
    assert forced.startswith("Visible to ")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"kind": "rule"}, "content: missing; it is required"),
        ({"content": "", "kind": "rule"}, "content: it is empty; say what to remember"),
        ({"content": "x", "kind": "gotchas"}, "kind: there is no 'gotchas'; did you mean gotcha?"),
        ({"content": "x", "kind": "rule", "scope": "team"}, "scope: there is no 'team'."),
        ({"content": "x", "kind": "rule", "slug": "y"}, "slug: no such argument; there are "),
        ({"content": "x", "kind": "rule", "force": "perhaps"}, 'force: "perhaps" must be true'),
        ({"content": "x" * 1_000_000, "kind": "rule"}, "content: 1,000,000 characters"),
        ({"content": "ghp_" + "9aB3" * 9, "kind": "rule"}, "content: line 1 holds a secret"),
    ],
)
def test_what_is_wrong_is_one_line(ask, arguments, line):
    text, failed = ask("memory_write", **arguments)
    assert failed
    assert text.startswith(line)
    assert "\n" not in text


def test_a_connection_from_elsewhere_writes_for_the_project_alone(ask, root, home):
    someone = Access("ada", may_write=True)
    text, failed = ask("memory_write", someone, content="Tabs.", kind="preference")
    assert failed
    assert "ada has no folder of its own on this server" in text
    ask("memory_write", someone, content=GATEWAY, kind="reference", title="Gateway")
    assert "author: ada" in (root / "docs/_drafts/gateway.md").read_text()
    assert not (home / "config/memory").exists()


def test_a_connection_that_may_not_write_has_no_such_tool(ask):
    text, failed = ask("memory_write", Access("reader", may_write=False), content="x", kind="rule")
    assert failed
    assert "Unknown tool" in text
