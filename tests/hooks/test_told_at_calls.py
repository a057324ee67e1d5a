"""What is told at a call: a gotcha before it, and after it that a client's own note is private."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from pit_memory.core.push.triggers import Trigger
from pit_memory.workspace.compiled_push import CompiledPush, stamp_of, write_compiled
from pit_memory.workspace.places import Places, compiled_push
from tests.builders import git, write_files
from tests.hooks.launching import bash, edited, run_hook
from tests.hooks.pushed_memory import (
    FORCE,
    GOTCHA,
    SOURCES,
    TOLD,
    project_with_gotcha,
    started,
    told,
)
from tests.patience import PATIENCE
from tests.shared_material import PROJECT


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    return project_with_gotcha(tmp_path, home)


@pytest.fixture
def where(home: Path) -> Places:
    return Places(home / "data", home / ".config/pit-memory")


def test_a_gotcha_is_told_before_the_call_it_is_about_once_a_session(
    project: Path, env: dict[str, str]
):
    started(project, env)
    assert told(project, env, "git push") == ""
    assert told(project, env, FORCE, tool_name="Read") == ""
    assert told(project, env) == TOLD
    assert told(project, env) == ""
    assert told(project, env, session_id="other") == TOLD
    assert told(project, env, agent_id="a subagent") == TOLD


@pytest.mark.parametrize("source", SOURCES)
def test_a_session_whose_context_begins_anew_is_told_again(
    project: Path, env: dict[str, str], source: str
):
    assert [told(project, env), told(project, env)] == [TOLD, ""]
    started(project, env, source, session="another")
    assert told(project, env) == ""
    started(project, env, source)
    assert told(project, env) == TOLD


def test_a_gotcha_that_repeats_is_told_at_every_call(project: Path, env: dict[str, str]):
    text = GOTCHA.replace("metadata:\n", "metadata:\n  repeat: true\n")
    write_files(project, {"memory/gotcha_force-push.md": text})
    assert [told(project, env), told(project, env)] == [TOLD, TOLD]


def test_parallel_calls_are_told_once(project: Path, env: dict[str, str]):
    started(project, env)
    command = ["sh", str(PROJECT / "hooks/launch"), "before_call"]
    running = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=project
        )
        for _ in range(6)
    ]
    payload = json.dumps(bash(FORCE, project)).encode()
    answers = [process.communicate(payload)[0] for process in running]
    assert sum(b"main is protected" in answer for answer in answers) == 1


def test_every_text_of_a_call_is_looked_at(project: Path, env: dict[str, str]):
    text = GOTCHA.replace("Bash", "mcp__*|Edit").replace("'git\\s+push.*--force'", "^secret$")
    write_files(project, {"memory/gotcha_force-push.md": text})
    call = {"tool_name": "mcp__db__run", "tool_input": {"sql": ["a", {"b": "x\nsecret\ny"}]}}
    assert told(project, env, **call) == TOLD  # type: ignore[arg-type]
    call = {"tool_name": "Edit", "tool_input": {"new_string": "no secret"}, "session_id": "2"}
    assert told(project, env, **call) == ""  # type: ignore[arg-type]


def test_entries_that_come_change_and_go_during_a_session_count_at_once(
    project: Path, env: dict[str, str]
):
    make_older(project / "memory")
    started(project, env)
    late = GOTCHA.replace("git\\s+push.*--force", "rm -r")
    write_files(project, {"memory/gotcha_late.md": late.replace("main is", "it is not")})
    assert told(project, env, "rm -r x") == TOLD.replace("main is", "it is not")
    file = project / "memory/gotcha_late.md"
    file.write_text(file.read_text().replace("rm -r", "unlink"))
    assert told(project, env, "unlink x", session_id="2") == TOLD.replace("main is", "it is not")
    file.unlink()
    assert told(project, env, "unlink x", session_id="3") == ""


def make_older(folder: Path) -> None:
    """What comes later must be newer, also on a disk that counts in seconds."""
    os.utime(folder, (1_700_000_000, 1_700_000_000))


def test_an_edit_in_the_memory_folder_compiles_its_triggers(
    project: Path, env: dict[str, str], home: Path
):
    file = write_files(project, {"memory/rule_x.md": "Plain.\n"}) / "memory/rule_x.md"
    (project / "memory/gotcha_force-push.md").unlink()
    started(project, env)
    before = compiled_push(Places(home / "data", home), project).read_text()
    assert before.startswith("\n")  # no tool
    file.write_text(GOTCHA)
    run = run_hook("edit", edited(file, project), env, project)
    assert (run.code, run.out) == (0, "")
    assert told(project, env) == TOLD


def test_a_pattern_that_would_take_for_ever_is_stopped_and_told_once(
    project: Path, env: dict[str, str], where: Places
):
    slow = Trigger("slow", "Bash", "(a+)+$", "", repeat=False, text="slow")
    fast = slow._replace(slug="fast", pattern="aaa", text="fast")
    paths = (str(project / "memory"), f"{env['HOME']}/.config/pit-memory/memory")
    stamp = stamp_of(paths, env)
    compiled = CompiledPush("x", "x", (fast, slow), "", str(project / "memory"), paths, stamp)
    write_compiled(where, project, compiled)
    began = time.monotonic()
    first = told(project, env, "a" * 50 + "b")
    assert first.startswith("pit-memory: the pattern of a gotcha takes too long")
    assert first.endswith("\nfast")
    assert told(project, env, "a" * 50 + "b") == ""
    assert time.monotonic() - began < PATIENCE  # alone, it takes longer than the universe is old


def test_a_refused_pattern_is_no_trigger_and_its_gotcha_is_always_shown(
    project: Path, env: dict[str, str]
):
    text = GOTCHA.replace("git\\s+push.*--force", "(a+)+$")
    write_files(project, {"memory/gotcha_force-push.md": text})
    assert TOLD in started(project, env)
    assert told(project, env, "aaaa") == ""


def test_the_commit_gate_and_a_gotcha_share_one_process(project: Path, env: dict[str, str]):
    text = GOTCHA.replace("git\\s+push.*--force", "git commit")
    write_files(project, {"memory/gotcha_force-push.md": text})
    write_files(project, {"knowledge/a.md": "# A\n\n## One\n\nx\n", "knowledge/index.json": "{}\n"})
    git(project, "add", ".")
    run = run_hook("before_call", bash("git commit -m x", project), env, project)
    assert run.code == 2
    assert run.out == ""
    assert "sections build" in run.err
    (project / "knowledge/index.json").unlink()
    (project / "knowledge/a.md").unlink()
    git(project, "add", ".")
    assert told(project, env, "git commit -m x") == TOLD


def test_a_note_in_the_clients_own_memory_is_told_to_be_private_once_a_session(
    project: Path, env: dict[str, str]
):
    started(project, env)
    note = project / "client/projects/-x/memory/user_role.md"
    elsewhere = project / "client/projects/-x/other.md"
    runs = [
        run_hook("edit", edited(file, project), env, project) for file in (elsewhere, note, note)
    ]
    assert [run.code for run in runs] == [0, 0, 0]
    assert runs[0].out == ""
    assert "private to this machine" in runs[1].context
    assert "memory_write" in runs[1].context
    assert runs[2].out == ""
