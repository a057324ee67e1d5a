"""What a session, its subagents and its calls are told: each hook as a process."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pit_memory.core.facts import NewFact
from pit_memory.core.triggers import Trigger
from pit_memory.operations.change_fact import approve_fact, retract_fact
from pit_memory.operations.fact_transfer import erase_facts, import_facts
from pit_memory.operations.store_fact import store_fact
from pit_memory.wiring import open_facts
from pit_memory.workspace.compiled_push import CompiledPush, stamp_of, write_compiled
from pit_memory.workspace.places import Places, compiled_push, places, stores
from tests.builders import git, make_repository, write_files
from tests.hooks.launching import (
    bash,
    cpu_milliseconds,
    edited,
    environment,
    point_to_this_python,
    run_hook,
)
from tests.shared_material import PROJECT

SOURCES = ("startup", "resume", "fork", "clear", "compact")
GOTCHA = """\
---
name: force-push
description: main is protected
metadata:
  type: feedback
  kind: gotcha
  trigger_tool: Bash
  trigger_pattern: 'git\\s+push.*--force'
---

Ask the release manager first.
"""
TOLD = "- main is protected. Ask the release manager first."
FORCE = "git push --force"


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A repository with one gotcha, and an interpreter for its hooks."""
    point_to_this_python(home)
    return make_repository(tmp_path / "project", {"memory/gotcha_force-push.md": GOTCHA})


@pytest.fixture
def env(project: Path, home: Path) -> dict[str, str]:
    return environment(home, project)


@pytest.fixture
def where(home: Path) -> Places:
    return Places(home / "data", home / ".config/pit-memory")


def start(folder: Path, source: str = "startup", session: str = "s") -> dict[str, object]:
    return {
        "session_id": session,
        "transcript_path": f"{folder}/client/projects/-x/{session}.jsonl",
        "cwd": str(folder),
        "hook_event_name": "SessionStart",
        "source": source,
    }


def started(project: Path, env: dict[str, str], source: str = "startup", session: str = "s") -> str:
    run = run_hook("session_start", start(project, source, session), env, project)
    assert (run.code, run.err) == (0, "")
    return run.context


def told(project: Path, env: dict[str, str], command: str = FORCE, **more: str) -> str:
    run = run_hook("before_call", bash(command, project) | more, env, project)
    assert (run.code, run.err) == (0, "")
    return run.context


# ---- the start of a session ----------------------------------------------------------------------


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
    from pit_memory.core.tokens import estimate

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


# ---- subagents, and what changes often -----------------------------------------------------------


def test_a_subagent_gets_the_rules_and_no_gotchas(project: Path, env: dict[str, str]):
    payload = {"session_id": "s", "cwd": str(project), "hook_event_name": "SubagentStart"}
    run = run_hook("subagent_start", payload, env, project)
    assert json.loads(run.out)["hookSpecificOutput"]["hookEventName"] == "SubagentStart"
    assert "docs_search" in run.context
    assert "main is protected" not in run.context


@pytest.mark.parametrize(("drafts", "line"), [(0, ""), (1, "1 draft waits"), (3, "3 drafts wait")])
def test_what_waits_is_one_line_and_nothing_where_nothing_waits(
    project: Path, env: dict[str, str], drafts: int, line: str
):
    write_files(project, {f"docs/_drafts/d{at}.md": "x" for at in range(drafts)})
    run = run_hook("session_news", start(project), env, project)
    assert run.code == 0
    assert run.out.count("\n") == bool(drafts)
    assert line in run.out


REVIEWED = {
    "PIT_MEMORY_FACTS_REVIEW": "required",
    "PIT_MEMORY_EMBEDDING_PROVIDER": "none",
}


def news(project: Path, env: dict[str, str]) -> str:
    run = run_hook("session_news", start(project), env, project)
    assert (run.code, run.err) == (0, "")
    return run.out


def test_facts_that_wait_for_review_are_told_to_their_own_assignment_alone(
    project: Path, env: dict[str, str]
):
    acme = env | {"PIT_MEMORY_ASSIGNMENT": "acme"}
    with open_facts(project, acme | REVIEWED) as (facts, access):
        first = store_fact(facts, access, NewFact("The deploy window is Tuesday.", topic="deploy"))
        assert news(project, acme) == (
            "pit-memory: 1 proposed fact waits for review: pit-memory facts review\n"
        )
        second = store_fact(facts, access, NewFact("The gateway lives in eu-west."))
        write_files(project, {"docs/_drafts/d.md": "x"})
        assert news(project, acme) == (
            "pit-memory: 1 draft waits in docs/_drafts to be published: /pit-memory:wrapup; "
            "2 proposed facts wait for review: pit-memory facts review\n"
        )
        (project / "docs/_drafts/d.md").unlink()
        assert news(project, env) == ""
        assert news(project, env | {"PIT_MEMORY_ASSIGNMENT": "Acme"}) == ""

        approve_fact(facts, access, first.id)
        retract_fact(facts, access, second.id, "wrong")
        assert news(project, acme) == ""
        lines = [json.dumps({"fact": f"Unit {at} is green.", "scope": "acme"}) for at in range(3)]
        import_facts(facts, access, lines)
        assert "3 proposed facts wait" in news(project, acme)
        erase_facts(facts, "acme", stores(places(env)))
        assert news(project, acme) == ""


