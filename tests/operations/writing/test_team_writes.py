"""Agents write over HTTP: committed in the server's clone, pushed, never lost and never twice."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from pit_memory.core.serving.access import Access
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.core.writing.receipt_text import receipt_text
from pit_memory.errors import GitError, WriteRefusedError
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.operations.upkeep.freshness import Freshness
from pit_memory.operations.writing.team_writes import TeamWrites
from pit_memory.wiring import open_services
from pit_memory.workspace.drafts_branch import DraftsBranch
from tests.builders import git, git_hook, make_repository
from tests.shared_material import MCP_SERVER

pytestmark = [pytest.mark.timeout(180), pytest.mark.usefixtures("words_only")]
AGENT = Access("agent")
BRANCH = "pit-memory/drafts"


@pytest.fixture
def remote(tmp_path):
    team = make_repository(tmp_path / "team", {"docs/a.md": "# Alpha\n\nThe zanzibar valve.\n"})
    git(tmp_path, "clone", "--quiet", "--bare", str(team), "remote.git")
    return tmp_path / "remote.git"


def clone(remote, name):
    git(remote.parent, "clone", "--quiet", str(remote), name)
    return remote.parent / name


def branch_of(top):
    made = DraftsBranch(top, BRANCH, "main")
    made.prepare()
    return made


def request_for(word, more="", *, force=True):
    return WriteRequest(
        f"How the {word} pump is primed: open the {word} valve first. {more}",
        "reference",
        title=f"Prime the {word} pump",
        access=AGENT,
        force=force,
    )


def write(services, branch, word):
    return TeamWrites(branch).write(lambda: services.write(request_for(word)))


def pushed(remote):
    return git(remote, "ls-tree", "-r", "--name-only", BRANCH).splitlines()


@pytest.mark.parametrize("is_same", [True, False])
def test_a_page_that_a_killed_server_left_is_no_obstacle_to_the_one_that_was_written_since(
    remote, is_same
):
    tops = [clone(remote, name) for name in ("killed", "other")]
    branches = [branch_of(top) for top in tops]
    with open_services(tops[1], background="none", shared=True) as services:
        write(services, branches[1], "quagga")
    page = "docs/_drafts/prime-the-quagga-pump.md"
    text = (tops[1] / page).read_text()
    (tops[0] / "docs/_drafts").mkdir()
    (tops[0] / page).write_text(text if is_same else f"{text}Mind the keeper.\n")

    branches[0].bring_in()

    assert git(tops[0], "status", "--porcelain", "-uall") == ""
    drafts = {path for path in pushed(remote) if "_drafts" in path}
    assert drafts == ({page} if is_same else {page, page.replace(".md", "-2.md")})
    assert (tops[0] / page).read_text() == text


def test_a_write_is_pushed_and_found_before_it_is_acknowledged(remote):
    top = clone(remote, "server")
    branch = branch_of(top)
    with open_services(top, background="none", shared=True) as services:
        receipt = write(services, branch, "quagga")

        assert receipt.is_written
        assert receipt.is_retrievable
        assert f"Pushed to {BRANCH}" in receipt.visible
        assert "draft" in receipt.visible
        assert "docs/_drafts/prime-the-quagga-pump.md" in pushed(remote)
        assert "docs/_drafts" not in git(remote, "ls-tree", "-r", "--name-only", "main")
        assert "agent" in (top / "docs/_drafts/prime-the-quagga-pump.md").read_text()


def test_two_servers_write_at_once_and_see_what_the_other_wrote(remote):
    tops = [clone(remote, name) for name in ("one", "two")]
    branches = [branch_of(top) for top in tops]

    def work(number):
        with open_services(tops[number], background="none", shared=True) as services:
            return [
                write(services, branches[number], f"{name}{number}")
                for name in ("quagga", "okapi", "bongo")
            ]

    with ThreadPoolExecutor(2) as pool:
        receipts = [receipt for done in pool.map(work, range(2)) for receipt in done]

    assert all("Pushed" in receipt.visible for receipt in receipts)
    drafts = [path for path in pushed(remote) if "_drafts" in path]
    assert len(drafts) == len(set(drafts)) == 6
    for top, branch in zip(tops, branches, strict=True):
        branch.bring_in()
        with open_services(top, background="none", shared=True) as services:
            services.sync()
            found = services.search(SearchRequest("okapi1 pump", mode="keyword"))
            assert found.hits[0].path == "docs/_drafts/prime-the-okapi1-pump.md"


def test_documents_that_the_team_pushed_are_taken_in_and_drafts_stay(remote, tmp_path):
    top = clone(remote, "server")
    branch = branch_of(top)
    with open_services(top, background="none", shared=True) as services:
        write(services, branch, "quagga")
    (tmp_path / "team/docs/b.md").write_text("# Beta\n")
    git(tmp_path / "team", "add", "--all")
    git(tmp_path / "team", "commit", "--quiet", "--message", "Beta")
    git(tmp_path / "team", "push", "--quiet", str(remote), "main")

    branch.bring_in()

    assert (top / "docs/b.md").is_file()
    assert (top / "docs/_drafts/prime-the-quagga-pump.md").is_file()
    assert "docs/b.md" in pushed(remote)


def test_a_remote_that_is_away_keeps_the_write_and_gets_it_later(remote):
    top = clone(remote, "server")
    branch = branch_of(top)
    remote.rename(remote.with_name("away.git"))
    with open_services(top, background="none", shared=True) as services:
        receipt = write(services, branch, "quagga")

    assert receipt.is_written
    assert "Pushed" not in receipt.visible
    assert any("not pushed yet" in note for note in receipt.notes)

    remote.with_name("away.git").rename(remote)
    branch.bring_in()
    assert "docs/_drafts/prime-the-quagga-pump.md" in pushed(remote)


def test_a_merge_that_people_have_to_make_changes_nothing(remote, tmp_path):
    top = clone(remote, "server")
    branch = branch_of(top)
    (top / "docs/a.md").write_text("# Ours\n")
    git(top, "commit", "--quiet", "--all", "--message", "Ours")
    (tmp_path / "team/docs/a.md").write_text("# Theirs\n")
    git(tmp_path / "team", "commit", "--quiet", "--all", "--message", "Theirs")
    git(tmp_path / "team", "push", "--quiet", str(remote), "main")

    with pytest.raises(GitError, match="by hand"):
        branch.bring_in()

    assert git(top, "status", "--porcelain") == ""
    assert (top / "docs/a.md").read_text() == "# Ours\n"


def test_without_the_right_to_push_it_is_said_at_once(remote):
    top = clone(remote, "server")
    git(top, "remote", "set-url", "--push", "origin", str(remote.with_name("forbidden.git")))
    with pytest.raises(GitError, match="git push"):
        branch_of(top)


def test_a_server_that_may_not_push_finds_what_the_others_wrote(remote):
    reader = clone(remote, "reader")
    git(reader, "remote", "set-url", "--push", "origin", str(remote.with_name("forbidden.git")))
    branch = DraftsBranch(reader, BRANCH, "main")
    with pytest.raises(GitError, match="git push"):
        branch.prepare()
    top = clone(remote, "server")
    with open_services(top, background="none", shared=True) as services:
        write(services, branch_of(top), "quagga")

    with open_services(reader, background="none", shared=True) as services:
        freshness = Freshness(branch.take_in, services.sync, 600)
        freshness.once()

        assert freshness.trouble == ""
        found = services.search(SearchRequest("quagga pump", mode="keyword"))
        assert found.hits[0].path == "docs/_drafts/prime-the-quagga-pump.md"


def test_the_receipt_says_once_that_it_is_pushed(remote):
    top = clone(remote, "server")
    with open_services(top, background="none", shared=True) as services:
        text = receipt_text(write(services, branch_of(top), "quagga"))

    assert "this file alone; pushed" in text
    assert "not pushed" not in text


def test_what_was_written_on_another_server_is_seen_before_it_is_written_again(remote):
    tops = [clone(remote, name) for name in ("one", "two")]
    branches = [branch_of(top) for top in tops]
    again = request_for("quagga", force=False)
    with open_services(tops[0], background="none", shared=True) as services:
        assert TeamWrites(branches[0]).write(lambda: services.write(again)).is_written
    with open_services(tops[1], background="none", shared=True) as services:
        receipt = TeamWrites(branches[1]).write(lambda: services.write(again))

    assert not receipt.is_written
    assert receipt.near[0].ref.startswith("docs/_drafts/prime-the-quagga-pump.md")


def test_two_servers_that_write_one_name_in_the_same_moment_keep_both(remote):
    tops = [clone(remote, name) for name in ("one", "two")]
    first, second = (branch_of(top) for top in tops)
    with (
        open_services(tops[0], background="none", shared=True) as one,
        open_services(tops[1], background="none", shared=True) as two,
    ):

        def meanwhile():
            TeamWrites(first).write(
                lambda: one.write(request_for("quagga", "Say it to the keeper."))
            )
            return two.write(request_for("quagga"))

        receipt = TeamWrites(second).write(meanwhile)

        path = receipt.ref.partition("#")[0]
        assert path == "docs/_drafts/prime-the-quagga-pump-2.md"
        assert receipt.place == path
        assert any("another server has just written" in note for note in receipt.notes)
        assert "Pushed" in receipt.visible
        assert "keeper" in git(remote, "show", f"{BRANCH}:docs/_drafts/prime-the-quagga-pump.md")
        assert "valve first" in git(remote, "show", f"{BRANCH}:{path}")
        assert two.search(SearchRequest("valve first", mode="keyword")).hits[0].path == path
    assert git(tops[1], "status", "--porcelain") == ""


def test_one_name_written_on_two_servers_while_the_remote_is_away_is_two_files_later(remote):
    tops = [clone(remote, name) for name in ("one", "two")]
    branches = [branch_of(top) for top in tops]
    remote.rename(remote.with_name("away.git"))
    for number, (top, branch) in enumerate(zip(tops, branches, strict=True)):
        with open_services(top, background="none", shared=True) as services:
            request = request_for("quagga", f"Say it {number} times.")
            receipt = TeamWrites(branch).write(lambda: services.write(request))  # noqa: B023
            assert any("not pushed yet" in note for note in receipt.notes)
    remote.with_name("away.git").rename(remote)

    for branch in branches:
        branch.bring_in()

    drafts = [path for path in pushed(remote) if "_drafts" in path]
    assert len(drafts) == 2
    texts = [git(remote, "show", f"{BRANCH}:{path}") for path in drafts]
    assert sorted(number for number in "01" for text in texts if f"it {number} times" in text) == [
        "0",
        "1",
    ]


def test_a_merge_that_is_cut_off_is_taken_back_and_done_again(remote, tmp_path):
    top = clone(remote, "server")
    branch = branch_of(top)
    (top / "docs/mine.md").write_text("# Nobody has committed it\n")
    team = tmp_path / "team"
    (team / ".gitattributes").write_text("z*.md filter=killer\n")
    for number in range(3):
        (team / f"docs/b{number}.md").write_text("# Beta\n")
    (team / "docs/a.md").write_text("# Alpha has changed\n")
    (team / "docs/z.md").write_text("# Zeta\n")
    git(team, "add", "--all")
    git(team, "commit", "--quiet", "--message", "Beta")
    git(team, "push", "--quiet", str(remote), "main")
    git(top, "config", "filter.killer.smudge", "kill -9 $PPID; cat")

    with pytest.raises(GitError, match="was killed"):
        branch.bring_in()
    assert (top / ".git/index.lock").exists(), "it was killed in the middle"
    assert (top / "docs/b0.md").exists()

    git(top, "config", "filter.killer.smudge", "cat")
    commit = branch.bring_in()

    assert git(top, "show", "--format=", "--name-only", f"{commit}:docs").count(".md") == 5
    assert git(top, "status", "--porcelain", "-uall") == "?? docs/mine.md\n"
    assert (top / "docs/a.md").read_text() == "# Alpha has changed\n"


def test_a_commit_that_is_killed_between_branch_and_index_stops_nobody(remote):
    top = clone(remote, "server")
    branch = branch_of(top)
    killing = '[ "$1" = committed ] && [ -e .git/index.lock ] && kill -9 $PPID'
    hook = git_hook(top, "reference-transaction", killing, "exit 0")
    with open_services(top, background="none", shared=True) as services:
        with suppress(GitError):
            write(services, branch, "quagga")
        hook.unlink()
        assert (top / ".git/index.lock").exists(), "it was killed in the middle"
        receipt = write(services, branch, "okapi")

    assert "Pushed" in receipt.visible
    names = [path.rpartition("/")[2] for path in pushed(remote) if "_drafts" in path]
    assert names == ["prime-the-okapi-pump.md", "prime-the-quagga-pump.md"]
    assert git(top, "status", "--porcelain") == ""


def test_what_lies_in_a_repository_of_its_own_is_not_said_to_be_pushed(remote, tmp_path):
    make_repository(tmp_path / "pages", {"index.md": "# Pages\n"})
    top = clone(remote, "server")
    git(top, "rm", "--quiet", "-r", "docs")
    add = ("-c", "protocol.file.allow=always", "submodule", "add", "--quiet")
    git(top, *add, str(tmp_path / "pages"), "docs")
    git(top, "commit", "--quiet", "--all", "--message", "Docs are a submodule")
    git(top, "push", "--quiet", "origin", "main")
    with open_services(top, background="none", shared=True) as services:
        text = receipt_text(write(services, branch_of(top), "quagga"))

    assert "; not pushed" in text
    assert "Pushed" not in text
    assert git(top / "docs", "log", "--format=%s", "-1").startswith("docs: remember")


def test_a_fact_is_not_said_to_be_visible_to_everyone(remote):
    top = clone(remote, "server")
    asked = WriteRequest("The contract ends in May.", "fact", access=Access("agent", "acme"))
    with open_services(top, background="none", shared=True) as services:
        receipt = TeamWrites(branch_of(top)).write(lambda: services.write(asked))

    assert receipt.visible == "Visible to the assignment acme alone, and in no search of docs."
    assert not receipt.commit.is_pushed


def test_a_server_that_could_not_push_at_its_start_is_written_to_when_it_can(remote):
    top = clone(remote, "server")
    git(top, "remote", "set-url", "--push", "origin", str(remote.with_name("forbidden.git")))
    writes = TeamWrites(DraftsBranch(top, BRANCH, "main"))
    writes.check()
    assert "forbidden.git" in writes.why_off
    with pytest.raises(WriteRefusedError, match=r"forbidden\.git"):
        writes.write(lambda: pytest.fail("it was written"))

    git(top, "remote", "set-url", "--push", "origin", str(remote))
    writes.bring_in()

    assert writes.why_off == ""


WRITER = """\
import sys
from pathlib import Path
from pit_memory.wiring import open_services
from tests.operations.writing.test_team_writes import branch_of, write
top = Path(sys.argv[1])
branch = branch_of(top)
with open_services(top, background="none", shared=True) as services:
    for number in range(100):
        receipt = write(services, branch, f"{sys.argv[2]}{number}")
        if "Pushed" in receipt.visible:
            print(receipt.ref.partition("#")[0], flush=True)
"""


def test_a_server_that_is_killed_loses_no_acknowledged_write_and_writes_none_twice(remote):
    top = clone(remote, "server")
    branch_of(top)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(MCP_SERVER), str(MCP_SERVER.parent)])
    }
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(top), name],
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for name in ("quagga", "okapi")
    ]
    acknowledged = []
    for writer in writers:
        acknowledged += [writer.stdout.readline().strip() for _ in range(2)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [line.strip() for line in writer.stdout if line.endswith("\n")]
        writer.wait()
        writer.stdout.close()

    branch_of(top).bring_in()  # what a server does when it starts

    assert len(acknowledged) >= 4
    names = pushed(remote)
    assert set(acknowledged) <= set(names)
    assert len(names) == len(set(names))
    titles = [name.rpartition("/")[2] for name in names if "_drafts" in name]
    assert not [title for title in titles if title.endswith("-2.md")]
