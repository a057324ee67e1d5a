"""The two index hooks, each as the process that the host starts."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.operations.gates.sections import build_sections, check_sections
from tests.builders import git, make_repository, write_files
from tests.hooks.launching import bash, edited, environment, point_to_this_python, run_hook
from tests.plugin.registry import skip_without_registry
from tests.sectioned_corpus import INDEX, ONE, TWO, A
from tests.shared_material import PROJECT


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A repository with a fresh index, and an interpreter for its hooks."""
    root = write_files(tmp_path / "project", {A: ONE, "src/x.py": "pass\n"})
    build_sections(root, os.environ)
    point_to_this_python(home)
    return make_repository(root, {})


def is_fresh(root: Path) -> bool:
    return check_sections(root, os.environ).fresh


def test_an_edit_of_a_corpus_file_leaves_the_index_fresh(project: Path, env: dict[str, str]):
    (project / A).write_text(TWO)
    assert not is_fresh(project)
    run = run_hook("edit", edited(project / A, project), env, project)
    assert (run.code, run.err) == (0, "")
    assert run.context == f"pit-memory: {INDEX} follows this edit; commit them together."
    assert is_fresh(project)


def test_an_edit_that_changes_no_entry_says_nothing(project: Path, env: dict[str, str]):
    (project / A).write_text(ONE + "More text.\n")
    run = run_hook("edit", edited(project / A, project), env, project)
    assert (run.code, run.out, run.err) == (0, "", "")


def test_a_new_corpus_file_enters_the_index(project: Path, env: dict[str, str]):
    write_files(project, {"skills/new/SKILL.md": ONE})
    run_hook("edit", edited(project / "skills/new/SKILL.md", project), env, project)
    assert is_fresh(project)


def test_a_corpus_file_that_git_ignores_stays_out(project: Path, env: dict[str, str]):
    write_files(project, {".gitignore": "knowledge/private.md\n", "knowledge/private.md": ONE})
    run = run_hook("edit", edited(project / "knowledge/private.md", project), env, project)
    assert run.out == ""
    assert "private" not in (project / INDEX).read_text()


def test_a_file_outside_of_the_corpus_is_left_alone(project: Path, env: dict[str, str]):
    before = (project / INDEX).read_bytes()
    for path in ("src/x.py", "docs/guide.md", "knowledge/deep/x.md"):
        write_files(project, {path: TWO})
        run = run_hook("edit", edited(project / path, project), env, project)
        assert (run.code, run.out) == (0, "")
    assert (project / INDEX).read_bytes() == before


CUT_OFF = '{\n  "knowledge/a.md": {\n    "One": {\n      "summary": "first",\n      "anchor": "o'


@pytest.mark.parametrize("broken", ["<<<<<<< a\n{}\n=======\n", CUT_OFF, "{}", ""])
def test_an_index_that_cannot_be_read_is_built_anew(
    project: Path, env: dict[str, str], broken: str
):
    (project / INDEX).write_text(broken)
    (project / A).write_text(TWO)
    run_hook("edit", edited(project / A, project), env, project)
    assert is_fresh(project)


@pytest.mark.parametrize(
    "kept", ["not json", "[]", '{"permissions": {"allow": ["Bash"]}}', '// mine\n{"a": 1}\n']
)
def test_a_file_of_the_person_is_never_taken_for_an_index(
    project: Path, env: dict[str, str], kept: str
):
    (project / INDEX).write_text(kept)
    (project / A).write_text(TWO)
    assert run_hook("edit", edited(project / A, project), env, project).out == ""
    assert (project / INDEX).read_text() == kept


def test_an_index_edited_by_hand_is_built_anew(project: Path, env: dict[str, str]):
    (project / INDEX).write_text(
        '{"knowledge/a.md": {"One": {"summary": "mine", "anchor": "one"}}}'
    )
    run_hook("edit", edited(project / INDEX, project), env, project)
    assert is_fresh(project)


def test_edits_at_the_same_time_lose_no_entry(project: Path, env: dict[str, str]):
    names = [f"knowledge/n{number}.md" for number in range(6)]
    write_files(project, dict.fromkeys(names, TWO))
    running = []
    for name in names:
        process = subprocess.Popen(
            ["sh", str(PROJECT / "hooks/launch"), "edit"], stdin=subprocess.PIPE, env=env
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(edited(project / name, project)).encode())
        process.stdin.close()
        running.append(process)
    assert [process.wait() for process in running] == [0] * len(names)
    assert is_fresh(project)


