"""One commit of many files that only pit-memory writes, in every state of a repository."""

import os
import shutil
from pathlib import Path

import pytest

from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.workspace.large_commits import commit_large
from pit_memory.workspace.locks import FileLock
from tests.builders import git, git_hook, make_repository, write_files

HOME = "docs/incidents"
NAMES = [f"{HOME}/{name}" for name in ("a b[1]*.md", "é.md", "c.md")]
"""Names that are patterns to git, or quoted by it, unless it is told otherwise."""
STAGED = "M  a.txt\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"a.txt": "a\n", "b.txt": "b\n", f"{HOME}/mine.md": "# Mine\n"}
    root = make_repository(tmp_path.resolve() / "project", files)
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    return root


def commit(root: Path, content: str = "# New\n", **more) -> tuple[int, CommitOutcome]:
    write_files(root, dict.fromkeys(NAMES, content))
    lock = FileLock(root.parent / "locks/one.lock")
    return commit_large(root, NAMES, lambda count: f"docs: import {count} files", lock, **more)


def committed(root: Path) -> list[str]:
    return sorted(git(root, "show", "--name-only", "--format=", "-z").strip("\0").split("\0"))


def status(root: Path) -> str:
    return git(root, "status", "--porcelain", "--untracked-files=all")


def test_they_alone_are_committed_and_what_is_staged_changed_or_new_beside_them_stays(root: Path):
    write_files(root, {f"{HOME}/mine.md": "changed\n", f"{HOME}/new.md": "# Person's\n"})
    before = status(root), git(root, "diff", "--cached")
    count, outcome = commit(root)
    assert (count, outcome.state, outcome.branch) == (3, "committed", "main")
    assert outcome.id == git(root, "rev-parse", "--short", "HEAD").strip()
    assert git(root, "log", "-1", "--format=%s") == "docs: import 3 files\n"
    assert committed(root) == sorted(NAMES)
    assert (status(root), git(root, "diff", "--cached")) == before


def test_those_that_head_has_are_left_out_and_without_any_there_is_no_commit(root: Path):
    commit(root)
    head = git(root, "rev-parse", "HEAD")
    assert commit(root)[0] == 0
    assert git(root, "rev-parse", "HEAD") == head
    write_files(root, {NAMES[2]: "# Older\n"})
    git(root, "commit", "--quiet", "--message", "Older", "--only", NAMES[2])
    count, outcome = commit(root)
    assert (count, outcome.state) == (1, "committed")
    assert committed(root) == [NAMES[2]]
    assert status(root) == STAGED


def test_an_unborn_branch_gets_its_first_commit(tmp_path: Path):
    root = write_files(tmp_path / "new", {})
    git(root, "init", "--quiet")
    assert commit(root)[1].state == "committed"
    assert status(root) == ""


@pytest.mark.parametrize("is_unborn", [False, True])
def test_a_failing_hook_is_respected_and_nothing_stays_staged(root: Path, is_unborn: bool):
    if is_unborn:
        git(root, "checkout", "--quiet", "--orphan", "other")
    before = git(root, "diff", "--cached")
    git_hook(root, "pre-commit", "echo 'main is closed on Fridays'; exit 3")
    outcome = commit(root)[1]
    assert outcome.state == "not committed"
    assert outcome.reason == "a hook refused it: main is closed on Fridays"
    assert git(root, "diff", "--cached") == before
    assert status(root).count("?? ") == len(NAMES)


def test_a_failing_hook_leaves_changed_ones_unstaged_too(root: Path):
    commit(root)
    git_hook(root, "commit-msg", "exit 1")
    assert commit(root, "# Newer\n")[1].state == "not committed"
    assert git(root, "diff", "--cached", "--name-only") == "a.txt\n"
    assert status(root).count(" M ") == len(NAMES)


def test_what_a_hook_formats_or_adds_is_committed_and_leaves_nothing_staged(root: Path):
    git_hook(
        root,
        "pre-commit",
        f"echo formatted >> '{NAMES[2]}'; git add '{NAMES[2]}'",
        "echo > list.txt; git add list.txt",
    )
    outcome = commit(root)[1]
    assert (outcome.state, outcome.also) == ("committed", ("list.txt",))
    assert git(root, "show", f"HEAD:{NAMES[2]}") == "# New\nformatted\n"
    assert status(root) == STAGED


