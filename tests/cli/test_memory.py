"""`pit-memory memory` as a person meets it."""

import json
from pathlib import Path

import pytest

from tests.builders import write_files
from tests.cli.commands import run
from tests.shared_material import PROJECT

GOTCHA = """\
---
metadata:
  trigger_tool: Bash
---
Beware of the dog.
"""


@pytest.fixture(autouse=True)
def _plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIT_MEMORY_PLUGIN_ROOT", str(PROJECT))


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(write_files(tmp_path / "project", {"memory/gotcha_dog.md": GOTCHA}))


def test_show_prints_what_a_session_gets_and_nothing_else(capsys, root: str) -> None:
    shown = run(capsys, "memory", "show", "--root", root)
    assert shown.code == 0
    assert shown.out.startswith("# Memory of this project (pit-memory)\n- Search first: ")
    assert shown.out.endswith("\nGotchas:\n- Beware of the dog.\n")
    assert shown.err == ""


def test_show_cost_lists_every_entry_and_the_sum(capsys, root: str) -> None:
    lines = run(capsys, "memory", "show", "--cost", "--root", root).out.splitlines()
    assert "     6  gotcha dog  memory/gotcha_dog.md  also told at Bash calls" in lines
    assert lines[-2].endswith(" of 1,200 tokens at the start of a session")
    sums = [int(line.split()[0].replace(",", "")) for line in lines]
    assert sum(sums[:-2]) == sums[-2]


def test_show_as_json_has_text_and_parts(capsys, root: str) -> None:
    shown = json.loads(run(capsys, "memory", "show", "--json", "--root", root).out)
    assert "Beware of the dog." in shown["text"]
    assert "Beware of the dog." not in shown["subagent"]
    assert shown["parts"][-1] == {
        "kind": "gotcha",
        "slug": "dog",
        "place": "memory/gotcha_dog.md",
        "trigger_tool": "Bash",
        "tokens": 6,
        "shown": True,
    }


def test_lint_is_done_where_all_is_well_and_fails_where_it_is_not(capsys, root: str) -> None:
    clean = run(capsys, "memory", "lint", "--root", root)
    assert (clean.code, clean.out) == (0, "")
    assert "5 entries, 0 problems" in clean.err
    write_files(Path(root), {"memory/rule_x.md": "See docs/no.md#x.\n"})
    dirty = run(capsys, "memory", "lint", "--root", root)
    assert dirty.code == 1
    assert dirty.out.startswith("memory/rule_x.md:1: dead-ref: docs/no.md#x names nothing")
    (problem,) = json.loads(run(capsys, "memory", "lint", "--json", "--root", root).out)["problems"]
    assert (problem["place"], problem["line"], problem["rule"]) == (
        "memory/rule_x.md",
        1,
        "dead-ref",
    )


def test_names_of_files_are_shown_and_not_obeyed(capsys, root: str) -> None:
    write_files(Path(root), {"memory/gotcha_\x1b[2Jcat.md": "", "memory/rule_\x1b[2Jcat.md": "No."})
    assert "memory/gotcha_␛[2Jcat.md: empty: " in run(capsys, "memory", "lint", "--root", root).out
    cost = run(capsys, "memory", "show", "--cost", "--root", root).out
    assert "rule ␛[2Jcat  memory/rule_␛[2Jcat.md" in cost


def test_the_entries_that_ship_are_well_formed_and_cheap(capsys, tmp_path: Path) -> None:
    empty = write_files(tmp_path / "empty", {})
    assert run(capsys, "memory", "lint", "--root", str(empty)).code == 0
    shown = json.loads(run(capsys, "memory", "show", "--json", "--root", str(empty)).out)
    assert shown["tokens"] <= 120
    assert shown["parts"][0]["slug"] == "search-first"


def test_the_projects_own_entries_have_no_problem(capsys) -> None:
    assert run(capsys, "memory", "lint", "--root", str(PROJECT)).out == ""


def test_migrate_lists_the_new_home_of_every_line(capsys, root: str, tmp_path: Path) -> None:
    notes = write_files(
        tmp_path / "notes", {"MEMORY.md": "- [Role](user_role.md)\n", "user_role.md": "My role.\n"}
    )
    arguments = ("memory", "migrate", str(notes), "--root", root)
    planned = run(capsys, *arguments, "--dry-run")
    assert planned.code == 0
    assert "files would be written: 1" in planned.err
    moved = run(capsys, *arguments)
    (said, copied) = moved.out.splitlines()
    assert moved.out == planned.out
    assert said.startswith("MEMORY.md:L1 -> ")
    assert said.endswith("/preference_role.md says it")
    assert copied.startswith("user_role.md:L1 -> ")
    assert copied.endswith("/preference_role.md:L8")
    write_files(notes, {"data.bin": b"\0"})
    again = run(capsys, *arguments)
    assert again.code == 1
    assert "data.bin is left: " in again.out
    assert "files written: 0, there already: 1" in again.err


def test_migrate_of_a_folder_that_is_not_there_says_so(capsys, root: str) -> None:
    missing = run(capsys, "memory", "migrate", "/nowhere", "--root", root)
    assert missing.code == 1
    assert "can't read /nowhere" in missing.err
