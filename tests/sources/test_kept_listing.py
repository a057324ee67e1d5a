"""Looks that follow one another: what did not change is not asked again, what did is seen."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pit_memory.sources.kept_listing import PROOF_SECONDS, KeptListing
from pit_memory.sources.listing import Listing
from pit_memory.sources.sieve import Rules
from pit_memory.sources.walker import list_source
from tests.builders import git, make_repository, write_files

if TYPE_CHECKING:
    from pit_memory.core.documents.freshness import SeenFile

FILES = {
    ".gitignore": "built/\n*.tmp.md\n",
    "a.md": "# A\n",
    "docs/b.md": "# B\n",
    "docs/deep/c.md": "# C\n",
    "docs/deep/.gitignore": "secret.md\n",
    "docs/x.tmp.md": "# X\n",
    "docs/deep/secret.md": "# S\n",
    "built/out.md": "# Out\n",
    "src/code.py": "x = 1\n",
    "loose/LICENSE": "free\n",
}


class Looks:
    """One process's looks at a root; each is compared with what a first look would see."""

    def __init__(self, root: Path, calls: Path) -> None:
        self.root = root
        self.now = 0.0
        self._calls = calls
        self._kept = KeptListing(lambda: self.now)
        self._known: dict[str, SeenFile] = {}

    def look(self, rules: Rules = Rules()) -> Listing:  # noqa: B008 -- it is frozen
        seen = list_source(self.root, rules, known=self._known, kept=self._kept)
        self._known = {file.path: file for file in seen.files}
        return seen

    def paths(self) -> list[str]:
        """What the next look sees, which is what a first one sees."""
        seen, fresh = self.look(), list_source(self.root, Rules())
        assert sorted(seen.files) == sorted(fresh.files)
        counts = [sorted((it.reason, it.count) for it in each.left_out) for each in (seen, fresh)]
        assert counts[0] == counts[1]
        assert (seen.not_looked, seen.notes, seen.via) == (
            fresh.not_looked,
            fresh.notes,
            fresh.via,
        )
        return sorted(file.path for file in seen.files)

    def asked(self) -> int:
        """How often the next look asks git or reads a folder."""
        before = self._calls.stat().st_size
        self.look()
        return self._calls.stat().st_size - before

    def settle(self) -> None:
        """Look as often as it takes to know that nothing changed."""
        time.sleep(0.03)  # the folders' times must be old enough to be trusted
        for _ in range(3):
            self.look()


