"""Publishing by pull request: one branch, one request, the person's work tree untouched."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pit_memory.core.web.code_owners import owners_of
from pit_memory.errors import WriteRefusedError
from pit_memory.operations.drafts.propose import ProposalReport
from pit_memory.operations.drafts.publish import Approved
from pit_memory.wiring import draft_desk, open_services
from tests.builders import git, make_repository, write_files

DRAFT = "---\ntitle: {0}\ndraft: true\n---\n\n# {0}\n\nThe {0} fact is this one.\n"
HOOK = """#!/bin/sh
while read old new ref; do
  if [ "$ref" = refs/heads/main ]; then echo "main is protected" >&2; exit 1; fi
done
"""
TOOL = """#!/bin/sh
printf '%s\\n' "$0 $*" >> {log}
{then}
"""
FILES = {
    "docs/_drafts/port.md": DRAFT.format("port"),
    "docs/_drafts/logs.md": DRAFT.format("logs"),
    "docs/index.md": "# Home\n\nSee [port](_drafts/port.md).\n",
    ".github/CODEOWNERS": "* @acme/all\n/docs/ @ada @acme/docs mail@x.example\n",
    "mine.txt": "a\n",
}

KILLED = """\
import os, sys
from pathlib import Path
from pit_memory.operations.drafts import propose
from pit_memory.workspace import pull_requests
from tests.operations.drafts.test_propose import propose as run

def die(*_, **__):
    os.kill(os.getpid(), 9)

root, stage = Path(sys.argv[1]), sys.argv[2]
if stage == "before the commit":
    propose.commit_files = die
if stage == "before the push":
    propose.push_and_propose = die
if stage == "before the request":
    pull_requests._ask_forge = die
run(root, "port")
"""

Propose = Callable[..., ProposalReport]

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository that refuses every push to main but the first."""
    folder = tmp_path.resolve() / "remote.git"
    git(tmp_path, "init", "--quiet", "--bare", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path, remote: Path) -> Path:
    root = make_repository(tmp_path.resolve() / "project", FILES)
    git(root, "remote", "add", "origin", "git@github.com:acme/docs.git")
    git(root, "config", f"url.{remote}.insteadOf", "git@github.com:acme/docs.git")
    git(root, "push", "--quiet", "--set-upstream", "origin", "main")
    hook = remote / "hooks/pre-receive"
    hook.write_text(HOOK)
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    return root


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH beside that of git: no forge's tool of this machine is found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("git", "sh", "git-receive-pack", "git-upload-pack", "cat", "uname"):
        for place in os.environ["PATH"].split(os.pathsep):
            if (Path(place) / name).exists():
                (folder / name).symlink_to(Path(place) / name)
                break
    monkeypatch.setenv("PATH", str(folder))
    return folder


def tool(folder: Path, name: str, then: str) -> Path:
    log = folder / f"{name}.log"
    (folder / name).write_text(TOOL.format(log=log, then=then))
    (folder / name).chmod(0o755)
    return log


def propose(root: Path, *names: str) -> ProposalReport:
    with open_services(root, background="none") as services:
        return draft_desk(services, "Ada").propose([Approved(name) for name in names])


def test_approved_drafts_become_one_branch_and_one_request(root, remote, bin_folder):
    log = tool(bin_folder, "gh", "echo https://github.com/acme/docs/pull/7")
    write_files(root, {"mine.txt": "staged\n"})
    git(root, "add", "mine.txt")
    before = git(root, "status", "--porcelain"), git(root, "rev-parse", "HEAD")
    report = propose(root, "port", "logs")
    assert [outcome.state for outcome in report.outcomes] == ["proposed", "proposed"]
    assert (report.address, report.is_pushed) == ("https://github.com/acme/docs/pull/7", True)
    assert report.branch == "docs/publish-port-and-1-more"
    assert (git(root, "status", "--porcelain"), git(root, "rev-parse", "HEAD")) == before
    assert git(root, "branch", "--show-current").strip() == "main"
    assert (root / "docs/_drafts/port.md").exists()
    assert git(root, "worktree", "list").count("\n") == 1
    log_text = log.read_text()
    assert log_text.count("pr create") == 1
    assert "--reviewer ada,acme/docs" in log_text
    assert "--base main" in log_text
    subjects = git(
        remote,
        "log",
        "--format=%s|%(trailers:key=Approved-by,valueonly,separator=)",
        f"main..{report.branch}",
    ).split("\n")
    assert subjects[:2] == ["docs: publish logs|Ada", "docs: publish port|Ada"]
    files = git(remote, "ls-tree", "-r", "--name-only", report.branch).split()
    assert "docs/reference/port.md" in files
    assert "docs/_drafts/port.md" not in files
    assert "[port](reference/port.md)" in git(remote, "show", f"{report.branch}:docs/index.md")
    assert git(remote, "rev-parse", "main") == before[1]


@pytest.mark.usefixtures("bin_folder")
def test_without_a_tool_the_address_to_open_one_is_given(root):
    report = propose(root, "port")
    assert report.is_pushed
    assert report.address == (
        "https://github.com/acme/docs/compare/main...docs/publish-port?expand=1"
    )
    assert any("gh is not installed" in note for note in report.notes)
    assert any("ada, acme/docs" in note for note in report.notes)


def test_a_tool_that_is_not_logged_in_says_so_and_the_branch_is_pushed(root, bin_folder):
    tool(bin_folder, "gh", "echo 'To get started, please run: gh auth login' >&2; exit 4")
    report = propose(root, "port")
    assert report.is_pushed
    assert any("gh auth login" in note for note in report.notes)
    assert "compare/main" in report.address


