"""What a connection may see and do, through an in-memory client over a real project."""

import asyncio

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from pit_memory.core.serving.access import LOCAL, Access, readable
from pit_memory.server.factory import NEEDS, build_server
from pit_memory.wiring import open_services
from tests.builders import make_repository, write_files

pytestmark = pytest.mark.timeout(90)

FILES = {
    "docs/team.md": "# Zanzibar for the team\n\nThe zanzibar valve is opened by hand.\n",
    "docs/customer.md": (
        "---\naudience: customer\n---\n# Zanzibar for customers\n\nCall us about zanzibar.\n"
    ),
    "docs/agents.md": (
        "---\naudience: ai_internal\n---\n# Zanzibar for agents\n\nNever name zanzibar.\n"
    ),
}


@pytest.fixture
def project(tmp_path):
    write_files(tmp_path, FILES)
    return tmp_path


def call(project, access, tool, *, shared=False, **arguments):
    with open_services(project, background="none", shared=shared) as services:
        server = build_server(services, who_asks=lambda: access)

        async def call():
            async with Client(server) as client:
                return await client.call_tool(tool, arguments, raise_on_error=False)

        return asyncio.run(call()).content[0].text


@pytest.mark.parametrize(
    ("audiences", "seen"),
    [
        (("customer",), {"customer"}),
        (("team", "customer"), {"team", "customer"}),
        (LOCAL.audiences, {"team", "customer", "agents"}),
    ],
)
def test_a_connection_finds_and_reads_only_documents_of_its_audiences(project, audiences, seen):
    access = Access("someone", audiences=audiences)

    text = call(project, access, "docs_search", query="zanzibar")

    assert {name for name in ("team", "customer", "agents") if f"docs/{name}.md" in text} == seen
    for name in ("team", "customer", "agents"):
        section = call(project, access, "docs_read", ref=f"docs/{name}.md")
        assert ("Zanzibar for" in section) == (name in seen)


def test_what_a_connection_may_not_read_is_told_like_what_is_not_there(project):
    access = Access("someone", audiences=("customer",))

    hidden = call(project, access, "docs_read", ref="docs/team.md")
    missing = call(project, access, "docs_read", ref="docs/teas.md")

    assert hidden.replace("team", "teas") == missing
    assert "agents" not in missing


def test_a_connection_is_told_only_of_incident_records_that_it_may_see(project):
    write_files(project, {"docs/incidents/leak.md": "# The valve leaked\n\nA seal was worn.\n"})
    outside = Access("someone", audiences=("customer",))

    def told(access):
        return call(project, access, "docs_search", query="printer out of toner")

    assert "there is 1 incident record" in told(LOCAL)
    assert "incident" not in told(outside)


def test_text_that_moved_out_of_sight_is_not_found_by_its_hash(project):
    ref = call(project, LOCAL, "docs_search", query="zanzibar valve").split()[1]
    (project / "docs/team.md").rename(project / "docs/moved.md")
    call(project, LOCAL, "docs_search", query="zanzibar valve")

    assert "docs/moved.md" in call(project, LOCAL, "docs_read", ref=ref)
    outside = Access("someone", audiences=("customer",))
    assert "moved" not in call(project, outside, "docs_read", ref=ref)


def test_a_tool_that_a_connection_lacks_is_neither_listed_nor_called(project, monkeypatch):
    monkeypatch.setitem(NEEDS, "docs_read", "assignment")

    async def tools_and_call(access):
        async with Client(build_server(services, who_asks=lambda: access)) as client:
            names = [tool.name for tool in await client.list_tools()]
            answer = await client.call_tool("docs_read", {"ref": "docs/team.md"})
            return names, answer

    with open_services(project, background="none") as services:
        names, _ = asyncio.run(tools_and_call(Access("agent", assignment="acme")))
        assert "docs_read" in names
        with pytest.raises(ToolError, match="Unknown tool"):
            asyncio.run(tools_and_call(LOCAL))


@pytest.mark.parametrize("audience", ["team", "ai_internal"])
def test_a_server_for_a_team_reads_out_only_what_a_search_would_show(tmp_path, audience):
    page = "# Wombat\n\nwombats\n"
    unseen = ("private/a.md", "ignored.md", ".hidden.md", "docs/link.md")
    project = make_repository(
        tmp_path / "project",
        {
            ".pit-memory.toml": '[docs]\nexclude = ["private/**"]\n',
            ".gitignore": "ignored.md\n",
            "docs/seen.md": page,
        },
    )
    write_files(project, dict.fromkeys(unseen[:3], page))
    (project / "docs/link.md").symlink_to("../private/a.md")
    access = Access("someone", audiences=readable([audience]))

    def told(ref, *, shared=True):
        return call(project, access, "docs_read", ref=ref, shared=shared)

    assert "wombats" in told("docs/seen.md")
    for ref in unseen:
        assert told(ref).startswith(f"{ref} names nothing: there is no such file")
    assert "wombats" in told("private/a.md", shared=False)