@pytest.fixture
def looks(tmp_path, monkeypatch) -> Callable[[Path], Looks]:
    """Looks that are counted where they ask git or read folders; the disk tells times finely."""
    calls, real = tmp_path / "calls", shutil.which("git")
    calls.touch()
    script = f'#!/bin/sh\nprintf . >> {calls}\nexec {real} "$@"\n'
    (write_files(tmp_path / "bin", {"git": script}) / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    read = os.scandir

    def counted(folder: str) -> object:
        with calls.open("a") as file:
            file.write(".")
        return read(folder)

    monkeypatch.setattr(os, "scandir", counted)
    monkeypatch.setattr("pit_memory.workspace.stamps.SETTLED_NS", 20_000_000)
    return lambda root: Looks(root, calls)


def same_size_and_time(root: Path) -> None:
    before = (root / "a.md").stat()
    (root / "a.md").write_text("# Z\n")
    os.utime(root / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(root: Path) -> None:
    write_files(root, {"docs/.b.md.new": "# Z\n"})
    (root / "docs/.b.md.new").replace(root / "docs/b.md")


def folder_became_link(root: Path) -> None:
    (root / "docs/deep").rename(root.parent / "elsewhere")
    (root / "docs/deep").symlink_to(root.parent / "elsewhere")


def file_became_link(root: Path) -> None:
    (root / "docs/b.md").unlink()
    (root / "docs/b.md").symlink_to("../a.md")


def file_became_folder(root: Path) -> None:
    (root / "loose/LICENSE").unlink()
    write_files(root, {"loose/LICENSE/mit.md": "# MIT\n"})


def link_without_ending(root: Path) -> None:
    (root / "loose/link").symlink_to("../docs")


CHANGES: dict[str, Callable[[Path], object]] = {
    "nothing": lambda _: None,
    "a new page": lambda root: write_files(root, {"docs/new.md": ""}),
    "a new page in a new folder": lambda root: write_files(root, {"new/deep/new.md": ""}),
    "a new page where only code was": lambda root: write_files(root, {"src/new.md": ""}),
    "a new page that is hidden": lambda root: write_files(root, {"docs/.new.md": ""}),
    "a new page in what git ignores": lambda root: write_files(root, {"built/new.md": ""}),
    "an edit": lambda root: (root / "a.md").write_text("# Another\n"),
    "an edit of the same size and time": same_size_and_time,
    "an editor that writes a new file": replaced,
    "a page that is deleted": lambda root: (root / "docs/b.md").unlink(),
    "a page that is renamed": lambda root: (root / "a.md").rename(root / "docs/a.md"),
    "a folder that is renamed": lambda root: (root / "docs/deep").rename(root / "docs/other"),
    "a folder that is deleted": lambda root: shutil.rmtree(root / "docs"),
    "a folder that became a link": folder_became_link,
    "a page that became a link": file_became_link,
    "a file that became a folder": file_became_folder,
    "a link without an ending": link_without_ending,
    "a page that may not be read": lambda root: (root / "a.md").chmod(0),
    "a page that is too large": lambda root: (root / "a.md").write_bytes(b"x" * 10_000_001),
    "a virtual environment": lambda root: write_files(root, {"docs/deep/pyvenv.cfg": ""}),
    "a repository of its own": lambda root: make_repository(root / "docs/deep/own", {"r.md": ""}),
    "a folder that became a repository": lambda root: git(root / "docs", "init", "--quiet"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_between_two_looks_is_seen(make_tree, looks, change):
    process = looks(make_tree(FILES))
    process.settle()
    assert process.asked() == 0

    CHANGES[change](process.root)

    process.paths()
    process.settle()
    process.paths()


def test_an_empty_folder_that_gets_a_page_is_seen(make_tree, looks):
    process = looks(make_tree(FILES))
    (process.root / "empty").mkdir()
    process.settle()
    assert process.asked() == 0
    write_files(process.root, {"empty/new.md": ""})
    assert "empty/new.md" in process.paths()


def excludes_file(root: Path) -> None:
    write_files(root.parent, {"mine": "a.md\n"})
    git(root, "config", "core.excludesFile", str(root.parent / "mine"))


def personal_configuration(root: Path) -> None:
    write_files(root.parent, {"mine": "docs/\n"})
    git(root, "config", "--global", "core.excludesFile", str(root.parent / "mine"))


def personal_ignore_file(_: Path) -> None:
    write_files(Path(os.environ["XDG_CONFIG_HOME"]) / "git", {"ignore": "loose.md\n"})


def ignore_file_became_link(root: Path) -> None:
    (root / ".gitignore").rename(root / "rules")
    (root / ".gitignore").symlink_to("rules")


def no_longer_tracked(root: Path) -> None:
    git(root, "rm", "--quiet", "--cached", "a.md")
    write_files(root, {".gitignore": "a.md\n"})


RULES: dict[str, Callable[[Path], object]] = {
    "an ignore file that is edited": lambda root: (root / ".gitignore").write_text("loose.md\n"),
    "an ignore file that is deleted": lambda root: (root / ".gitignore").unlink(),
    "a new ignore file below": lambda root: write_files(root, {"notes/.gitignore": "*.md\n"}),
    "an ignore file below that is edited": lambda root: write_files(
        root, {"docs/deep/.gitignore": "nothing\n"}
    ),
    "an ignore file that became a link": ignore_file_became_link,
    "the repository's own excludes": lambda root: write_files(
        root, {".git/info/exclude": "loose.md\n"}
    ),
    "an excludes file in the configuration": excludes_file,
    "one in the person's configuration": personal_configuration,
    "the person's ignore file": personal_ignore_file,
    "an ignored page that is added": lambda root: git(root, "add", "--force", "docs/x.tmp.md"),
    "a page that is no longer tracked": no_longer_tracked,
    "a commit of what was loose": lambda root: git(root, "add", "loose.md"),
    "an older commit": lambda root: git(root, "checkout", "--quiet", "HEAD~1"),
    "a sparse checkout": lambda root: git(root, "sparse-checkout", "set", "docs"),
    "a submodule": lambda root: git(
        root, "submodule", "--quiet", "add", str(root.parent / "library"), "library"
    ),
    "an index that is locked": lambda root: write_files(root, {".git/index.lock": ""}),
    "no repository any more": lambda root: shutil.rmtree(root / ".git"),
}


@pytest.mark.parametrize("change", RULES)
def test_what_git_lists_otherwise_is_seen(tmp_path, looks, change):
    make_repository(tmp_path / "library", {"l.md": ""})
    root = make_repository(tmp_path / "root", {"first.md": ""})
    write_files(root, FILES)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "More")
    process = looks(write_files(root, {"loose.md": "", "notes/n.md": ""}))
    process.settle()
    assert process.asked() == 0

    RULES[change](process.root)

    process.paths()
    process.settle()
    process.paths()


def test_rules_that_a_file_elsewhere_holds_are_seen_when_it_changes(tmp_path, looks):
    root = make_repository(tmp_path / "root", {"a.md": ""})
    process = looks(write_files(root, {"new.md": "", "newer.md": ""}))
    mine = write_files(tmp_path, {"mine": "new.md\n"}) / "mine"
    git(root, "config", "core.excludesFile", str(mine))
    process.settle()
    assert process.paths() == ["a.md", "newer.md"]
    mine.write_text("newer.md\n")
    assert process.paths() == ["a.md", "new.md"]


@pytest.mark.parametrize("key", ["include.path", "includeIf.onbranch:main.path"])
def test_configuration_that_includes_a_file_is_asked_for_each_time(tmp_path, looks, key):
    root = make_repository(tmp_path / "root", {"a.md": ""})
    process = looks(write_files(root, {"new.md": ""}))
    git(root, "config", key, str(tmp_path / "more"))
    process.settle()
    assert process.asked() > 0
    write_files(tmp_path, {"mine": "new.md\n", "more": f"[core]\nexcludesFile = {tmp_path}/mine"})
    assert process.paths() == ["a.md"]


def test_a_folder_that_only_looked_like_a_repository_becomes_one(make_tree, looks, tmp_path):
    process = looks(make_tree(FILES))
    make_repository(tmp_path / "own", {"o.md": ""})
    (tmp_path / "own/.git/HEAD").rename(tmp_path / "HEAD")
    (tmp_path / "own").rename(process.root / "docs/own")
    process.settle()
    (tmp_path / "HEAD").rename(process.root / "docs/own/.git/HEAD")
    write_files(process.root / "docs/own", {".git/info/exclude": "new.md\n"})
    process.paths()


def test_rules_above_a_folder_of_a_work_tree_hold_for_it(tmp_path, looks):
    root = make_repository(tmp_path / "root", {"docs/a.md": "", "c.md": ""})
    write_files(root, {"docs/new.md": ""})
    process = looks(root / "docs")
    process.settle()
    assert process.asked() == 0
    write_files(root, {".gitignore": "new.md\n"})
    assert process.paths() == ["a.md"]
    process.settle()
    write_files(root, {".gitignore": "docs/\n"})
    assert process.paths() == ["a.md", "new.md"], "a root that git ignores is read"


def test_a_worktree_is_known_by_its_own_index(tmp_path, looks):
    root = make_repository(tmp_path / "root", {"a.md": ""})
    git(root, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    process = looks(write_files(tmp_path / "tree", {"new.md": ""}))
    process.settle()
    assert process.asked() == 0
    write_files(root, {".git/info/exclude": "new.md\n"})
    assert process.paths() == ["a.md"]
    process.settle()
    git(tmp_path / "tree", "add", "--force", "new.md")
    assert process.paths() == ["a.md", "new.md"]


def test_other_rules_of_the_person_hold_at_once(make_tree, looks):
    process = looks(make_tree(FILES))
    process.settle()
    seen = process.look(Rules(exclude=("docs/", "built/")))
    assert [file.path for file in seen.files] == ["a.md"]


def test_without_git_it_is_said_at_once(tmp_path, looks, monkeypatch):
    process = looks(make_repository(tmp_path / "root", {"a.md": ""}))
    process.settle()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert process.paths() == ["a.md"]
    assert "git is not installed" in process.look().notes[0]


def test_what_changed_a_moment_ago_is_asked_for_again(tmp_path, looks, monkeypatch):
    monkeypatch.setattr("pit_memory.workspace.stamps.SETTLED_NS", 2_000_000_000)
    process = looks(make_repository(tmp_path / "root", {"a.md": ""}))
    process.settle()
    assert process.asked() == 1, "a disk that tells times to the second would hide a change"


def test_on_a_disk_whose_folders_tell_no_times_git_is_asked_each_time(tmp_path, looks, monkeypatch):
    monkeypatch.setattr("pit_memory.workspace.stamps.file_system", lambda _: "9p")
    process = looks(make_repository(tmp_path / "root", {"a.md": ""}))
    process.settle()
    assert process.asked() == 1


def test_git_is_asked_again_after_some_minutes(tmp_path, looks):
    process = looks(make_repository(tmp_path / "root", {"a.md": ""}))
    process.settle()
    assert process.asked() == 0
    process.now += PROOF_SECONDS + 1
    assert process.asked() == 1


def test_looks_that_are_far_apart_take_no_trouble_to_know_more(tmp_path, looks):
    process = looks(make_repository(tmp_path / "root", {"a.md": ""}))
    time.sleep(0.03)
    for _ in range(4):
        process.now += 100
        assert process.asked() == 1
