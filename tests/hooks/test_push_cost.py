"""What hooks of push memory cost: modules, milliseconds, and nothing where nothing is told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import make_repository, write_files
from tests.hooks.launching import bash, cpu_milliseconds, edited, environment, point_to_this_python
from tests.hooks.pushed_memory import FORCE, GOTCHA, project_with_gotcha, start, started
from tests.shared_material import PROJECT


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    return project_with_gotcha(tmp_path, home)


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
