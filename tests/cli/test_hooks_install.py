"""`pit-memory hooks install`, and the git hook it leaves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.cli import main
from tests.builders import git, make_repository, write_files
from tests.cli.commands import run
from tests.sectioned_corpus import INDEX, ONE, TWO, A
from tests.shared_material import PROJECT


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_repository(tmp_path / "project", {"knowledge/a.md": ONE})
    monkeypatch.chdir(root)
    return root


def commit(root: Path, path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Commit as a person does, with some programs on the PATH."""
    return subprocess.run(
        ["git", "commit", "--quiet", "-m", "x", *arguments],
        cwd=root,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def tool(tmp_path: Path) -> str:
    """A PATH with a `pit-memory` that runs this package."""
    script = write_files(tmp_path / "tool", {}) / "pit-memory"
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH={PROJECT}/mcp_server exec {sys.executable} -m pit_memory "$@"\n'
    )
    script.chmod(0o755)
    return f"{script.parent}:{os.environ['PATH']}"


def test_the_git_hook_refuses_a_stale_commit_and_passes_a_fresh_one(project: Path, tool: str):
    main(["sections", "build"])
    assert main(["hooks", "install"]) == 0
    git(project, "add", A, INDEX)
    assert commit(project, tool).returncode == 0
    (project / A).write_text(TWO)
    for arguments in (["-a"], ["--", A]):
        done = commit(project, tool, *arguments)
        assert done.returncode == 1
        assert "pit-memory sections build" in done.stdout + done.stderr
    main(["sections", "build"])
    assert commit(project, tool, "-a").returncode == 0


def test_where_the_tool_is_absent_the_git_hook_says_so_and_lets_the_commit_pass(project: Path):
    main(["hooks", "install"])
    (project / A).write_text(TWO)
    plain = os.pathsep.join(
        folder for folder in os.get_exec_path() if not Path(folder, "pit-memory").exists()
    )
    done = commit(project, plain, "-a")
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert "not installed here" in done.stderr


def test_an_earlier_hook_is_kept_and_runs_first(
    project: Path, tool: str, monkeypatch: pytest.MonkeyPatch
):
    hook = project / ".git/hooks/pre-commit"
    write_files(project, {".git/hooks/pre-commit": "#!/bin/sh\necho earlier >>ran\nexit $CODE\n"})
    hook.chmod(0o755)
    assert main(["hooks", "install"]) == 0
    assert main(["hooks", "install"]) == 0
    main(["sections", "build"])
    git(project, "add", A, INDEX)
    monkeypatch.setenv("CODE", "3")
    assert commit(project, tool).returncode == 1
    monkeypatch.setenv("CODE", "0")
    assert commit(project, tool).returncode == 0
    assert (project / "ran").read_text() == "earlier\nearlier\n"


def test_two_earlier_hooks_are_a_person_s_choice(project: Path, capsys: pytest.CaptureFixture[str]):
    main(["hooks", "install"])
    hooks = project / ".git/hooks"
    (hooks / "pre-commit").rename(hooks / "pre-commit.before-pit-memory")
    (hooks / "pre-commit").write_text("#!/bin/sh\n")
    done = run(capsys, "hooks", "install")
    assert done.code == 2
    assert "remove one of them" in done.err
    assert (hooks / "pre-commit").read_text() == "#!/bin/sh\n"


def test_hooks_path_inside_of_the_repository_is_respected(project: Path):
    git(project, "config", "core.hooksPath", ".githooks")
    assert main(["hooks", "install"]) == 0
    assert (project / ".githooks/pre-commit").is_file()
    assert not (project / ".git/hooks/pre-commit").exists()


@pytest.mark.parametrize(
    ("place", "said"), [("{outside}", "which other repositories use too"), (".husky/_", "husky")]
)
def test_hooks_that_are_not_this_repository_s_are_left_alone(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str, said: str
):
    outside = tmp_path / "shared-hooks"
    git(project, "config", "core.hooksPath", place.format(outside=outside))
    done = run(capsys, "hooks", "install")
    assert done.code == 1
    assert said in done.err
    assert "add the line `pit-memory sections check --staged || exit 1`" in done.err
    assert not outside.exists()


def test_a_linked_worktree_shares_the_hook(project: Path):
    git(project, "worktree", "add", "--quiet", "../worktree")
    assert main(["hooks", "install", "--root", str(project.parent / "worktree")]) == 0
    assert (project / ".git/hooks/pre-commit").is_file()


def test_outside_of_a_repository_there_is_nothing_to_hook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    done = run(capsys, "hooks", "install", "--root", str(tmp_path))
    assert done.code == 1
    assert "in no git work tree" in done.err


def test_an_uninstall_names_the_hook_that_stays_and_the_command_that_removes_it(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert "pre-commit" not in run(capsys, "uninstall", "--dry-run").out
    hook = project / ".git/hooks/pre-commit"
    write_files(project, {".git/hooks/pre-commit": "#!/bin/sh\n"})
    assert "pre-commit" not in run(capsys, "uninstall", "--dry-run").out
    main(["hooks", "install"])
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    command = f"mv {hook}.before-pit-memory {hook}"
    for arguments in (["--dry-run"], []):
        said = run(capsys, "uninstall", *arguments).out
        assert f"Stays   {hook} (git hook; {command} removes it)\n" in said
    told = json.loads(run(capsys, "uninstall", "--json").out)
    assert (told["git_hook"], told["remove_git_hook"]) == (str(hook), command)
    subprocess.run(["sh", "-c", command], check=True)
    assert hook.read_text() == "#!/bin/sh\n"
    hook.unlink()
    main(["hooks", "install"])
    assert f"(git hook; rm {hook} removes it)\n" in run(capsys, "uninstall").out
