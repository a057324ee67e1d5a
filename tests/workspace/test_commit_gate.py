"""What a commit would hold, judged without changing the repository."""

import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pit_memory.core.host.commit_command import find_commits
from pit_memory.errors import GitError
from pit_memory.operations.gates.sections import build_sections, check_sections
from pit_memory.workspace.commit_gate import StaleCommit, explain, judge_commit
from pit_memory.workspace.corpus_rules import project_rules
from tests.builders import git, make_repository, write_files
from tests.sectioned_corpus import INDEX, ONE, TWO, A

THREE = TWO + "\n## Three\n\nThe third section.\n"
B = "knowledge/b.md"


def judge(command_line: str, directory: Path) -> StaleCommit | None:
    """The first commit of a command line that would leave an index stale."""
    alias = {"ci": "commit", "both": "!git add -A && git commit"}.get
    commits = find_commits(command_line, str(directory), os.environ, lambda name, _: alias(name))
    assert commits, command_line
    found = (judge_commit(commit, lambda top: project_rules(top, os.environ)) for commit in commits)
    return next((stale for stale in found if stale), None)


def build(root: Path) -> None:
    build_sections(root, os.environ)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository whose index is fresh and committed."""
    root = write_files(tmp_path / "project", {A: ONE, B: ONE, "src/x.py": "pass\n"})
    build(root)
    return make_repository(root, {})


def change(root: Path, text: str = TWO, path: str = A) -> None:
    (root / path).write_text(text)


def staged_without_index(root: Path) -> None:
    change(root)
    git(root, "add", A)


def rebuilt_but_unstaged(root: Path) -> None:
    staged_without_index(root)
    build(root)


def changed_only(root: Path) -> None:
    change(root)


def rebuilt_all(root: Path) -> None:
    change(root)
    build(root)


def nothing(root: Path) -> None:
    pass


BLOCKED = [
    (staged_without_index, "git commit -m x"),
    (staged_without_index, "git -C . commit"),
    (staged_without_index, "git -c a.b=c commit"),
    (staged_without_index, "/usr/bin/git commit"),
    (staged_without_index, 'bash -c "git commit"'),
    (staged_without_index, "cd src && git commit -m x"),
    (staged_without_index, "cd src && git -C .. commit -m x"),
    (staged_without_index, "git add -A && git commit -m x"),
    (staged_without_index, "git commit -am x"),
    (staged_without_index, f"git commit -m x -- {A}"),
    (staged_without_index, "git ci -m x"),
    (staged_without_index, "git --git-dir=.git commit"),
    (staged_without_index, "git --git-dir .git --work-tree . commit"),
    (staged_without_index, "git commit --allow-empty -m x"),
    (staged_without_index, "git add src && git commit -m x"),
    (rebuilt_but_unstaged, "git commit -m x"),
    (rebuilt_but_unstaged, "git add knowledge/*.md && git commit -m x"),
    (rebuilt_but_unstaged, f"git commit -m x -- {A}"),
    (rebuilt_but_unstaged, "cd knowledge && git commit a.md -m x"),
    (changed_only, "git commit -am x"),
    (changed_only, "git add -A && git commit -m x"),
    (changed_only, "git add . && git commit -m x"),
    (changed_only, "git add knowledge && git commit -m x"),
    (changed_only, "git add * && git commit -m x"),
    (changed_only, "git add know*/ && git commit -m x"),
    (changed_only, "git add -u && git commit -m x"),
    (changed_only, f"git commit -m x {A}"),
    (changed_only, "git commit -m x knowledge"),
    (changed_only, "git both -m x"),
    (changed_only, f"git commit -i {A} -m x"),
    (rebuilt_all, f"git add {INDEX} && git commit -m x"),
    (rebuilt_all, f"git commit -m x -- {INDEX}"),
    (nothing, f"git rm {A} && git commit -m x"),
    (nothing, f"git rm --cached {A} && git commit -m x"),
    (nothing, f"git mv {A} knowledge/c.md && git commit -m x"),
    (nothing, f"git rm -q {A} && git add -A && git commit -m x"),
    (changed_only, "git add -A && git commit -m 1 && git commit --allow-empty -m 2"),
    (changed_only, "pit-memory sections build && git add src && git commit -m x knowledge/a.md"),
]

ALLOWED = [
    (changed_only, "git commit --allow-empty -m x"),
    (rebuilt_but_unstaged, "git commit -am x"),
    (rebuilt_but_unstaged, "git add -A && git commit -m x"),
    (rebuilt_but_unstaged, "git add . && git commit -m x"),
    (rebuilt_but_unstaged, f"git add {INDEX} && git commit -m x"),
    (rebuilt_but_unstaged, f"git commit -m x -- {A} {INDEX}"),
    (rebuilt_but_unstaged, "git commit -m x knowledge"),
    (rebuilt_but_unstaged, "cd knowledge && git commit -m x -- ."),
    (rebuilt_all, "git both -m x"),
    (rebuilt_all, f"git commit -i {INDEX} {A} -m x"),
    (rebuilt_all, "git add knowledge/*.md knowledge/*.json && git commit -m x"),
    (rebuilt_but_unstaged, "git add * && git commit -m x"),
    (rebuilt_all, "cd src && git add -A && git commit -m x"),
    (rebuilt_all, "git -C src add -A && git commit -m x"),
    (changed_only, "pit-memory sections build && git add -A && git commit -m x"),
    (changed_only, "pit-memory sections build && git commit -am x"),
    (changed_only, f"pit-memory sections build && git add {INDEX} {A} && git commit -m x"),
    (changed_only, "pit-memory sections build && cd knowledge && git add . && git commit -m x"),
    (nothing, f"git rm {A} && pit-memory sections build && git add -A && git commit -m x"),
    (
        nothing,
        f"git mv {A} knowledge/c.md && pit-memory sections build && git commit -am x",
    ),
    (nothing, f"git rm {INDEX} && git commit -m x"),
    (nothing, "git commit --allow-empty -m x"),
    (staged_without_index, "cd /tmp && git commit -m x"),
    (staged_without_index, "git -C /nowhere commit -m x"),
]


@pytest.mark.parametrize(("prepare", "command_line"), BLOCKED)
def test_a_commit_that_leaves_the_index_stale_is_blocked(
    project: Path, prepare: Callable[[Path], None], command_line: str
):
    prepare(project)
    stale = judge(command_line, project)
    assert stale is not None
    assert [checked.corpus.index_path for checked in stale.stale] == [INDEX]


@pytest.mark.parametrize(("prepare", "command_line"), ALLOWED)
def test_a_commit_that_takes_the_fresh_index_along_passes(
    project: Path, prepare: Callable[[Path], None], command_line: str
):
    prepare(project)
    assert judge(command_line, project) is None


def fingerprint(root: Path) -> str:
    """Every byte below a folder, times aside."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        digest.update(f"{path.relative_to(root)}\0{path.lstat().st_mode}\0".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


