"""The generated file behind the front's first answers."""

import json

from pit_memory.core.tokens import estimate
from pit_memory.server.tools_json import tools_json
from tests.shared_material import PROJECT

MAX_SCHEMA_TOKENS = 1500
TEXT = (PROJECT / "mcp_server" / "tools.json").read_text(encoding="utf-8")
TOOLS = {tool["name"]: tool for tool in json.loads(TEXT)["tools"]}


def test_the_file_is_what_the_server_says_today():
    assert tools_json() == TEXT, (
        "run: PYTHONPATH=mcp_server python -m pit_memory.server.tools_json mcp_server/tools.json"
    )


def test_all_schemas_together_are_small():
    shown = [
        {key: tool[key] for key in ("name", "description", "inputSchema")}
        for tool in TOOLS.values()
    ]
    assert estimate(json.dumps(shown)) <= MAX_SCHEMA_TOKENS


def test_the_search_is_always_loaded_and_tools_say_whether_they_only_read():
    always = [name for name, tool in TOOLS.items() if "anthropic/alwaysLoad" in tool["_meta"]]
    assert always == ["docs_search"]
    for name in ("docs_search", "docs_read"):
        assert TOOLS[name]["annotations"] == {"readOnlyHint": True}
    writes = TOOLS["memory_write"]["annotations"]
    assert (writes["readOnlyHint"], writes["destructiveHint"]) == (False, False)


def test_no_tool_promises_structured_content_which_would_hide_the_text():
    assert not any("outputSchema" in tool for tool in TOOLS.values())


def test_the_tools_take_what_the_documentation_says():
    search, read = (TOOLS[name]["inputSchema"] for name in ("docs_search", "docs_read"))
    defaults = {name: value.get("default") for name, value in search["properties"].items()}
    assert defaults == {
        "query": None,
        "limit": 5,
        "budget": 800,
        "path": None,
        "tags": None,
        "include_drafts": True,
    }
    assert {name: value.get("default") for name, value in read["properties"].items()} == {
        "ref": None,
        "budget": 2000,
        "links": None,  # off: an empty default is not shown
    }
    assert (search["required"], read["required"]) == (["query"], ["ref"])
    assert search["additionalProperties"] is False
    assert read["additionalProperties"] is False
