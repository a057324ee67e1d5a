"""Questions to git: right answers, or a value that says why there is none."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pit_memory.workspace import git as questions
from pit_memory.workspace.git import (
    GitFailure,
    Printed,
    Tracked,
    Untracked,
    head_paths,
    is_ignored,
    list_ignored,
    listing,
    version,
)
from pit_memory.workspace.git_command import NO_GIT
from pit_memory.workspace.work_trees import toplevel
from tests.builders import git, make_repository, write_files
from tests.machine import open_folder, without_privileges

NASTY_NAMES = ["a b.md", 'q"uote.md', "new\nline.md", "tab\t.md", "#@%.md", "ü.md", "u\u0308.md"]


def list_both(folder: Path) -> tuple[Tracked, Untracked]:
    with listing(folder) as running:
        printed = running.printed()
    assert isinstance(printed, Printed), printed
    tracked, untracked = printed.parsed()
    assert isinstance(untracked, Untracked), untracked
    return tracked, untracked


def failure_of(folder: Path) -> str:
    with listing(folder) as running:
        printed = running.printed()
    assert isinstance(printed, GitFailure)
    return printed.reason


def tree_state(folder: Path) -> list[tuple[str, int, int]]:
    return sorted((str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in folder.rglob("*"))


# ---- listing ---------------------------------------------------------------------------------


def test_a_listing_tells_tracked_untracked_and_nested_apart(tmp_path):
    inner = make_repository(tmp_path / "inner", {"a.md": ""})
    root = make_repository(tmp_path / "r", {".gitignore": "built/\n", "a.md": ""})
    (root / "link.md").symlink_to("a.md")
    git(root, "add", "link.md")
    git(root, "submodule", "--quiet", "add", str(inner), "sub")
    make_repository(root / "nested", {"n.md": ""})
    write_files(root, {"new.md": "", "built/out.md": ""})
    tracked, untracked = list_both(root)
    assert set(tracked.files) == {".gitignore", ".gitmodules", "a.md"}
    assert tracked.symlinks == ("link.md",)
    assert tracked.submodules == ("sub",)
    assert untracked == Untracked(("new.md",), ("nested",), ())


def test_a_folder_of_a_work_tree_is_listed_relative_to_itself(tmp_path):
    root = make_repository(tmp_path / "r", {"docs/a.md": "", "b.md": ""})
    write_files(root, {"docs/new.md": "", "new.md": ""})
    tracked, untracked = list_both(root / "docs")
    assert tracked.files == ("a.md",)
    assert untracked.files == ("new.md",)


def test_names_are_kept_as_the_file_system_spells_them(tmp_path):
    root = make_repository(tmp_path / "r", dict.fromkeys(NASTY_NAMES[:4], ""))
    write_files(root, dict.fromkeys(NASTY_NAMES[4:], ""))
    (root / "latin-\udce9.md").touch()
    tracked, untracked = list_both(root)
    assert set(tracked.files) == set(NASTY_NAMES[:4])
    assert set(untracked.files) == {*NASTY_NAMES[4:], "latin-\udce9.md"}


def test_a_file_in_conflict_is_listed_once(tmp_path):
    root = make_repository(tmp_path / "r", {"a.md": "1\n"})
    git(root, "checkout", "--quiet", "-b", "other")
    write_files(root, {"a.md": "2\n"})
    git(root, "commit", "--quiet", "--all", "--message", "2")
    git(root, "checkout", "--quiet", "main")
    write_files(root, {"a.md": "3\n"})
    git(root, "commit", "--quiet", "--all", "--message", "3")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "other")
    assert list_both(root)[0].files == ("a.md",)


def test_a_listing_changes_nothing_and_runs_no_program_of_the_repository(tmp_path):
    root = make_repository(tmp_path / "r", {"a.md": ""})
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", encoding="utf-8")
    spy.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(spy))
    (root / "a.md").touch()  # git would like to refresh its index now
    before = tree_state(root)
    list_both(root)
    is_ignored(root)
    list_ignored(root)
    head_paths(root)
    assert tree_state(root) == before
    assert not (tmp_path / "ran").exists()


def test_variables_that_git_sets_for_a_hook_do_not_lead_elsewhere(tmp_path, monkeypatch):
    root = make_repository(tmp_path / "r", {"a.md": ""})
    other = make_repository(tmp_path / "other", {"b.md": ""})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert list_both(root)[0].files == ("a.md",)
    assert head_paths(root) == frozenset({"a.md"})


def test_an_unreadable_folder_is_named(monkeypatch):
    with open_folder() as place, without_privileges():
        monkeypatch.setenv("HOME", str(place))
        root = make_repository(place / "r", {"a.md": ""})
        write_files(root, {"closed/b.md": ""})
        (root / "closed").chmod(0)
        tracked, untracked = list_both(root)
        (root / "closed").chmod(0o755)
    assert tracked.files == ("a.md",)
    assert untracked.unreadable == ("closed",)


# ---- other questions -------------------------------------------------------------------------


def test_what_is_ignored_is_told_for_folders_and_files(tmp_path):
    rules = "built/\n*.tmp\n"
    files = {".gitignore": rules, "built/docs/a.md": "", "x.tmp": "", "docs/a.md": ""}
    root = make_repository(tmp_path / "r", files)
    assert is_ignored(root / "built/docs") is True
    assert is_ignored(root / "built") is True
    assert is_ignored(root / "docs") is False
    assert is_ignored(root) is False
    assert list_ignored(root) == ("built/", "x.tmp")


def test_a_folder_is_ignored_even_if_a_file_in_it_was_added_by_force(tmp_path):
    root = make_repository(tmp_path / "r", {".gitignore": "built/\n", "built/a.md": ""})
    git(root, "add", "--force", "built/a.md")
    assert is_ignored(root / "built") is True


def test_the_paths_of_head_are_those_of_the_commit_not_of_the_index(tmp_path):
    root = make_repository(tmp_path / "r", {"docs/ü b.md": "", "docs/x/c.md": "", "d.md": ""})
    git(root, "rm", "--quiet", "-r", "docs")
    (root / "docs").mkdir()
    assert head_paths(root) == frozenset({"docs/ü b.md", "docs/x/c.md", "d.md"})
    assert head_paths(root / "docs") == frozenset({"ü b.md", "x/c.md"})


def test_the_version_of_git_is_a_tuple_of_numbers():
    found = version()
    assert isinstance(found, tuple)
    assert found >= (2, 0)


# ---- no answer -------------------------------------------------------------------------------


def test_a_commit_that_is_not_there_is_a_failure(tmp_path):
    git(tmp_path, "init", "--quiet")
    assert isinstance(head_paths(tmp_path), GitFailure)


def test_without_git_the_failure_says_so(tmp_path, monkeypatch):
    root = make_repository(tmp_path / "r", {})
    monkeypatch.setenv("PATH", str(tmp_path))
    assert failure_of(root) == "git is not installed, or not on the PATH: install it"
    assert version() == GitFailure(NO_GIT)
    assert is_ignored(root) == GitFailure(NO_GIT)


def test_a_repository_of_somebody_else_is_a_failure_that_says_so(monkeypatch):
    with open_folder() as place:
        root = make_repository(place / "r", {"a.md": ""})
        if os.geteuid() != 0:
            pytest.skip("only root can make a file of somebody else")
        monkeypatch.setenv("HOME", str(place))
        with without_privileges():
            assert "dubious ownership" in failure_of(root)
            assert toplevel(root) == root


def test_a_damaged_index_is_a_failure_with_what_git_said(tmp_path):
    root = make_repository(tmp_path / "r", {"a.md": ""})
    (root / ".git/index").write_bytes(b"nonsense")
    assert "index" in failure_of(root)


def test_a_git_that_hangs_is_given_up_and_ended(tmp_path, monkeypatch):
    root = make_repository(tmp_path / "r", {"a.md": ""})
    slow = write_files(tmp_path / "bin", {"git": "#!/bin/sh\nexec sleep 60\n"}) / "git"
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(questions, "_LISTING_SECONDS", 0.1)
    assert failure_of(root) == "git ls-files took longer than 0.1 s"


def test_a_folder_that_is_gone_is_a_failure(tmp_path):
    root = make_repository(tmp_path / "r", {})
    shutil.rmtree(root)
    assert "could not be started" in failure_of(root)