@pytest.mark.parametrize(
    "command_line",
    [
        "git commit -m x",
        "git add -A && git commit -m x",
        "git commit -am x",
        f"git commit -m x -- {A}",
        f"git mv {A} knowledge/c.md && git rm {B} && git commit -m x",
        "pit-memory sections build && git add -A && git commit -m x",
        "git stash && git commit -m x",
    ],
)
def test_judging_changes_no_byte_of_the_repository(project: Path, command_line: str):
    change(project)
    write_files(project, {"knowledge/new.md": TWO})
    before = fingerprint(project)
    judge(command_line, project)
    assert fingerprint(project) == before


def test_what_cannot_be_replayed_is_judged_on_the_working_tree_and_says_so(project: Path):
    change(project)
    stale = judge("git add -p && git commit -m x", project)
    assert stale is not None
    assert "interactive" in explain(stale, project)
    build(project)
    assert judge("git add -p && git commit -m x", project) is None


def test_the_message_names_the_drift_and_the_commands_that_repair_it(project: Path):
    staged_without_index(project)
    stale = judge("git commit -m x", project)
    assert stale is not None
    assert explain(stale, project).split("\n") == [
        "pit-memory: this commit would leave the section index stale.",
        f"{INDEX}:",
        f"  + {A} > Two",
        "Repair, then commit again:",
        "  pit-memory sections build",
        f"  git add {INDEX}",
    ]
    build(project)
    stale = judge("git commit -m x", project)
    assert stale is not None
    assert explain(stale, project / "src").split("\n")[3:] == [
        f"Repair in {project}, then commit again:",
        f"  git add {INDEX}",
    ]


