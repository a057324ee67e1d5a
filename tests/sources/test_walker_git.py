"""A look at a source: work trees, with git and without."""

import os
from pathlib import Path

import pytest

from pit_memory.sources.sieve import Rules
from pit_memory.sources.walker import list_source
from pit_memory.workspace.git_command import NO_GIT
from tests.builders import git, make_repository, write_files
from tests.machine import open_folder, without_privileges
from tests.sources.listings import left_out, look, paths


def test_what_git_ignores_is_no_document_and_is_counted_when_asked(tmp_path):
    files = {".gitignore": "built/\n*.tmp.md\n", "a.md": "", "built/b.md": "", "x.tmp.md": ""}
    root = make_repository(tmp_path / "root", files)
    assert look(root).via == "git"
    assert paths(look(root)) == ["a.md"]
    asked = list_source(root, Rules(), with_ignored=True)
    assert left_out(asked)["ignored by git"] == (2, ("built/", "x.tmp.md"))


def test_a_root_that_git_ignores_is_read_like_any_folder(tmp_path):
    root = make_repository(tmp_path / "root", {".gitignore": "vault/\n", "vault/deep/a.md": ""})
    for folder, found in {"vault": ["deep/a.md"], "vault/deep": ["a.md"]}.items():
        listing = look(root / folder)
        assert (listing.via, paths(listing), listing.notes) == ("scandir", found, ())


def test_a_folder_of_a_work_tree_is_listed_by_its_rules(tmp_path):
    files = {".gitignore": "*.tmp.md\n", "docs/a.md": "", "docs/b.tmp.md": "", "c.md": ""}
    root = make_repository(tmp_path / "root", files)
    listing = look(root / "docs")
    assert (listing.via, paths(listing)) == ("git", ["a.md"])


def test_a_tracked_file_that_was_deleted_is_not_there(tmp_path):
    root = make_repository(tmp_path / "root", {"a.md": "", "b.md": ""})
    (root / "a.md").unlink()
    assert paths(look(root)) == ["b.md"]


def test_submodules_and_nested_repositories_are_trees_of_their_own(make_tree, tmp_path):
    inner = make_repository(tmp_path / "inner", {".gitignore": "no.md\n", "yes.md": ""})
    root = make_tree({"a.md": ""})
    if (root / ".git").exists():
        git(root, "submodule", "--quiet", "add", str(inner), "sub")
        git(root, "commit", "--quiet", "--message", "Add sub")
    else:
        git(root, "clone", "--quiet", str(inner), "sub")
    make_repository(root / "nested", {".gitignore": "no.md\n", "yes.md": "", "no.md": ""})
    make_repository(root / "nested/deeper", {"deep.md": ""})
    write_files(root, {"sub/no.md": "", "sub/new.md": ""})
    assert paths(look(root)) == [
        "a.md",
        "nested/deeper/deep.md",
        "nested/yes.md",
        "sub/new.md",
        "sub/yes.md",
    ]


def test_a_submodule_that_is_not_checked_out_is_named(tmp_path):
    inner = make_repository(tmp_path / "inner", {"a.md": ""})
    root = make_repository(tmp_path / "root", {"b.md": ""})
    git(root, "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "commit", "--quiet", "--message", "Add sub")
    git(tmp_path, "clone", "--quiet", str(root), "clone")
    listing = look(tmp_path / "clone")
    assert paths(listing) == ["b.md"]
    assert left_out(listing)["submodule is not checked out"] == (1, ("sub/",))


def test_a_worktree_inside_its_own_repository_is_not_indexed_twice(tmp_path):
    root = make_repository(tmp_path / "root", {"a.md": ""})
    git(root, "worktree", "add", "--quiet", "trees/feature")
    listing = look(root)
    assert paths(listing) == ["a.md"]
    assert left_out(listing) == {"worktree of the same repository": (1, ("trees/feature/",))}
    assert paths(look(root / "trees/feature")) == ["a.md"]


def test_a_nested_repository_in_a_folder_that_is_skipped_stays_out(make_tree):
    root = make_tree({"a.md": ""})
    make_repository(root / "vendor/lib", {"README.md": ""})
    make_repository(root / ".cache/lib", {"README.md": ""})
    assert paths(look(root, exclude=("vendor/",))) == ["a.md"]


def test_without_git_a_repository_is_read_like_a_folder_and_says_so(tmp_path, monkeypatch):
    root = make_repository(tmp_path / "root", {".gitignore": "b.md\n", "a.md": "", "b.md": ""})
    monkeypatch.setenv("PATH", str(tmp_path))
    listing = look(root)
    assert (listing.via, paths(listing)) == ("scandir", ["a.md", "b.md"])
    assert listing.notes == (
        f"git could not list {root} ({NO_GIT}): its ignore rules are not applied",
    )


def test_a_repository_of_somebody_else_is_read_like_a_folder_and_says_so(monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("only root can make a file of somebody else")
    with open_folder() as place:
        root = make_repository(place / "root", {"a.md": ""})
        monkeypatch.setenv("HOME", str(place))
        with without_privileges():
            listing = look(root)
    assert (listing.via, paths(listing)) == ("scandir", ["a.md"])
    assert "dubious ownership" in listing.notes[0]


def test_a_bare_repository_has_no_work_tree_and_no_documents(tmp_path):
    git(tmp_path, "init", "--quiet", "--bare", "bare")
    listing = look(tmp_path / "bare")
    assert (listing.via, listing.files) == ("scandir", ())


def test_a_work_tree_is_read_without_git_where_that_is_asked_for(tmp_path: Path):
    root = make_repository(tmp_path / "tree", {"a.md": "# A", ".gitignore": "b.md"})
    write_files(root, {"b.md": "# B"})

    asked, unasked = list_source(root, Rules()), list_source(root, Rules(), by_git=False)

    assert (asked.via, [file.path for file in asked.files]) == ("git", ["a.md"])
    assert (unasked.via, sorted(file.path for file in unasked.files)) == (
        "scandir",
        ["a.md", "b.md"],
    )