def test_an_edit_in_another_work_tree_updates_the_index_there(project: Path, env: dict[str, str]):
    worktree = project.parent / "worktree"
    git(project, "worktree", "add", "--quiet", str(worktree))
    before = (project / INDEX).read_bytes()
    (worktree / A).write_text(TWO)
    run_hook("edit", edited(worktree / A, project), env, project)
    assert is_fresh(worktree)
    assert (project / INDEX).read_bytes() == before


def test_an_index_that_a_link_leads_out_of_the_project_is_not_written(
    tmp_path: Path, project: Path, env: dict[str, str]
):
    outside = write_files(tmp_path / "outside", {"index.json": "{}\n"})
    shutil.rmtree(project / "knowledge")
    (project / "knowledge").symlink_to(outside)
    write_files(project, {"skills/s/SKILL.md": TWO})
    run = run_hook("edit", edited(project / "skills/s/SKILL.md", project), env, project)
    assert run.code == 0
    assert "not updated" in run.context
    assert (outside / "index.json").read_text() == "{}\n"


def test_a_commit_with_a_stale_index_is_blocked_with_its_repair(project: Path, env: dict[str, str]):
    (project / A).write_text(TWO)
    run = run_hook("before_call", bash("git commit -qam x", project), env, project)
    assert (run.code, run.out) == (2, "")
    assert f"+ {A} > Two" in run.err
    assert "pit-memory sections build" in run.err
    build_sections(project, os.environ)
    assert run_hook("before_call", bash("git commit -qam x", project), env, project).code == 0


def test_commit_with_an_alias_is_blocked(project: Path, env: dict[str, str]):
    (project / A).write_text(TWO)
    assert run_hook("before_call", bash("git ci -am x", project), env, project).code == 0
    git(project, "config", "alias.save", "ci -a")
    git(project, "config", "alias.ci", "commit")
    for line in ("git ci -am x", "git save -m x", "git -C src save -m x"):
        assert run_hook("before_call", bash(line, project), env, project).code == 2
    git(project, "config", "alias.ci", "status")
    assert run_hook("before_call", bash("git ci -am x", project), env, project).code == 0


@pytest.mark.parametrize(
    "command_line",
    [
        'git com""mit -qam x',
        "g'i't c\"o\"m\\mit -qam x",
        "git com\\\nmit -qam x",
        'busybox sh -c "git commit -qam x"',
        "coproc git commit -qam x",
    ],
)
def test_a_commit_in_a_strange_spelling_is_blocked(
    project: Path, env: dict[str, str], command_line: str
):
    (project / A).write_text(TWO)
    assert run_hook("before_call", bash(command_line, project), env, project).code == 2


@pytest.mark.parametrize(
    "command_line",
    [
        "ls",
        "echo 'it\\'s quoted'",
        "git status",
        "git log --grep commit",
        "git commit-tree HEAD^{tree} -m x",
        "echo 'git commit -am x'",
        "cat <<'EOF'\ngit commit -am x\nEOF",
        "git commit --no-verify -am x",
    ],
)
def test_what_is_no_commit_passes_in_silence(project: Path, env: dict[str, str], command_line: str):
    (project / A).write_text(TWO)
    run = run_hook("before_call", bash(command_line, project), env, project)
    assert (run.code, run.out, run.err) == (0, "", "")


def test_a_message_as_agents_write_it_is_read_whole(project: Path, env: dict[str, str]):
    (project / A).write_text(TWO)
    line = 'git commit -am "$(cat <<\'EOF\'\nIt\'s "quoted" (and ünïcode 🚀)\n\n$HOME\nEOF\n)"'
    assert run_hook("before_call", bash(line, project), env, project).code == 2


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "not json commit",
        "[]",
        '"git commit"',
        "{}",
        '{"tool_input":{"command":7},"x":"commit"}',
        '{"tool_input":"commit"}',
        '{"tool_input":{"command":"git commit","file_path":["knowledge/a.md"]}}',
        "\x00\xff commit",
        '{"cwd":"/nowhere","tool_input":{"command":"git commit"}}',
        "[" * 5000 + "commit",
    ],
)
@pytest.mark.parametrize("event", ["edit", "before_call"])
def test_a_payload_that_is_not_the_host_s_lets_the_call_pass(
    project: Path, env: dict[str, str], event: str, payload: str
):
    run = run_hook(event, payload, env, project.parent)
    assert (run.code, run.err) == (0, "")


def test_settings_that_cannot_be_read_let_the_call_pass_aloud(project: Path, env: dict[str, str]):
    (project / ".pit-memory.toml").write_text("[sections\n")
    (project / A).write_text(TWO)
    run = run_hook("before_call", bash("git commit -am x", project), env, project)
    assert run.code == 0
    assert "section index not checked" in run.context
    assert ".pit-memory.toml" in run.context
    run = run_hook("edit", edited(project / A, project), env, project)
    assert run.code == 0
    assert "section index not updated" in run.context


