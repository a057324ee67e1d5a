"""Commits of single files, in every state that a repository can be in."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pit_memory.core.writing.receipt_text import commit_line
from pit_memory.core.writing.receipts import CommitOutcome
from pit_memory.workspace.commits import Changed, commit_files
from pit_memory.workspace.git_command import NO_GIT
from pit_memory.workspace.locks import FileLock
from tests.builders import git, git_hook, make_repository, write_files

FILE = "docs/_drafts/a b[1]*.md"
"""A name that is a pattern to git unless it is told otherwise."""

COMMIT_ONE = """\
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from pit_memory.workspace.commits import Changed, commit_files
from pit_memory.workspace.locks import FileLock
lock = FileLock(Path(sys.argv[2]))
print(commit_files(Path(sys.argv[1]), Changed(["new.md"]), "new", lock).state)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"a.txt": "a\n", "b.txt": "b\n", "docs/x.md": "# X\n"}
    return make_repository(tmp_path.resolve() / "project", files)


def commit(root: Path, *paths: str, content: str = "# New\n", **more) -> CommitOutcome:
    paths = paths or (FILE,)
    write_files(root, dict.fromkeys(paths, content))
    lock = FileLock(root.parent / "locks/one.lock")
    return commit_files(root, Changed(paths), "docs: remember it", lock, **more)


def is_untouched(root: Path) -> bool:
    """Whether the new file is there, not staged and not committed."""
    status = git(root, "status", "--porcelain", "-z", "--untracked-files=all")
    return f"?? {FILE}\0" in status and (root / FILE).read_text() == "# New\n"


def test_the_file_alone_is_committed_and_what_is_staged_or_changed_stays(root: Path):
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    write_files(root, {"a.txt": "changed\n", "b.txt": "changed\n", "docs/_drafts/a b1x.md": "mine"})
    before = git(root, "status", "--porcelain", "-uall"), git(root, "diff", "--cached")
    outcome = commit(root)
    assert (outcome.state, outcome.branch, outcome.reason) == ("committed", "main", "")
    assert git(root, "show", "--name-only", "--format=%s", "-z", "HEAD").split("\0") == [
        "docs: remember it",
        f"\n{FILE}",
        "",
    ]
    assert git(root, "rev-parse", "--short", "HEAD").strip() == outcome.id
    assert (git(root, "status", "--porcelain", "-uall"), git(root, "diff", "--cached")) == before


def test_a_file_that_moved_is_one_commit(root: Path):
    (root / "docs/x.md").rename(root / "docs/y.md")
    changed = Changed(["docs/y.md"], removed=["docs/x.md"])
    outcome = commit_files(root, changed, "docs: move x", FileLock(root.parent / "one.lock"))
    assert outcome.state == "committed"
    assert git(root, "show", "--name-status", "--format=", "HEAD") == "R100\tdocs/x.md\tdocs/y.md\n"
    assert git(root, "status", "--porcelain") == ""


def test_an_unborn_branch_gets_its_first_commit(tmp_path: Path):
    root = write_files(tmp_path / "new", {})
    git(root, "init", "--quiet")
    outcome = commit(root)
    assert (outcome.state, outcome.branch) == ("committed", "main")
    assert outcome.id == git(root, "rev-parse", "--short", "HEAD").strip()


def test_an_unborn_branch_with_a_failing_hook_keeps_the_file_unstaged(tmp_path: Path):
    root = write_files(tmp_path / "new", {})
    git(root, "init", "--quiet")
    git_hook(root, "pre-commit", "echo 'no trailing space please' >&2; exit 1")
    assert commit(root).reason == "a hook refused it: no trailing space please"
    assert is_untouched(root)


def test_a_detached_head_is_committed_to_and_told(root: Path):
    git(root, "checkout", "--quiet", "--detach")
    outcome = commit(root)
    assert (outcome.state, outcome.branch) == ("committed", "")
    assert "make a branch" in outcome.reason


