"""A look at a source: which files are documents, what is left out and why."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pit_memory.core.freshness import SeenFile, plan
from pit_memory.errors import SourceError, UsageError
from pit_memory.sources.sieve import EXAMPLES, Rules, Sieve, Tally
from pit_memory.sources.walker import Listing, explain_losses, list_source
from pit_memory.workspace.git_command import NO_GIT
from tests.builders import git, make_repository, write_files
from tests.machine import disk, open_folder, without_privileges

ODD_NAMES = [
    "with space.md",
    "hash#tag.md",
    "at@home.md",
    "100%.md",
    "new\nline.md",
    'quo"te.md',
    "\u00fc.md",
    "u\u0308.md",
    "\U0001f600.md",
    "-dash.md",
    "[x].md",
]


@pytest.fixture(params=["git", "scandir"])
def make_tree(request, tmp_path):
    """Make a source of each sort: a git work tree, and a plain folder."""

    def make(files: dict[str, str | bytes]) -> Path:
        root = tmp_path / "root"
        return make_repository(root, files) if request.param == "git" else write_files(root, files)

    return make


def paths(listing: Listing) -> list[str]:
    return sorted(file.path for file in listing.files)


def left_out(listing: Listing) -> dict[str, tuple[int, tuple[str, ...]]]:
    return {group.reason: (group.count, group.examples) for group in listing.left_out}


def look(root: Path, **rules: tuple[str, ...] | int) -> Listing:
    return list_source(root, Rules(**rules))  # type: ignore[arg-type]


# ---- what is a document ----------------------------------------------------------------------


def test_markdown_of_every_spelling_is_found_and_stat_ed(make_tree):
    root = make_tree({"a.md": "x", "b.markdown": "", "docs/c.mdx": "", "D.MD": "", "e.txt": ""})
    listing = look(root)
    assert paths(listing) == ["D.MD", "a.md", "b.markdown", "docs/c.mdx"]
    status = (root / "a.md").stat()
    seen = SeenFile("a.md", 1, status.st_mtime_ns, status.st_ctime_ns)
    assert seen in listing.files
    assert listing.device == status.st_dev
    assert left_out(listing) == {"of another format": (1, ("e.txt",))}
    assert listing.notes == ()


def test_names_with_every_sign_are_kept_as_they_are(make_tree):
    root = make_tree(dict.fromkeys(ODD_NAMES, ""))
    assert paths(look(root)) == sorted(ODD_NAMES)


def test_a_name_that_is_not_utf8_is_left_out_and_shown_in_plain_text(make_tree):
    root = make_tree({"caf\udce9.md": "", "d\udcff/a.md": "", "ok.md": ""})
    listing = look(root)
    assert paths(listing) == ["ok.md"]
    count, examples = left_out(listing)["name is not UTF-8"]
    assert count == 2
    assert set(examples) == {"caf\\xe9.md", "d\\xff/a.md"}


def test_an_empty_tree_has_no_documents_and_no_problem(make_tree):
    listing = look(make_tree({}))
    assert (listing.files, listing.left_out, listing.not_looked) == ((), (), ())


def test_a_tree_without_markdown_says_what_is_there(make_tree):
    listing = look(make_tree({f"{number}.py": "" for number in range(20)}))
    assert listing.files == ()
    count, examples = left_out(listing)["of another format"]
    assert count == 20
    assert len(examples) == EXAMPLES


def test_a_new_changed_and_deleted_file_is_seen_without_being_told(make_tree):
    root = make_tree({"a.md": "", "b.md": "", "c.md": ""})
    before = {file.path: file for file in look(root).files}
    (root / "a.md").write_text("longer", encoding="utf-8")
    (root / "b.md").unlink()
    (root / "new.md").touch()
    made = plan(before, look(root).files)
    assert (made.add, made.change, made.remove) == (("new.md",), ("a.md",), ("b.md",))
    assert made.unchanged == 1


# ---- rules -----------------------------------------------------------------------------------


def test_a_skipped_folder_counts_as_one(make_tree):
    root = make_tree(
        {
            "a.md": "",
            ".obsidian/x.md": "",
            ".obsidian/deep/y.json": "",
            "web/node_modules/p/README.md": "",
            "web/node_modules/q/README.md": "",
            "env/pyvenv.cfg": "",
            "env/lib/site-packages/p/README.md": "",
            "archive/2020/old.md": "",
        }
    )
    listing = look(root, exclude=("archive/",))
    assert paths(listing) == ["a.md"]
    assert left_out(listing) == {
        "excluded": (1, ("archive/",)),
        "hidden": (1, (".obsidian/",)),
        "node_modules": (1, ("web/node_modules/",)),
        "virtual environment": (1, ("env/",)),
    }


def test_include_and_exclude_choose_files(make_tree):
    root = make_tree({"docs/a.md": "", "docs/b.md": "", "docs/pic.png": "", "other/c.md": ""})
    listing = look(root, include=("docs/",), exclude=("b.md",))
    assert paths(listing) == ["docs/a.md"]
    assert left_out(listing) == {
        "excluded": (1, ("docs/b.md",)),
        "of another format": (1, ("docs/pic.png",)),
        "not included": (1, ("other/c.md",)),
    }


HIDDEN = {
    ".github/a.md": "",
    ".github/.cache/b.md": "",
    ".claude/settings.md": "",
    ".claude/skills/x/SKILL.md": "",
    "docs/.drafts/c.md": "",
    ".secret.md": "",
}


@pytest.mark.parametrize(
    ("hidden", "found"),
    [
        ((), []),
        ((".github/",), [".github/.cache/b.md", ".github/a.md"]),
        ((".claude/skills/",), [".claude/skills/x/SKILL.md"]),
        ((".claude/*/*/SKILL.md",), [".claude/skills/x/SKILL.md"]),
        ((".drafts",), ["docs/.drafts/c.md"]),
        ((".secret.md",), [".secret.md"]),
        ((".*",), sorted(HIDDEN)),
    ],
)
def test_hidden_files_are_found_only_where_named(make_tree, hidden, found):
    assert paths(look(make_tree(HIDDEN), hidden=hidden)) == found


def test_a_hidden_folder_that_include_names_is_looked_into(make_tree):
    found = look(make_tree({**HIDDEN, "a.md": ""}), include=(".github/*.md", "a.md"))
    assert paths(found) == [".github/a.md", "a.md"]


def test_a_file_above_the_size_limit_is_left_out(make_tree):
    listing = look(make_tree({"big.md": "x" * 101, "fits.md": "x" * 100}), max_file_bytes=100)
    assert paths(listing) == ["fits.md"]
    assert left_out(listing) == {"too large": (1, ("big.md",))}


def test_a_glob_that_cannot_be_read_is_an_error(make_tree):
    with pytest.raises(UsageError, match="not closed"):
        look(make_tree({}), exclude=("[a",))


# ---- links and special files -----------------------------------------------------------------


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


# ---- git -------------------------------------------------------------------------------------


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


# ---- laws ------------------------------------------------------------------------------------

PIECE = st.sampled_from(["a", ".b", "node_modules", "c.md", "d.txt", ".e.md", "x"])
TREE_PATH = st.lists(PIECE, min_size=1, max_size=4).map("/".join)


RULES = st.builds(
    Rules,
    include=st.sampled_from([(), ("a/",), ("c.md",)]),
    exclude=st.sampled_from([(), ("x/",), ("*.md",)]),
    hidden=st.sampled_from([(), (".b",), ("a/.b/",), (".*",)]),
)


@given(path=TREE_PATH, rules=RULES)
def test_a_path_is_a_document_or_left_out_for_one_reason(path, rules):
    tally = Tally()
    found = Sieve(rules, tally).documents([path])
    reasons = [group.count for group in tally.groups()]
    assert (found, reasons) in (([path], []), ([], [1]))


@settings(max_examples=25, deadline=None)
@given(tree=st.sets(TREE_PATH, max_size=8), rules=RULES)
def test_git_and_reading_folders_find_the_same(tmp_path_factory, tree, rules):
    files = {
        path: "" for path in tree if not any(f"{path}/" in f"{other}/" for other in tree - {path})
    }
    place = tmp_path_factory.mktemp("trees")
    plain = list_source(write_files(place / "plain", files), rules)
    by_git = list_source(make_repository(place / "git", files), rules)
    assert (plain.via, by_git.via) == ("scandir", "git")
    assert paths(plain) == paths(by_git)
    assert [(group.reason, group.count) for group in plain.left_out] == [
        (group.reason, group.count) for group in by_git.left_out
    ]


def test_a_work_tree_is_read_without_git_where_that_is_asked_for(tmp_path: Path):
    root = make_repository(tmp_path / "tree", {"a.md": "# A", ".gitignore": "b.md"})
    write_files(root, {"b.md": "# B"})

    asked, unasked = list_source(root, Rules()), list_source(root, Rules(), by_git=False)

    assert (asked.via, [file.path for file in asked.files]) == ("git", ["a.md"])
    assert (unasked.via, sorted(file.path for file in unasked.files)) == (
        "scandir",
        ["a.md", "b.md"],
    )