def test_a_corpus_in_another_place_is_found_by_the_settings(
    tmp_path: Path, home: Path, env: dict[str, str]
):
    settings = '[[sections.corpora]]\nfiles = [".agents/**/*.txt"]\nindex = "i.json"\n'
    files = {".pit-memory.toml": settings, ".agents/a.txt": ONE}
    root = write_files(tmp_path / "custom", files)
    build_sections(root, os.environ)
    make_repository(root, {})
    (root / ".agents/a.txt").write_text(TWO)
    env = environment(home, root)
    assert run_hook("before_call", bash("git commit -am x", root), env, root).code == 2
    run_hook("edit", edited(root / ".agents/a.txt", root), env, root)
    assert run_hook("before_call", bash("git commit -am x", root), env, root).code == 0


@pytest.fixture
def clean_machine(project: Path, home: Path, env: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """No environment of the plugin yet, and a Python on the PATH that has no library."""
    tools = tmp_path / "bare" / "bin"
    tools.mkdir(parents=True)
    for name in ("python3", f"python3.{sys.version_info.minor}"):
        (tools / name).symlink_to(os.path.realpath(sys.executable))
    shutil.rmtree(home / "data")
    (project / A).write_text(TWO)
    return {**env, "PATH": f"{tools}:{env['PATH']}"}


def test_without_parser_and_registry_a_hook_says_not_checked_and_lets_the_call_pass(
    project: Path, clean_machine: dict[str, str]
):
    env = {**clean_machine, "PIP_NO_INDEX": "1", "UV_OFFLINE": "1"}
    run = run_hook("before_call", bash("git commit -am x", project), env, project)
    assert run.code == 0
    assert "section index not checked: the markdown parser can't be installed" in run.context
    # It is not tried at every call.
    run = run_hook("edit", edited(project / A, project), env, project)
    assert run.code == 0
    assert "section index not updated: the markdown parser can't be installed" in run.context
    run = run_hook("before_call", bash("git status", project), env, project)
    assert (run.code, run.out) == (0, "")


@pytest.mark.registry
@pytest.mark.timeout(300)
def test_on_a_clean_machine_a_hook_installs_the_parser_alone_and_checks(
    project: Path, home: Path, clean_machine: dict[str, str], tmp_path: Path
):
    skip_without_registry(tmp_path / "download")
    env = {**os.environ, **clean_machine}
    run = run_hook("before_call", bash("git commit -am x", project), env, project)
    assert (run.code, run.out) == (2, "")
    (folder,) = (home / "data/envs").iterdir()
    installed = {path.name.partition("-")[0] for path in folder.glob("[!.]*")}  # uv leaves a lock
    assert installed == {"pyromark"}
    offline = {**env, "PIP_NO_INDEX": "1", "UV_OFFLINE": "1"}
    run_hook("edit", edited(project / A, project), offline, project)
    assert is_fresh(project)


def imported(hook: str, part: str, payload: object, folder: Path) -> set[str]:
    """Top-level modules that a hook imports, in an empty environment."""
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(PROJECT / "hooks" / hook)]
    command += [str(folder), part]
    done = subprocess.run(
        command,
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        env={"HOME": str(folder)},
        cwd=folder,
        check=False,
    )
    lines = [line for line in done.stderr.split("\n") if line.startswith("import time:")]
    assert len(lines) > 20
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines[1:]}


ALLOWED = sys.stdlib_module_names | {
    *("pit_memory", "pyromark", "org"),
    *(path.stem for path in (PROJECT / "hooks").glob("*.py")),
}
"""`copy` tries a module named `org`, of another Python."""


def test_hooks_import_the_standard_library_and_the_markdown_parser_only(project: Path):
    (project / A).write_text(TWO)
    for hook, part, payload in (
        ("before_call.py", "gate", bash("git commit -am x", project)),
        ("edit.py", "index", edited(project / A, project)),
    ):
        found = imported(hook, part, payload, project)
        assert found <= ALLOWED
        assert "pyromark" in found


def test_a_command_that_is_no_commit_imports_next_to_nothing(project: Path):
    found = imported("before_call.py", "gate", bash("git log --grep commit", project), project)
    heavy = {"typing", "dataclasses", "pathlib", "subprocess", "pyromark", "tomllib", "re", "json"}
    assert not found & heavy


def test_an_edit_imports_no_more_than_its_file_s_entries_take(project: Path):
    (project / A).write_text(TWO)
    found = imported("edit.py", "index", edited(project / A, project), project)
    assert not found & {"typing", "dataclasses", "inspect", "subprocess", "hashlib", "tomllib"}