def in_conflict(root: Path, *command: str) -> None:
    """Bring a repository into the middle of something, by a conflict."""
    git(root, "checkout", "--quiet", "-b", "other")
    write_files(root, {"a.txt": "theirs\n"})
    git(root, "commit", "--quiet", "--all", "--message", "Theirs")
    git(root, "checkout", "--quiet", "main")
    write_files(root, {"a.txt": "ours\n"})
    git(root, "commit", "--quiet", "--all", "--message", "Ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, *command)


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("merge", "other"), "a merge"),
        (("rebase", "other"), "a rebase"),
        (("rebase", "--apply", "other"), "a rebase or `git am`"),
        (("cherry-pick", "other"), "a cherry-pick"),
        (("revert", "--no-edit", "HEAD~1"), "a revert"),
    ],
)
def test_in_the_middle_of_something_nothing_is_committed(root: Path, command, what: str):
    if command[0] == "revert":
        write_files(root, {"a.txt": "second\n"})
        git(root, "commit", "--quiet", "--all", "--message", "Second")
    in_conflict(root, *command)
    head, status = git(root, "rev-parse", "HEAD"), git(root, "status", "--porcelain")
    outcome = commit(root)
    assert outcome.state == "not committed"
    assert outcome.reason.startswith(f"{what} is in progress")
    assert is_untouched(root)
    assert git(root, "rev-parse", "HEAD") == head
    assert git(root, "status", "--porcelain").startswith(status)


def test_while_bisecting_nothing_is_committed(root: Path):
    git(root, "bisect", "start")
    assert commit(root).reason.startswith("a bisect is in progress")


def test_a_worktree_of_its_own_is_not_kept_by_what_goes_on_in_another(root: Path):
    git(root, "worktree", "add", "--quiet", "../second", "-b", "second")
    git(root, "bisect", "start")
    assert commit(root.parent / "second").branch == "second"


def test_a_path_outside_a_sparse_checkout_is_told(root: Path):
    git(root, "sparse-checkout", "set", "--cone", "elsewhere")
    outcome = commit(root)
    assert outcome.state == "not committed"
    assert "sparse-checkout" in outcome.reason
    assert (root / FILE).is_file()


def test_a_path_below_a_linked_folder_is_told(root: Path):
    (root / "linked").symlink_to("docs")
    outcome = commit(root, "linked/new.md")
    assert outcome.state == "not committed"
    assert "symbolic link" in outcome.reason


def test_what_git_ignores_is_told(root: Path):
    write_files(root, {".gitignore": "_drafts/\n"})
    assert commit(root).reason == f"git ignores {FILE}"


@pytest.mark.parametrize("state", ["tracked", "staged", "removed"])
def test_a_name_that_git_knows_is_the_persons_to_commit(root: Path, state: str):
    write_files(root, {FILE: "mine\n"})
    git(root, "add", "--all")
    if state != "staged":
        git(root, "commit", "--quiet", "--message", "Mine")
    if state == "removed":
        git(root, "--literal-pathspecs", "rm", "--quiet", "--", FILE)
    before = git(root, "diff", "--cached")
    assert commit(root).reason.startswith("git knows a file of that name already")
    assert git(root, "diff", "--cached") == before


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg", "prepare-commit-msg"])
def test_a_failing_hook_is_respected_and_the_file_stays_unstaged(root: Path, name: str):
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    git_hook(root, name, "echo 'checking'; echo 'main is closed on Fridays'; exit 3")
    outcome = commit(root)
    assert outcome == CommitOutcome(
        "not committed", reason="a hook refused it: main is closed on Fridays"
    )
    assert is_untouched(root)
    assert git(root, "diff", "--cached", "--name-only") == "a.txt\n"


def test_what_a_hook_formats_or_adds_is_committed_told_and_leaves_nothing_staged(root: Path):
    write_files(root, {"a.txt": "staged\n"})
    git(root, "add", "a.txt")
    git_hook(
        root,
        "pre-commit",
        f"echo formatted >> '{FILE}'; git --literal-pathspecs add '{FILE}'",
        "echo > list.txt; echo changed >> b.txt; git add list.txt b.txt",
    )
    outcome = commit(root)
    assert (outcome.state, outcome.also) == ("committed", ("b.txt", "list.txt"))
    assert "with b.txt, list.txt, which a hook added" in commit_line(outcome)
    assert git(root, "show", f"HEAD:{FILE}") == "# New\nformatted\n"
    status = git(root, "status", "--porcelain", "-z").split("\0")
    assert [row for row in status if row and "b.txt" not in row] == ["M  a.txt"]


@pytest.mark.timeout(60)
def test_a_hook_that_hangs_is_ended_with_all_it_started(root: Path):
    left = root.parent / "left"
    git_hook(root, "pre-commit", f"(trap '' TERM; sleep 30; echo > {left}) & sleep 30")
    outcome = commit(root, seconds=4.0)
    assert outcome.reason == "it took longer than 4 s and was ended (a hook that hangs?)"
    assert is_untouched(root)
    assert not (root / ".git/index.lock").exists()
    assert commit_without_hooks(root).state == "committed"


