"""A look at a source: what could not be looked at, and documents that are gone."""

import os
import shutil
from pathlib import Path

import pytest

from pit_memory.core.documents.freshness import SeenFile, plan
from pit_memory.errors import SourceError
from pit_memory.sources.listing import Listing
from pit_memory.sources.walker import explain_losses
from tests.builders import git, make_repository, write_files
from tests.machine import disk, open_folder, without_privileges
from tests.sources.listings import left_out, look, paths

# ---- what could not be looked at -------------------------------------------------------------


def test_no_such_root_is_an_error_that_names_it(tmp_path):
    with pytest.raises(SourceError, match="there is no such folder") as caught:
        look(tmp_path / "gone")
    assert str(tmp_path / "gone") in str(caught.value)


def test_a_root_that_is_a_file_is_an_error(tmp_path):
    write_files(tmp_path, {"a.md": ""})
    with pytest.raises(SourceError, match="it is not a folder"):
        look(tmp_path / "a.md")


def test_a_root_whose_links_run_in_a_circle_is_an_error(tmp_path):
    (tmp_path / "root").symlink_to("root")
    with pytest.raises(SourceError, match="circle"):
        look(tmp_path / "root")


def test_a_root_without_permission_is_an_error():
    with open_folder() as place:
        root = write_files(place / "root", {"a.md": ""})
        root.chmod(0)
        with without_privileges(), pytest.raises(SourceError, match="permission denied"):
            look(root)


@pytest.mark.parametrize("by_git", [True, False])
def test_documents_in_an_unreadable_folder_are_not_taken_for_deleted(by_git, monkeypatch):
    with open_folder() as place, without_privileges():
        monkeypatch.setenv("HOME", str(place))
        root = write_files(place / "root", {"a.md": "", "closed/b.md": "", "closed/in/c.md": ""})
        if by_git:
            make_repository(root, {})
            write_files(root, {"closed/in/untracked.md": ""})
        before = {file.path: file for file in look(root).files}
        (root / "closed").chmod(0)
        listing = look(root)
        (root / "closed").chmod(0o755)
    assert paths(listing) == ["a.md"]
    assert left_out(listing)["unreadable"][0] >= 1
    made = plan(before, listing.files, not_looked=listing.not_looked)
    assert (made.lost, made.refused) == ((), None)


def test_untracked_documents_are_kept_while_git_is_too_slow_to_list_them(tmp_path, monkeypatch):
    root = make_repository(tmp_path / "root", {"a.md": ""})
    write_files(root, {"new.md": ""})
    before = {file.path: file for file in look(root).files}
    real = shutil.which("git")
    script = f'#!/bin/sh\ncase "$*" in *--others*) exec sleep 60;; esac\nexec {real} "$@"\n'
    slow = write_files(tmp_path / "bin", {"git": script}) / "git"
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("pit_memory.workspace.git._LISTING_SECONDS", 0.5)
    listing = look(root)
    assert paths(listing) == ["a.md"]
    assert "took longer than" in listing.notes[0]
    assert plan(before, listing.files, not_looked=listing.not_looked).lost == ()


def test_files_that_vanish_while_they_are_looked_at_are_simply_not_there(make_tree, monkeypatch):
    root = make_tree({f"{folder}/{number}.md": "" for folder in "abc" for number in range(9)})
    real_stat = os.stat

    def stat_after_a_deletion(path, **arguments):
        if path == "b/0.md":
            shutil.rmtree(root / "b")
        return real_stat(path, **arguments)

    monkeypatch.setattr(os, "stat", stat_after_a_deletion)
    listing = look(root)
    assert not [path for path in paths(listing) if path == "b/0.md"]
    assert [path for path in paths(listing) if path[0] != "b"] == [
        f"{folder}/{number}.md" for folder in "ac" for number in range(9)
    ]
    assert listing.not_looked == ()


# ---- losses ----------------------------------------------------------------------------------


def stamps(listing: Listing) -> dict[str, SeenFile]:
    return {file.path: file for file in listing.files}


def planned(root: Path, before: dict[str, SeenFile], listing: Listing) -> tuple[bool, int]:
    """Plan as a look does: ask for an explanation where the first plan is refused."""
    first = plan(before, listing.files, not_looked=listing.not_looked)
    excused = explain_losses(root, first.lost, listing) if first.refused else ()
    made = plan(before, listing.files, not_looked=listing.not_looked, excused=excused)
    return made.refused is not None, len(made.remove)


MANY = {f"docs/{number}.md": str(number) for number in range(30)}


def test_deleting_most_of_a_work_tree_is_refused_until_it_is_committed(tmp_path):
    root = make_repository(tmp_path / "root", {**MANY, "README.md": ""})
    before = stamps(look(root))
    shutil.rmtree(root / "docs")
    assert planned(root, before, look(root)) == (True, 0)
    git(root, "commit", "--quiet", "--all", "--message", "Remove docs")
    assert planned(root, before, look(root)) == (False, 30)


def test_switching_to_a_branch_without_most_documents_is_believed(tmp_path):
    root = make_repository(tmp_path / "root", {"README.md": ""})
    git(root, "checkout", "--quiet", "-b", "docs")
    make_repository(root, MANY)
    before = stamps(look(root))
    git(root, "checkout", "--quiet", "main")
    assert planned(root, before, look(root)) == (False, 30)


def test_an_emptied_work_tree_is_refused_whatever_head_says(tmp_path):
    root = make_repository(tmp_path / "root", MANY)
    before = stamps(look(root))
    git(root, "rm", "--quiet", "-r", "docs")
    git(root, "commit", "--quiet", "--message", "Remove docs")
    assert planned(root, before, look(root)) == (True, 0)


def test_losing_most_of_a_plain_folder_is_refused(tmp_path):
    root = write_files(tmp_path / "root", {**MANY, "README.md": ""})
    before = stamps(look(root))
    shutil.rmtree(root / "docs")
    assert planned(root, before, look(root)) == (True, 0)


def test_documents_that_a_new_rule_leaves_out_are_no_loss(make_tree):
    root = make_tree(MANY)
    before = stamps(look(root))
    assert planned(root, before, look(root, exclude=("docs/",))) == (False, 30)


def test_a_submodule_that_is_gone_is_not_excused_by_head(tmp_path):
    inner = make_repository(tmp_path / "inner", MANY)
    root = make_repository(tmp_path / "root", {"README.md": ""})
    git(root, "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "commit", "--quiet", "--message", "Add sub")
    before = stamps(look(root))
    assert len(before) == 31
    git(root, "submodule", "--quiet", "deinit", "--force", "sub")
    assert planned(root, before, look(root)) == (True, 0)


def test_an_unmounted_disk_keeps_the_index(tmp_path):
    place = write_files(tmp_path / "vault", {})
    with disk(place):
        write_files(place, {"a.md": "", "b.md": ""})
        mounted = look(place)
    unmounted = look(place)
    assert unmounted.device != mounted.device
    made = plan(stamps(mounted), unmounted.files, device_changed=True)
    assert made.refused
    assert made.remove == ()
