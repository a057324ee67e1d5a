"""The sh launcher: what it starts, what it finds to start it with, what it costs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import git, make_repository, write_files
from tests.hooks.launching import (
    LAUNCH,
    bash,
    cpu_milliseconds,
    edited,
    environment,
    point_to_this_python,
    run_hook,
)
from tests.sectioned_corpus import INDEX, A
from tests.shared_material import PROJECT


def only_tools(folder: Path, *names: str) -> str:
    """A PATH with a few programs, as scripts that call the real ones."""
    folder.mkdir()
    for name in names:
        found = subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, check=True)
        (folder / name).symlink_to(found.stdout.decode().strip())
    return str(folder)


def fake_python(folder: Path, name: str, version: str) -> None:
    """A Python that only tells its version."""
    script = folder / name
    script.write_text(f"#!/bin/sh\n# {version}\nexit 1\n")
    script.chmod(0o755)


def test_every_hook_of_the_manifest_exists_and_runs_by_sh():
    hooks = json.loads((PROJECT / "hooks/hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "SubagentStart", "PreToolUse", "PostToolUse"}
    for groups in hooks.values():
        for hook in (hook for group in groups for hook in group["hooks"]):
            assert hook["type"] == "command"
            assert hook["command"] == "sh"
            assert hook["args"][0] == "${CLAUDE_PLUGIN_ROOT}/hooks/launch"
            assert "user_config" not in json.dumps(hook)


def test_the_launcher_and_the_hooks_have_unix_line_ends():
    for path in (PROJECT / "hooks").iterdir():
        if path.is_file():
            assert b"\r" not in path.read_bytes(), path


def test_without_a_python_only_session_start_speaks_and_in_one_line(tmp_path: Path, home: Path):
    root = make_repository(tmp_path / "p", {A: "# A\n", INDEX: "{}\n"})
    env = environment(home, root) | {"PATH": only_tools(tmp_path / "bin", "sh", "cat", "git")}
    run = run_hook("session_start", {"hook_event_name": "SessionStart"}, env, root)
    assert (run.code, run.err) == (0, "")
    assert run.out.count("\n") == 1
    assert "Python 3.11" in run.out
    for event, payload in (
        ("edit", edited(root / A, root)),
        ("before_call", bash("git commit -am x", root)),
    ):
        run = run_hook(event, payload, env, root)
        assert (run.code, run.out, run.err) == (0, "", "")


def test_an_older_python_is_none(tmp_path: Path, home: Path):
    tools = only_tools(tmp_path / "bin", "sh", "cat", "git")
    fake_python(Path(tools), "python3", "3.9")
    run = run_hook("session_start", {}, environment(home, tmp_path) | {"PATH": tools}, tmp_path)
    assert "Python 3.11" in run.out


def test_with_a_python_session_start_says_nothing_of_python(tmp_path: Path, home: Path):
    point_to_this_python(home)
    run = run_hook("session_start", {}, environment(home, tmp_path), tmp_path)
    assert (run.code, run.err) == (0, "")
    assert "Python 3.11" not in run.out


def test_an_environment_that_is_gone_falls_back_to_the_path(tmp_path: Path, home: Path):
    point_to_this_python(home)
    pointer = Path(f"{home}/data/roots{PROJECT}/.environment")
    pointer.write_text("/nowhere/python\nready\n")
    tools = only_tools(tmp_path / "bin", "sh", "cat", "git")
    (Path(tools) / "python3").symlink_to(sys.executable)
    run = run_hook("session_start", {}, environment(home, tmp_path) | {"PATH": tools}, tmp_path)
    assert "docs_search" in run.context


def test_a_session_in_a_folder_below_finds_the_index_of_the_repository(tmp_path: Path, home: Path):
    root = make_repository(tmp_path / "p", {A: "# A\n\n## One\n", INDEX: "{}\n", "src/x": ""})
    point_to_this_python(home)
    env = environment(home, root / "src")
    assert (
        run_hook("before_call", bash("git commit -m x", root / "src"), env, root / "src").code == 2
    )


@pytest.mark.parametrize(
    ("files", "variables", "events"),
    [
        ({"a.md": "# A\n"}, (), ("edit", "before_call")),
        (
            {A: "# A\n", INDEX: "{}\n"},
            ("PIT_MEMORY_DATA", "PIT_MEMORY_CONFIG"),  # else the home that the system knows is ours
            ("session_start", "edit", "before_call"),
        ),
    ],
)
def test_an_environment_without_home_and_path_is_enough(
    tmp_path: Path, files: dict[str, str], variables: tuple[str, ...], events: tuple[str, ...]
):
    root = make_repository(tmp_path / "p", files)
    for event in events:
        done = subprocess.run(
            ["/bin/sh", str(LAUNCH), event],
            env={name: os.environ[name] for name in variables},
            cwd=root,
            input=b"{}",
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0
        assert b"unbound" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    "environ",
    [{"PIT_MEMORY_DATA": "~/pm"}, {"XDG_DATA_HOME": "relative"}, {"HOME": "relative"}],
)
def test_a_relative_data_folder_leaves_nothing_in_the_project(
    tmp_path: Path, home: Path, environ: dict[str, str]
):
    root = make_repository(tmp_path / "p", {A: "# A\n", INDEX: "{}\n"})
    env = {"HOME": str(home), "PATH": os.environ["PATH"], **environ}
    for event in ("session_start", "edit", "before_call"):
        assert run_hook(event, {}, env, root).code == 0
    assert git(root, "status", "--porcelain") == ""


def test_where_there_is_nothing_to_do_it_costs_a_fraction_of_an_interpreter(
    tmp_path: Path, home: Path
):
    plain = make_repository(tmp_path / "plain", {"README.md": "x\n"})
    indexed = make_repository(tmp_path / "indexed", {A: "# A\n", INDEX: "{}\n"})
    bare = cpu_milliseconds([sys.executable, "-I", "-S", "-c", "pass"], "", {}, plain)
    for project, event, payload in (
        (plain, "before_call", bash("git commit -m x", plain)),
        (plain, "edit", edited(plain / "README.md", plain)),
        (indexed, "before_call", bash("npm test", indexed)),
    ):
        argv = ["sh", str(LAUNCH), event]
        cost = cpu_milliseconds(argv, json.dumps(payload), environment(home, project), project)
        assert cost < bare / 2, (event, cost, bare)


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox sh"])
def test_any_shell_runs_it(tmp_path: Path, home: Path, shell: str):
    words = shell.split()
    if not any(os.access(f"{folder}/{words[0]}", os.X_OK) for folder in os.get_exec_path()):
        pytest.skip(f"{words[0]} is not installed here")
    root = write_files(tmp_path / "p", {A: "# A\n\n## One\n", INDEX: "{}\n"})
    make_repository(root, {})
    point_to_this_python(home)
    done = subprocess.run(
        [*words, str(LAUNCH), "before_call"],
        input=json.dumps(bash("git commit -m 'a\\b %s \\n'", root)).encode(),
        env=environment(home, root),
        cwd=root,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
