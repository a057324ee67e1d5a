"""Which triggers a call is about."""

import pytest

from pit_memory.core.push.memory_entries import MemoryEntry, triggers_of
from pit_memory.core.push.triggers import matching, tool_names

PUSH = MemoryEntry("gotcha", "push", "Protected", "", "Bash", r"git\s+push.*--force")


def found(entry: MemoryEntry, tool: str, *texts: str) -> bool:
    return bool(list(matching(triggers_of([entry]), tool, texts)))


@pytest.mark.parametrize(
    ("tools", "tool", "is_meant"),
    [
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Edit|Write", "Write", True),
        ("*", "anything", True),
        ("mcp__github__*", "mcp__github__push", True),
        ("mcp__github__*", "mcp__gitlab__push", False),
        ("a.b", "axb", False),
    ],
)
def test_tools_are_meant_by_name_or_by_a_star(tools: str, tool: str, is_meant: bool):
    assert found(PUSH._replace(trigger_tool=tools, trigger_pattern=""), tool, "x") is is_meant


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("git push --force", True),
        ("cd x\ngit  push origin --force-with-lease", True),
        ("git push", False),
        ("git commit --force", False),
        ("", False),
    ],
)
def test_a_pattern_is_searched_in_every_text(text: str, matches: bool):
    assert found(PUSH, "Bash", "says why", text) is matches


def test_the_ends_of_a_line_are_ends():
    entry = PUSH._replace(trigger_pattern="^make deploy$")
    assert found(entry, "Bash", "make test\nmake deploy\nls")
    assert not found(entry, "Bash", "make deploy-docs")


def test_without_a_pattern_every_call_of_the_tool_matches():
    entry = PUSH._replace(trigger_pattern="")
    assert found(entry, "Bash")
    assert not found(entry, "Read", "git push --force")


def test_entries_without_a_trigger_are_none():
    assert triggers_of([PUSH._replace(trigger_tool="", trigger_pattern="")]) == ()


def test_the_tools_of_all_triggers_are_named_once():
    entries = [PUSH, PUSH._replace(trigger_tool="Edit|Bash"), PUSH._replace(trigger_tool="*")]
    assert tool_names(triggers_of(entries)) == ("*", "Bash", "Edit")
