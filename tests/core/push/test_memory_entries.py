"""Entries in the host's format: read, written, laid over each other."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.kinds import KINDS
from pit_memory.core.push.memory_entries import (
    HOST_TYPES,
    MemoryEntry,
    kind_and_slug,
    merge,
    parse_entry,
    render_entry,
)

NATIVE = """\
---
name: never-delete-the-inode
description: Clear the folder's contents, never the folder
metadata:
  type: feedback
---

Use find -mindepth 1 -delete.
"""
TRIGGERED = """\
---
name: force-push
description: main is protected
metadata:
  type: feedback
  kind: gotcha
  trigger_tool: Bash
  trigger_pattern: 'git push.*--force'
  repeat: true
---
"""


def parse(text: str, name: str = "gotcha_x.md"):
    return parse_entry(name, text, f"memory/{name}")


def rules_of(text: str, name: str = "gotcha_x.md") -> list[str]:
    return [problem.rule for problem in parse(text, name)[1]]


def test_the_kinds_are_those_of_the_collection_memory():
    assert list(HOST_TYPES) == [kind.name for kind in KINDS if kind.collection == "memory"]


def test_a_note_of_the_hosts_own_is_an_entry():
    entry, problems = parse(NATIVE, "gotcha_never-delete-the-inode.md")
    assert problems == ()
    assert entry == MemoryEntry(
        kind="gotcha",
        slug="never-delete-the-inode",
        description="Clear the folder's contents, never the folder",
        body="Use find -mindepth 1 -delete.",
        place="memory/gotcha_never-delete-the-inode.md",
    )


def test_a_trigger_stands_below_metadata():
    entry, problems = parse(TRIGGERED)
    assert (entry.trigger_tool, entry.trigger_pattern) == ("Bash", "git push.*--force")
    assert entry.repeat
    assert entry.has_trigger
    assert problems == ()


def test_a_pattern_without_a_tool_is_about_every_tool():
    entry, _ = parse(TRIGGERED.replace("  trigger_tool: Bash\n", ""))
    assert entry.trigger_tool == "*"


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("rule_a.md", ("rule", "a")),
        ("gotcha_a_b.md", ("gotcha", "a_b")),
        ("feedback_a.md", ("gotcha", "a")),
        ("user_role.md", ("preference", "role")),
        ("MEMORY.md", None),
        ("notes.md", None),
        ("rule_.md", None),
        ("rule_a.txt", None),
        ("rule.md", None),
        ("reference_a.md", None),
    ],
)
def test_a_files_name_says_its_kind_and_slug(name, meaning):
    assert kind_and_slug(name) == meaning


def test_an_entry_without_front_matter_is_its_text():
    entry, problems = parse("\nDon't.\n\nEver.\n\n")
    assert (entry.description, entry.body) == ("", "Don't.\n\nEver.")
    assert problems == ()


@pytest.mark.parametrize("text", ["", "\n\n", "---\nname: x\n---\n", "---\nname: x\n---\n \n"])
def test_an_entry_that_says_nothing_is_none(text):
    assert parse(text)[0] is None
    assert rules_of(text) == ["empty"]


def test_broken_front_matter_is_told_and_the_text_still_counts():
    entry, problems = parse("---\ndescription: git: push\n[x]\n---\nBody\n")
    assert (entry.description, entry.body) == ("git: push", "Body")
    assert [(problem.line, problem.rule) for problem in problems] == [
        (2, "front-matter"),
        (3, "front-matter"),
    ]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (("git push.*--force", "(a+)+$"), "trigger"),
        (("git push.*--force", "("), "trigger"),
        (("tool: Bash", "tool: Bash Edit"), "trigger"),
        (("trigger_tool", "triger_tool"), "unknown-key"),
        (("kind: gotcha", "kind: rule"), "kind"),
        (("repeat: true", "repeat: often"), "repeat"),
    ],
)
def test_a_wrong_key_is_told_and_a_trigger_that_cannot_be_used_is_left_out(change, rule):
    text = TRIGGERED.replace(*change)
    entry, problems = parse(text)
    assert [problem.rule for problem in problems] == [rule]
    assert entry.description == "main is protected"
    if rule == "trigger":
        assert not entry.has_trigger
        assert "always shown" in problems[0].message


one_line = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Zs"]))
entries = st.builds(
    MemoryEntry,
    kind=st.sampled_from(list(HOST_TYPES)),
    slug=st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True),
    description=one_line.filter(bool),
    body=st.text(st.characters(codec="utf-8", exclude_characters="\r")).map(
        lambda text: text.strip("\n")
    ),
    trigger_tool=st.sampled_from(["Bash", "Edit|Write", "*"]),
    trigger_pattern=st.sampled_from(["", "git push.*--force", r"\brm\s", 'it\'s: # "x"']),
    repeat=st.booleans(),
)


@given(entries)
def test_an_entry_is_read_back_as_it_was_written(entry):
    text = render_entry(entry)
    name = f"{entry.kind}_{entry.slug}.md"
    assert parse_entry(name, text, "") == (entry, ())
    front = yaml.safe_load(text.split("\n---\n")[0])
    assert front["name"] == entry.slug
    assert front["description"] == entry.description
    assert front["metadata"]["type"] == HOST_TYPES[entry.kind]


def test_the_strongest_folder_has_the_last_word_on_a_slug():
    shipped, own = (MemoryEntry("rule", "search-first", text, "") for text in ("shipped", "own"))
    other = MemoryEntry("gotcha", "other", "other", "")
    assert merge([shipped, other], [], [own]) == (own, other)