def test_a_commit_of_paths_is_told_to_name_the_index_too(project: Path):
    staged_without_index(project)
    stale = judge(f"git commit -m x -- {A}", project)
    assert stale is not None
    assert f"-- {A} {INDEX})" in stale.repair[-1]


def test_a_commit_of_a_part_of_the_changes_is_repaired_from_the_staged_files(project: Path):
    staged_without_index(project)
    change(project, THREE)
    build(project)
    stale = judge("git commit -m x", project)
    assert stale is not None
    assert stale.repair == ("pit-memory sections build --staged",)


def test_a_project_without_an_index_is_not_judged(tmp_path: Path):
    root = make_repository(tmp_path / "plain", {A: ONE})
    change(root)
    assert judge("git commit -am x", root) is None


def test_an_index_that_was_never_added_is_missed(tmp_path: Path):
    root = make_repository(tmp_path / "new", {A: ONE})
    build(root)
    assert judge("git commit --allow-empty -m x", root) is not None
    assert judge("git add -A && git commit -m x", root) is None


def test_an_index_that_git_ignores_is_not_asked_for(tmp_path: Path):
    root = make_repository(tmp_path / "ignored", {A: ONE, ".gitignore": INDEX})
    build(root)
    assert judge("git commit --allow-empty -m x", root) is None


def test_a_first_commit_is_judged(tmp_path: Path):
    root = write_files(tmp_path / "first", {A: ONE})
    git(root, "init", "--quiet")
    build(root)
    git(root, "add", A)
    assert judge("git commit -m x", root) is not None
    assert judge(f"git commit -m x -- {A}", root) is not None
    assert judge("git add -A && git commit -m x", root) is None


def test_an_index_with_conflict_markers_is_stale(project: Path):
    (project / INDEX).write_text("<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n")
    stale = judge("git commit -am x", project)
    assert stale is not None
    assert "conflict markers" in explain(stale, project)


def test_a_linked_worktree_is_judged_by_its_own_index(project: Path):
    worktree = project.parent / "worktree"
    git(project, "worktree", "add", "--quiet", str(worktree))
    staged_without_index(worktree)
    assert judge("git commit -m x", project) is None
    assert judge("git commit -m x", worktree) is not None
    assert judge(f"git -C {worktree} commit -m x", project) is not None
    assert judge(f"cd {worktree} && git commit -m x", project) is not None


def test_a_submodule_is_judged_as_the_repository_it_is(project: Path, tmp_path: Path):
    outer = make_repository(tmp_path / "outer", {"README.md": "x\n"})
    git(outer, "submodule", "--quiet", "add", str(project), "sub")
    git(outer, "commit", "--quiet", "-m", "sub")
    staged_without_index(outer / "sub")
    assert judge("git commit --allow-empty -m x", outer) is None
    assert judge("git -C sub commit -m x", outer) is not None


