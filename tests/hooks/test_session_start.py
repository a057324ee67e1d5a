"""What a session and its subagents are told at their start: each hook as a process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.core.tokens import estimate
from tests.builders import make_repository, write_files
from tests.hooks.launching import environment, point_to_this_python, run_hook
from tests.hooks.pushed_memory import SOURCES, TOLD, project_with_gotcha, start, started, told
from tests.shared_material import PROJECT


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    return project_with_gotcha(tmp_path, home)


def test_a_session_starts_with_the_rules_that_ship_and_the_gotchas_of_the_project(
    project: Path, env: dict[str, str]
):
    block = started(project, env)
    assert "docs_search" in block
    assert f"Gotchas:\n{TOLD}" in block


def test_every_source_prints_the_same_bytes(project: Path, env: dict[str, str]):
    runs = [
        run_hook("session_start", start(project, source, session), env, project).out
        for source in SOURCES
        for session in ("a", "b")
    ]
    assert len(set(runs)) == 1


def test_a_repository_without_entries_costs_a_few_words(tmp_path: Path, home: Path):
    point_to_this_python(home)
    root = make_repository(tmp_path / "empty", {})
    assert 0 < estimate(started(root, environment(home, root))) <= 120


def test_person_and_project_have_their_say_and_the_project_the_last(
    project: Path, env: dict[str, str], home: Path
):
    write_files(
        home / ".config/pit-memory/memory",
        {
            "preference_short.md": "Answers are short.",
            "gotcha_force-push.md": "Push as you like.",
            "MEMORY.md": "My own words.",
        },
    )
    write_files(project, {"memory/MEMORY.md": "# Our words\n"})
    block = started(project, env)
    assert "This person prefers:\n- Answers are short.\nMy own words.\n# Our words" in block
    assert "Push as you like" not in block


def test_the_domain_map_is_what_the_last_look_left(project: Path, env: dict[str, str]):
    write_files(
        project,
        {
            "guides/deploy.md": "# Deploy to production\n\n## One\n\n## Two\n",
            "api/keys.md": "# Signing keys\n",
        },
    )
    before = started(project, env)
    command = [sys.executable, "-m", "pit_memory", "sync", "--root", str(project)]
    python = {"PYTHONPATH": str(PROJECT / "mcp_server"), "PIT_MEMORY_EMBEDDING_PROVIDER": "none"}
    subprocess.run(command, env=env | python, check=True, capture_output=True)
    after = started(project, env)
    assert "Documented here" not in before
    assert after.endswith(
        "\nDocumented here (docs_search):\n- guides: deploy, production\n- api: keys, signing"
    )
    assert started(project, env) == after


def test_settings_say_where_the_entries_are_and_how_much_is_shown(
    project: Path, env: dict[str, str]
):
    write_files(
        project, {".pit-memory.toml": '[memory]\nhome = "team/notes"\n[push]\nbudget = 100\n'}
    )
    write_files(project, {"team/notes/rule_tests.md": "Tests first.\n"})
    assert "main is protected" not in started(project, env)
    (project / ".pit-memory.toml").write_text('[memory]\nhome = "team/notes"\n')
    assert "- Tests first." in started(project, env)
    assert "main is protected" in started(project, env | {"PIT_MEMORY_MEMORY_HOME": "memory"})


def test_settings_that_cannot_be_read_are_told_and_the_rest_is_shown(
    project: Path, env: dict[str, str]
):
    write_files(project, {".pit-memory.toml": "[push\n"})
    block = started(project, env)
    assert "pit-memory settings are not read" in block
    assert TOLD in block


def test_a_memory_folder_that_is_a_file_is_told(project: Path, env: dict[str, str]):
    write_files(project, {"notes": "x", ".pit-memory.toml": '[memory]\nhome = "notes"\n'})
    block = started(project, env)
    assert "(notes: the memory folder can't be read: " in block
    assert "docs_search" in block


def test_a_data_folder_that_cannot_be_written_costs_nothing_but_time(
    project: Path, env: dict[str, str], home: Path
):
    write_files(home, {"data/projects": "a file is where a folder should be"})
    assert TOLD in started(project, env)
    assert told(project, env) == TOLD


def test_ten_thousand_entries_do_not_keep_a_session_waiting(tmp_path: Path, home: Path):
    point_to_this_python(home)
    files = {f"memory/gotcha_g{at:05}.md": f"Never do {at}.\n" for at in range(10_000)}
    root = make_repository(tmp_path / "many", {})
    write_files(root, files)
    block = started(root, environment(home, root))
    assert "(memory: 10,000 entries; the first 500 by name are read)" in block
    assert "Left out for room" in block
    assert len(block) < 9_500


def test_a_subagent_gets_the_rules_and_no_gotchas(project: Path, env: dict[str, str]):
    payload = {"session_id": "s", "cwd": str(project), "hook_event_name": "SubagentStart"}
    run = run_hook("subagent_start", payload, env, project)
    assert json.loads(run.out)["hookSpecificOutput"]["hookEventName"] == "SubagentStart"
    assert "docs_search" in run.context
    assert "main is protected" not in run.context