def test_a_hook_that_fails_after_the_commit_does_not_undo_it(root: Path, monkeypatch):
    monkeypatch.setattr("pit_memory.workspace.large_commits.COMMIT_SECONDS", 3.0)
    git_hook(root, "post-commit", "sleep 30")
    outcome = commit(root)[1]
    assert outcome.state == "committed"
    assert "what follows a commit failed: it took longer than 3" in outcome.reason
    assert status(root) == STAGED


@pytest.mark.parametrize("ignored", ["docs/", "*.md"])
def test_what_git_ignores_is_told(tmp_path: Path, ignored: str):
    root = make_repository(tmp_path / "project", {".gitignore": f"{ignored}\n"})
    assert commit(root)[1].reason in [f"git ignores {name}" for name in NAMES]
    assert status(root) == ""


def test_a_protected_branch_a_merge_and_no_repository_keep_the_files(root: Path, tmp_path: Path):
    assert "main is protected" in commit(root, protected=["main"])[1].reason
    (root / ".git/MERGE_HEAD").write_text("")
    assert "a merge is in progress" in commit(root)[1].reason
    assert "not a git repository" in commit(tmp_path / "elsewhere")[1].reason


def test_where_all_are_committed_nothing_is_in_the_way(root: Path):
    commit(root)
    (root / ".git/MERGE_HEAD").write_text("")
    assert commit(root)[0] == 0


def test_a_worktree_commits_to_its_own_branch(root: Path):
    git(root, "worktree", "add", "--quiet", "../second", "-b", "second")
    second = root.parent / "second"
    assert commit(second)[1].branch == "second"
    assert status(second) == ""
    assert status(root) == STAGED


PERSON_COMMITS = (
    "unset GIT_INDEX_FILE",
    "git add persons.md && git commit --quiet --no-verify --message Person --only persons.md",
)
"""What a person does meanwhile, once."""


def assert_both_are_kept(root: Path, outcome: CommitOutcome) -> None:
    assert outcome.state == "committed"
    assert git(root, "log", "--format=%s").split("\n")[:3] == [
        "docs: import 3 files",
        "Person",
        "Begin",
    ]
    assert committed(root) == sorted(NAMES)
    assert git(root, "show", "HEAD:persons.md") == "# Person's\n"
    assert status(root) == STAGED


@pytest.mark.parametrize("name", ["post-index-change", "pre-commit", "commit-msg"])
def test_a_commit_of_the_persons_that_comes_between_is_kept(root: Path, name: str):
    write_files(root, {"persons.md": "# Person's\n"})
    mine = 'case "$GIT_INDEX_FILE" in *pit-memory-*) ;; *) exit 0 ;; esac'
    once = "mkdir .git/once 2>/dev/null || exit 0"
    git_hook(root, name, mine if name == "post-index-change" else "", once, *PERSON_COMMITS)
    assert_both_are_kept(root, commit(root)[1])


def test_one_that_comes_when_git_has_been_started_is_kept_too(root: Path, monkeypatch):
    write_files(root, {"persons.md": "# Person's\n"})
    real, folder = shutil.which("git"), root.parent / "bin"
    once = f"mkdir '{folder}/once' 2>/dev/null"
    person = [line.replace("git ", f"{real} ") for line in PERSON_COMMITS]
    script = [
        "#!/bin/sh",
        f'case "$*" in *"commit --quiet"*) {once} && ({"; ".join(person)}) ;; esac',
        f'exec {real} "$@"',
    ]
    write_files(folder, {"git": "\n".join([*script, ""])})
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    assert_both_are_kept(root, commit(root)[1])


def test_a_rebase_that_begins_between_keeps_the_files_unstaged(root: Path):
    write_files(root, {"persons.md": "# Person's\n"})
    git_hook(root, "pre-commit", *PERSON_COMMITS, "mkdir .git/rebase-merge")
    outcome = commit(root)[1]
    assert "a rebase is in progress" in outcome.reason
    assert status(root).count("?? ") == len(NAMES)