def commit_without_hooks(root: Path) -> CommitOutcome:
    shutil.rmtree(root / ".git/hooks")
    return commit(root)


@pytest.mark.timeout(60)
def test_a_hook_that_hangs_after_the_commit_does_not_undo_it(root: Path):
    git_hook(root, "post-commit", "sleep 30")
    outcome = commit(root, seconds=6.0)
    assert outcome.state == "committed"
    assert "what follows a commit failed: it took longer than 6 s" in outcome.reason
    assert git(root, "status", "--porcelain") == ""


def test_a_hook_that_leaves_something_running_does_not_keep_us(root: Path):
    git_hook(root, "post-commit", "sleep 60 &", f"echo $! > {root.parent}/running")
    assert commit(root).reason == ""
    os.kill(int((root.parent / "running").read_text()), 9)


def test_signing_that_is_broken_is_told_and_not_worked_around(root: Path):
    git(root, "config", "commit.gpgsign", "true")
    git(root, "config", "gpg.program", "false")
    assert commit(root).reason == "gpg failed to sign the data"
    assert is_untouched(root)


def test_a_protected_branch_keeps_the_file_for_another_one(root: Path):
    outcome = commit(root, protected=["release/*", "main"])
    assert "main is protected" in outcome.reason
    assert is_untouched(root)
    git(root, "checkout", "--quiet", "-b", "topic")
    assert commit(root, protected=["main"]).branch == "topic"


def test_a_person_without_a_name_is_told_what_to_set(root: Path, home: Path, monkeypatch):
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{role}_NAME")
        monkeypatch.delenv(f"GIT_{role}_EMAIL")
    outcome = commit(root)
    assert outcome.state == "not committed"
    assert "set user.name and user.email" in outcome.reason
    assert is_untouched(root)


def test_variables_of_another_repository_reach_no_commit(root: Path, tmp_path: Path, monkeypatch):
    other = make_repository(tmp_path / "other", {"x.txt": "x\n"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "0")
    outcome = commit(root)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_LITERAL_PATHSPECS"):
        monkeypatch.delenv(name)
    assert outcome.state == "committed"
    assert git(root, "status", "--porcelain") == ""
    assert git(other, "rev-list", "--count", "HEAD") == "1\n"
    assert not (tmp_path / "index").exists()


def test_a_lock_of_the_persons_git_is_waited_for(root: Path):
    lock = root / ".git/index.lock"
    lock.touch()
    remover = subprocess.Popen(
        [sys.executable, "-c", f"import time, os; time.sleep(0.5); os.unlink({str(lock)!r})"]
    )
    assert commit(root).state == "committed"
    assert remover.wait() == 0


def test_a_lock_that_stays_is_told_and_never_removed(root: Path, monkeypatch):
    monkeypatch.setattr("pit_memory.workspace.commits._RETRY_SECONDS", 0.2)
    lock = root / ".git/index.lock"
    lock.touch()
    outcome = commit(root)
    assert outcome.state == "not committed"
    assert "index.lock" in outcome.reason
    assert outcome.reason.endswith("if none does, one was killed: remove that file")
    assert "staged" not in outcome.reason
    assert lock.exists()
    lock.unlink()
    assert is_untouched(root)


def test_a_repository_that_git_refuses_is_told(root: Path, monkeypatch):
    monkeypatch.setenv("PATH", str(root.parent))
    assert commit(root).reason == NO_GIT


def test_no_repository_is_told(tmp_path: Path):
    root = write_files(tmp_path / "plain", {})
    assert commit(root).state == "no repository"


def test_two_that_commit_at_once_wait_for_each_other(root: Path):
    lock = FileLock(root.parent / "locks/one.lock")
    with lock:
        started = time.monotonic()
        waiting = subprocess.Popen(
            [
                sys.executable,
                "-c",
                COMMIT_ONE,
                str(root),
                str(lock.path),
                str(Path(__file__).parents[2] / "mcp_server"),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        write_files(root, {"new.md": "# New\n"})
        while time.monotonic() < started + 1 and waiting.poll() is None:
            time.sleep(0.05)
        assert git(root, "rev-list", "--count", "HEAD") == "1\n"
    assert waiting.communicate()[0] == "committed\n"
