"""Where a work tree begins, whatever git says."""

import os

import pytest

from pit_memory.workspace.work_trees import common_dir, toplevel
from tests.builders import git, make_repository


def test_the_enclosing_work_tree_is_found_from_below(tmp_path):
    root = make_repository(tmp_path / "r", {"docs/deep/a.md": ""})
    assert toplevel(root / "docs/deep") == root
    assert toplevel(root) == root
    assert toplevel(tmp_path) is None


def test_a_worktree_and_a_submodule_are_roots_of_their_own(tmp_path):
    inner = make_repository(tmp_path / "inner", {"a.md": ""})
    root = make_repository(tmp_path / "r", {"b.md": ""})
    git(root, "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    assert toplevel(root / "sub") == root / "sub"
    assert toplevel(tmp_path / "tree") == tmp_path / "tree"
    assert common_dir(tmp_path / "tree") == common_dir(root) == root / ".git"
    assert common_dir(root / "sub") == root / ".git/modules/sub"
    assert common_dir(tmp_path) is None


@pytest.mark.parametrize("content", [None, "", "nonsense"])
def test_a_git_entry_that_is_no_repository_does_not_count(tmp_path, content):
    if content is None:
        (tmp_path / ".git").mkdir()
    else:
        (tmp_path / ".git").write_text(content, encoding="utf-8")
    assert toplevel(tmp_path) is None


@pytest.mark.parametrize("name", [".git", ".git/commondir"])
@pytest.mark.parametrize("what", ["fifo", "device", "large"])
def test_what_is_no_small_file_is_not_read(tmp_path, name: str, what: str):
    place = tmp_path / name
    if name != ".git":
        (tmp_path / ".git").mkdir()
        (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    if what == "fifo":
        os.mkfifo(place)
    elif what == "device":
        place.symlink_to("/dev/zero")
    else:
        place.write_text("gitdir: " + "x" * 100_000)
    if name == ".git":
        assert toplevel(tmp_path) is None
    else:
        assert common_dir(tmp_path) == tmp_path / ".git"