def test_a_bare_repository_and_no_repository_are_no_commit(tmp_path: Path):
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    (tmp_path / "plain").mkdir()
    assert judge("git commit -m x", tmp_path / "bare.git") is None
    assert judge("git commit -m x", tmp_path / "plain") is None


def test_a_marketplace_is_judged_plugin_by_plugin(tmp_path: Path):
    one, two = "plugins/one/knowledge/a.md", "plugins/two/knowledge/a.md"
    root = write_files(tmp_path / "market", {one: ONE, two: ONE})
    build(root)
    make_repository(root, {})
    change(root, TWO, two)
    stale = judge("git commit -am x", root)
    assert stale is not None
    indexes = [checked.corpus.index_path for checked in stale.stale]
    assert indexes == ["plugins/two/knowledge/index.json"]


def test_only_corpus_files_are_staged_on_the_copy(project: Path):
    """Other files cost nothing and can't fail the gate: here git could not even add them."""
    git(project, "config", "filter.broken.clean", "false")
    git(project, "config", "filter.broken.required", "true")
    write_files(project, {".gitattributes": "*.bin filter=broken\n", "video.bin": b"\0" * 1000})
    assert judge("git add -A && git commit -m x", project) is None


def test_a_fresh_index_in_crlf_on_disk_is_fresh(project: Path):
    change(project)
    build(project)
    data = (project / INDEX).read_bytes()
    git(project, "config", "core.autocrlf", "true")
    (project / INDEX).write_bytes(data.replace(b"\n", b"\r\n"))
    assert judge("git commit -am x", project) is None


@pytest.mark.parametrize("order", [("left", "right"), ("right", "left")])
def test_a_clean_merge_of_two_stale_halves_is_stale(project: Path, order: tuple[str, str]):
    """Both branches pass alone; their merge may be clean in every file and still wrong."""
    long_a = "".join(f"## Part {n}\n\nSentence number {n} of it.\n\n" for n in range(12))
    change(project, long_a)
    build(project)
    git(project, "commit", "-qam", "long")
    for branch, old, new in (("left", "Part 1\n", "Setup\n"), ("right", "Part 9\n", "Setup\n")):
        git(project, "checkout", "-q", "-b", branch, "main")
        change(project, long_a.replace(f"## {old}", f"## {new}"))
        build(project)
        assert judge("git commit -am x", project) is None
        git(project, "commit", "-qam", branch)
    first, second = order
    git(project, "checkout", "-q", first)
    git(project, "merge", "-q", "--no-edit", second)
    entries = json.loads((project / INDEX).read_text())[A]
    assert "Setup" in entries
    assert not check_sections(project, os.environ).fresh
    assert judge("git commit --allow-empty -m x", project) is not None


def test_git_that_refuses_a_repository_is_an_error_and_no_verdict(
    project: Path, monkeypatch: pytest.MonkeyPatch
):
    (project / ".git" / "config").write_text("[core\n")
    with pytest.raises(GitError, match="config"):
        judge("git commit -m x", project)
    monkeypatch.setenv("PATH", str(project))
    with pytest.raises(GitError, match="not installed"):
        judge("git commit -m x", project)


def test_the_replay_matches_what_git_itself_would_commit(project: Path):
    """The same command lines, once judged and once run: the verdict is that of the result."""
    lines = [line for prepare, line in [*BLOCKED, *ALLOWED] if prepare is changed_only]
    for line in lines:
        if "pit-memory" in line or "git both" in line:
            continue
        copy = project.parent / "copy"
        subprocess.run(["cp", "-a", str(project), str(copy)], check=True)
        change(copy)
        verdict = judge(line, copy)
        subprocess.run(["bash", "-c", line], cwd=copy, check=True, capture_output=True)
        git(copy, "reset", "--quiet", "--hard")
        before = (copy / INDEX).read_bytes()
        build(copy)
        assert (verdict is not None) == ((copy / INDEX).read_bytes() != before), line
        subprocess.run(["rm", "-rf", str(copy)], check=True)
