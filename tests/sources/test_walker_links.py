"""A look at a source: links and special files."""

import os
import shutil

import pytest

from tests.builders import git, make_repository, write_files
from tests.sources.listings import left_out, look, paths


def test_a_document_with_several_names_is_indexed_once(make_tree):
    root = make_tree({"AGENTS.md": "x", "docs/a.md": ""})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "docs/link.md").symlink_to("../AGENTS.md")
    listing = look(root)
    assert paths(listing) == ["AGENTS.md", "docs/a.md"]
    assert left_out(listing) == {"symlink to an indexed file": (2, ("CLAUDE.md", "docs/link.md"))}


def test_a_link_to_a_file_that_is_no_document_itself_is_indexed_at_the_link(make_tree):
    root = make_tree({".hidden/README.md": "text", "README.txt": "x"})
    (root / "a.md").symlink_to(".hidden/README.md")
    (root / "b.md").symlink_to("a.md")
    (root / "c.md").symlink_to("README.txt")
    listing = look(root)
    assert paths(listing) == ["a.md", "c.md"]
    assert {file.path: file.size for file in listing.files}["a.md"] == 4
    assert left_out(listing)["symlink to an indexed file"] == (1, ("b.md",))


def test_links_that_lead_nowhere_out_or_round_are_left_out_with_the_reason(make_tree, tmp_path):
    write_files(tmp_path, {"outside.md": "secret", "out/o.md": "secret"})
    root = make_tree({"a.md": "", "docs/b.md": "", ".git2": ""})
    links = {
        "round.md": "round.md",
        "ping.md": "pong.md",
        "pong.md": "ping.md",
        "nothing.md": "gone.md",
        "outside.md": "../outside.md",
        "folder": "../out",
        "loop": ".",
        "docs/up": "..",
        "inside": "docs",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    listing = look(root)
    assert paths(listing) == ["a.md", "docs/b.md"]
    found = left_out(listing)
    assert found["symlink loop"] == (3, ("ping.md", "pong.md", "round.md"))
    assert found["symlink to nothing"] == (1, ("nothing.md",))
    assert found["symlink leaves the root"] == (2, ("folder", "outside.md"))
    assert found["symlink to a folder"] == (3, ("docs/up", "inside", "loop"))


def test_an_untracked_link_is_counted_once(make_tree):
    root = make_tree({"a.md": "", "docs/b.md": "", "LICENSE.txt": ""})
    for name, target in {"inside": "docs", "LICENSE": "LICENSE.txt", "gone": "no"}.items():
        (root / name).symlink_to(target)
    assert left_out(look(root)) == {
        "of another format": (2, ("LICENSE.txt", "LICENSE")),
        "symlink to a folder": (1, ("inside",)),
        "symlink to nothing": (1, ("gone",)),
    }


def test_links_that_git_tracks_are_judged_alike(tmp_path):
    root = write_files(tmp_path / "root", {"a.md": "", "docs/b.md": ""})
    write_files(tmp_path, {"outside.md": ""})
    for name, target in {"l.md": "a.md", "o.md": "../outside.md", "d.d": "docs"}.items():
        (root / name).symlink_to(target)
    listing = look(make_repository(root, {}))
    assert listing.via == "git"
    assert paths(listing) == ["a.md", "docs/b.md"]
    assert left_out(listing) == {
        "symlink leaves the root": (1, ("o.md",)),
        "symlink to a folder": (1, ("d.d",)),
        "symlink to an indexed file": (1, ("l.md",)),
    }


def test_a_folder_that_became_a_link_leads_to_none_of_its_tracked_files(tmp_path):
    write_files(tmp_path, {"out/o.md": "secret", "out/deep/d.md": "secret"})
    root = make_repository(tmp_path / "root", {"a.md": "", "docs/o.md": "", "docs/deep/d.md": ""})
    shutil.move(root / "docs", root / "moved")
    (root / "docs").symlink_to("../out")
    listing = look(root)
    assert paths(listing) == ["a.md", "moved/deep/d.md", "moved/o.md"]
    assert left_out(listing)["symlink leaves the root"] == (1, ("docs",))


@pytest.mark.parametrize("submodule", ["sub", "deep/sub"])
def test_a_submodule_that_became_a_link_is_not_followed(tmp_path, submodule: str):
    inner = make_repository(tmp_path / "inner", {"i.md": "secret"})
    root = make_repository(tmp_path / "root", {"a.md": ""})
    head = git(inner, "rev-parse", "HEAD").strip()
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{head},{submodule}")
    link, _, below = submodule.partition("/")
    (root / link).symlink_to(tmp_path if below else inner)
    (inner if below else tmp_path).joinpath("sub").mkdir()
    write_files(tmp_path, {"sub/s.md": "secret"})
    listing = look(root)
    assert paths(listing) == ["a.md"]
    assert left_out(listing)["symlink leaves the root"] == (1, (link,))


def test_a_link_into_gits_own_folder_is_not_followed(tmp_path):
    root = make_repository(tmp_path / "root", {"a.md": ""})
    (root / "config.md").symlink_to(".git/config")
    assert paths(look(root)) == ["a.md"]


def test_a_fifo_is_never_opened(tmp_path):
    root = write_files(tmp_path / "root", {"a.md": ""})
    os.mkfifo(root / "pipe.md")
    listing = look(root)
    assert paths(listing) == ["a.md"]
    assert left_out(listing) == {"not a regular file": (1, ("pipe.md",))}


def test_a_root_that_is_a_link_is_looked_into(make_tree, tmp_path):
    root = make_tree({"a.md": ""})
    (tmp_path / "link").symlink_to(root)
    assert paths(look(tmp_path / "link")) == ["a.md"]