def test_a_request_is_opened_although_a_reviewer_is_not_taken(root, bin_folder):
    refuse = "case $* in *--reviewer*) echo 'the author can not review' >&2; exit 1;; esac"
    log = tool(bin_folder, "gh", f"{refuse}\necho https://github.com/acme/docs/pull/8")
    report = propose(root, "port")
    assert report.address == "https://github.com/acme/docs/pull/8"
    assert any("the author can not review" in note for note in report.notes)
    assert log.read_text().count("pr create") == 2


def test_a_request_that_a_first_try_has_opened_is_the_one(root, bin_folder):
    exists = "a pull request already exists:\nhttps://github.com/acme/docs/pull/9"
    refuse = f"case $* in *--reviewer*) exit 1;; *) printf '{exists}' >&2; exit 1;; esac"
    tool(bin_folder, "gh", refuse)
    assert propose(root, "port").address == "https://github.com/acme/docs/pull/9"


def test_a_remote_of_an_unknown_forge_is_tried_with_the_tool_that_is_there(
    root, remote, bin_folder
):
    tool(bin_folder, "glab", "echo https://git.acme.example/docs/-/merge_requests/1")
    git(root, "remote", "set-url", "origin", str(remote))
    assert propose(root, "port").address.endswith("/merge_requests/1")


def test_gitlab_is_asked_by_its_own_tool(root, remote, bin_folder):
    log = tool(bin_folder, "glab", "echo https://gitlab.com/acme/docs/-/merge_requests/3")
    git(root, "remote", "set-url", "origin", "git@gitlab.com:acme/docs.git")
    git(root, "config", f"url.{remote}.insteadOf", "git@gitlab.com:acme/docs.git")
    report = propose(root, "port")
    assert report.address.endswith("/merge_requests/3")
    assert "mr create --source-branch docs/publish-port --target-branch main" in log.read_text()


@pytest.mark.usefixtures("bin_folder")
def test_a_push_that_is_refused_leaves_the_branch_and_says_how(root, remote):
    (remote / "hooks/pre-receive").write_text("#!/bin/sh\necho 'read only mirror' >&2\nexit 1\n")
    report = propose(root, "port")
    assert not report.is_pushed
    assert any("git push origin docs/publish-port" in note for note in report.notes)
    assert any("read only mirror" in note for note in report.notes)
    assert git(root, "branch", "--list", "docs/publish-port").strip() == "docs/publish-port"
    assert propose(root, "port").branch == "docs/publish-port", "it is there already"


@pytest.mark.parametrize("stage", ["before the commit", "before the push", "before the request"])
def test_one_that_was_killed_is_proposed_once_by_the_next_try(root, remote, bin_folder, stage):
    log = tool(bin_folder, "gh", "echo https://github.com/acme/docs/pull/7")
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", KILLED, root, stage], env=environ, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not log.exists()

    report = propose(root, "port")

    assert report.branch == "docs/publish-port"
    assert report.address.endswith("/pull/7")
    assert git(remote, "branch", "--list", "docs/*").split() == ["docs/publish-port"]
    assert git(root, "branch", "--list", "docs/*").split() == ["docs/publish-port"]
    assert git(root, "worktree", "list").count("\n") == 1


@pytest.mark.usefixtures("bin_folder")
def test_nothing_that_can_be_proposed_leaves_no_branch(root):
    report = propose(root, "nothing")
    assert [outcome.state for outcome in report.outcomes] == ["refused"]
    assert report.branch == ""
    assert git(root, "branch", "--list", "docs/*") == ""


def test_without_a_remote_it_says_what_to_do(tmp_path: Path):
    root = make_repository(tmp_path.resolve() / "alone", FILES)
    with pytest.raises(WriteRefusedError, match="no remote"):
        propose(root, "port")


def test_on_a_protected_branch_without_a_remote_what_it_says_to_do_works(tmp_path: Path):
    root = make_repository(tmp_path.resolve() / "alone", FILES)
    write_files(root, {".pit-memory.toml": '[commit]\nprotected = ["main"]\n'})
    with pytest.raises(WriteRefusedError) as refused:
        propose(root, "port")
    told = r"begin another branch than main with `git switch -c NAME` and publish with --via commit"
    assert str(refused.value).endswith(told)
    git(root, "switch", "-c", "notes")
    with open_services(root, background="none") as services:
        assert draft_desk(services).way("commit") == "commit"
        (done,) = draft_desk(services, "Ada").publish([Approved("port")])
    assert done.state == "published"


@pytest.mark.usefixtures("bin_folder")
def test_a_protected_branch_is_published_by_request(root):
    write_files(root, {".pit-memory.toml": '[commit]\nprotected = ["main"]\n'})
    with open_services(root, background="none") as services:
        assert draft_desk(services).way("") == "pr"
        assert draft_desk(services).way("commit") == "commit"
        (refused,) = draft_desk(services, "Ada").publish([Approved("port")])
    assert refused.state == "refused"
    assert "main is protected" in refused.reason
    assert "`git switch -c NAME`" in refused.reason
    assert (root / "docs/_drafts/port.md").exists()


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        ("* @a\n", ("a",)),
        ("* @a\ndocs/ @b @c/d  # why\n", ("b", "c/d")),
        ("docs/x.md @b\n* @a\n", ("a",)),
        ("/other/ @b\n", ()),
        ("[Docs] @team\ndocs/\n", ("team",)),
        ("docs/ mail@x.example\n", ()),
    ],
)
def test_the_last_rule_for_a_file_names_its_reviewers(text, owners):
    assert owners_of(text, ["docs/x.md"]) == owners
