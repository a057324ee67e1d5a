"""What Claude Code and other agents read about the plugin: one name, version and description."""

import json
import os
import re
import tomllib

import pytest

import pit_memory
from tests.shared_material import PROJECT

CLAUDE_FIELDS = {"name", "version", "description", "author", "license", "keywords"}
AGENT_PLUGINS_FIELDS = {
    "$schema", "name", "version", "description", "author", "homepage", "repository", "license",
    "keywords", "extensions",
}  # fmt: skip
"""Agent Plugins 1.0.0 is closed: clients report and ignore other top-level fields."""
SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
SKILLS = sorted((PROJECT / "skills").glob("*/SKILL.md"))


def manifest(path):
    return json.loads((PROJECT / path).read_text(encoding="utf-8"))


def test_every_manifest_has_the_same_name_version_and_description():
    claude = manifest(".claude-plugin/plugin.json")
    entry = manifest(".claude-plugin/marketplace.json")["plugins"][0]
    agents = manifest("plugin.json")
    package = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    server = manifest("mcp_server/tools.json")["serverInfo"]
    assert [claude["name"], agents["name"], entry["name"], package["name"], server["name"]] == (
        ["pit-memory"] * 5
    )
    assert [claude["version"], agents["version"], server["version"]] == [pit_memory.__version__] * 3
    assert {agents["description"], entry["description"], package["description"]} == {
        claude["description"]
    }


def test_claude_code_finds_a_real_manifest_with_every_field_it_asks_for():
    path = PROJECT / ".claude-plugin/plugin.json"
    assert not path.is_symlink()
    assert set(manifest(".claude-plugin/plugin.json")) >= CLAUDE_FIELDS


def test_the_marketplace_offers_this_very_folder():
    assert [
        plugin["source"] for plugin in manifest(".claude-plugin/marketplace.json")["plugins"]
    ] == ["./"]


def test_the_open_manifest_keeps_to_agent_plugins_1_0():
    agents = manifest("plugin.json")
    assert not (PROJECT / "plugin.json").is_symlink()
    assert agents["$schema"] == f"{SCHEMAS}/plugin.schema.json"
    assert set(agents) <= AGENT_PLUGINS_FIELDS
    assert set(agents["author"]) <= {"name", "email", "url"}
    assert re.fullmatch(r"[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?", agents["name"])


def test_both_kinds_of_client_start_the_same_server():
    claude, agents = manifest(".mcp.json"), manifest("mcp.json")
    assert agents["$schema"] == f"{SCHEMAS}/mcp.schema.json"
    assert claude["mcpServers"]["kb"] == {
        "type": "stdio",
        "command": "${CLAUDE_PLUGIN_ROOT}/bin/pit-memory",
        "args": ["serve"],
    }
    assert agents["mcpServers"]["kb"] == {
        "type": "stdio",
        "command": "./bin/pit-memory",
        "args": ["serve"],
    }
    assert os.access(PROJECT / "bin/pit-memory", os.X_OK)


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_is_named_after_its_folder_and_says_when_to_use_it(path):
    head, _, body = path.read_text(encoding="utf-8").removeprefix("---\n").partition("\n---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines() if not line.startswith(" "))
    assert fields["name"] == path.parent.name
    assert 40 <= len(fields["description"]) <= 1024
    assert body.strip().startswith("# ")


def test_the_search_skill_fits_on_a_screen_and_speaks_of_the_tools_there_are():
    text = (PROJECT / "skills/docs-search/SKILL.md").read_text(encoding="utf-8")
    tools = {tool["name"]: tool for tool in manifest("mcp_server/tools.json")["tools"]}
    spoken_of = set(re.findall(r"`(docs_\w+)", text))
    assert len(text.splitlines()) <= 60
    assert spoken_of == {"docs_search", "docs_read"}
    arguments = set(tools["docs_search"]["inputSchema"]["properties"])
    assert {"limit", "budget", "path", "tags", "include_drafts"} <= arguments
    assert "grep" in text