def test_the_assignment_of_the_news_is_what_settings_resolve(
    project: Path, env: dict[str, str], home: Path
):
    person = home / ".config/pit-memory/config.toml"

    def propose(text: str) -> None:
        with open_facts(project, env | REVIEWED) as (facts, access):
            store_fact(facts, access, NewFact(text))

    write_files(project, {".pit-memory.toml": 'assignment = "auto"\n'})
    propose("The deploy window is Tuesday.")
    assert "1 proposed fact waits" in news(project, env)
    git(project, "remote", "add", "origin", "https://git.example.org/team/docs.git")
    assert news(project, env) == ""
    write_files(person.parent, {person.name: 'assignment = "acme"\n'})
    write_files(project, {".pit-memory.toml": 'assignment = "of somebody else"\n'})
    propose("The window is Friday.")
    assert "1 proposed fact waits" in news(project, env)
    person.unlink()
    assert news(project, env) == ""


def test_news_of_drafts_are_told_where_facts_cannot_be_asked_for(
    project: Path, env: dict[str, str], home: Path
):
    write_files(home, {"data/proposed/acme-1": "1\n"})
    write_files(project, {"docs/_drafts/d.md": "x", ".pit-memory.toml": "assignment = [\n"})
    run = run_hook("session_news", start(project), env, project)
    assert (run.code, run.out.count("1 draft waits")) == (0, 1)
    assert run.err.startswith("pit-memory: no news of facts: ")


def test_news_of_facts_keep_to_fifty_milliseconds(project: Path, env: dict[str, str]):
    write_files(project, {".pit-memory.toml": 'assignment = "auto"\n'})
    git(project, "remote", "add", "origin", "https://git.example.org/team/docs.git")
    with open_facts(project, env | REVIEWED) as (facts, access):
        store_fact(facts, access, NewFact("The deploy window is Tuesday."))
    assert "1 proposed fact waits" in news(project, env)
    bare = cpu_milliseconds([sys.executable, "-I", "-S", "-c", "pass"], "", {}, project)
    command = ["sh", str(PROJECT / "hooks/launch"), "session_news"]
    cost = cpu_milliseconds(command, json.dumps(start(project)), env, project)
    # A bare interpreter takes 9 ms where nothing else runs; on a busy machine all take longer.
    assert cost - bare < 50 * max(1, bare / 9), (cost, bare)


# ---- gotchas at their call -----------------------------------------------------------------------


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
    assert time.monotonic() - began < 10  # alone, it takes longer than the universe is old


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


# ---- the client's own memory ---------------------------------------------------------------------


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


# ---- cost ----------------------------------------------------------------------------------------


def imported(hook: str, payload: object, env: dict[str, str], folder: Path) -> set[str]:
    """Top-level modules that a hook imports."""
    file = str(PROJECT / "hooks" / hook)
    command = [
        sys.executable,
        "-I",
        "-S",
        "-X",
        "importtime",
        file,
        str(folder),
        "gotchas",
        "memory",
    ]
    sent = json.dumps(payload)
    done = subprocess.run(
        command, input=sent, capture_output=True, text=True, env=env, cwd=folder, check=True
    )
    lines = [line for line in done.stderr.split("\n") if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines[1:]}


def test_hooks_import_the_standard_library_only_and_little_of_it_when_nothing_changed(
    project: Path,
):
    own = {path.stem for path in (PROJECT / "hooks").glob("*.py")}
    env = {"HOME": str(project)}
    for hook, payload in (
        ("session_start.py", start(project)),
        ("subagent_start.py", {}),
        ("session_news.py", {}),
        ("before_call.py", bash(FORCE, project)),
        ("edit.py", edited(project / "memory/x.md", project)),
    ):
        first = imported(hook, payload, env, project)
        assert first <= sys.stdlib_module_names | own | {"pit_memory", "org"}, hook
        again = imported(hook, payload, env, project)
        assert not again & {"dataclasses", "subprocess", "tomllib", "hashlib"}, hook


def test_with_two_hundred_entries_a_hook_keeps_to_fifty_milliseconds(tmp_path: Path, home: Path):
    point_to_this_python(home)
    root = make_repository(tmp_path / "large", {})
    write_files(root, {f"memory/gotcha_g{at}.md": GOTCHA + f"{at}\n" for at in range(200)})
    env = environment(home, root)
    started(root, env)
    bare = cpu_milliseconds([sys.executable, "-I", "-S", "-c", "pass"], "", {}, root)
    for event, payload in (
        ("session_start", start(root)),
        ("subagent_start", {}),
        ("before_call", bash("git push", root)),
    ):
        command = ["sh", str(PROJECT / "hooks/launch"), event]
        cost = cpu_milliseconds(command, json.dumps(payload), env, root)
        # A bare interpreter takes 9 ms where nothing else runs; on a busy machine all take longer.
        assert cost - bare < 50 * max(1, bare / 9), (event, cost, bare)


def test_a_call_of_a_tool_no_trigger_names_starts_no_python(project: Path, env: dict[str, str]):
    started(project, env)
    bare = cpu_milliseconds([sys.executable, "-I", "-S", "-c", "pass"], "", {}, project)
    payload = json.dumps(bash("x", project) | {"tool_name": "Read"})
    command = ["sh", str(PROJECT / "hooks/launch"), "before_call"]
    assert cpu_milliseconds(command, payload, env, project) < bare / 2
