"""`pit-memory drafts`, as a person and an agent run it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import git, make_repository, write_files
from tests.cli.commands import run
from tests.shared_material import PROJECT

FACT = "The gateway listens on port 8443 and restarts nightly at 03:10."
GATEWAY = f"# Gateway\n\n## Port and restart\n\n{FACT}\nIt has two replicas.\n"
DAY = 86_400


def draft(title: str, body: str = FACT, **more: str) -> str:
    extra = "".join(f"{key}: {value}\n" for key, value in more.items())
    return f"---\ntitle: {title}\ndraft: true\n{extra}---\n\n# {title}\n\n{body}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    root = make_repository(
        tmp_path.resolve() / "project",
        {
            "docs/_drafts/port.md": draft("Gateway port", author="Ada Example"),
            "docs/_drafts/logs.md": draft("Gateway logs", "Logs go to syslog.", author="Bo"),
            "docs/gateway.md": GATEWAY,
        },
    )
    monkeypatch.chdir(root)
    return root


def test_drafts_are_listed_with_author_age_findings_and_where_they_go(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    write_files(project, {"docs/_drafts/new.md": draft("New", f"## Notes\n\n{FACT}")})
    done = run(capsys, "drafts", "list")
    assert done.code == 0
    assert "docs/_drafts/port.md  Gateway port · Ada Example · today\n" in done.out
    assert "   goes to docs/reference/port.md\n" in done.out
    assert "docs/_drafts/new.md  New · today · new · 1 finding\n" in done.out
    assert done.err == "3 drafts\n"


def test_mine_are_those_of_the_name_that_git_knows(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    done = run(capsys, "drafts", "list", "--mine", "--json")
    assert [card["path"] for card in json.loads(done.out)["drafts"]] == ["docs/_drafts/port.md"]
    assert project.is_dir()


def test_an_untouched_draft_is_asked_about_and_never_deleted(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    write_files(project, {"docs/_drafts/old.md": draft("Old")})
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_DATE", "2020-01-01T00:00:00Z")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "Old")
    out = run(capsys, "drafts", "list").out
    assert out.index("discard? untouched for 60 days:") < out.index("docs/_drafts/old.md")
    assert (project / "docs/_drafts/old.md").exists()


def test_an_overlap_is_shown_beside_the_draft_with_the_changed_lines(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    changed = FACT.replace("8443", "9443")
    write_files(project, {"docs/_drafts/port.md": draft("Gateway port and restart", changed)})
    out = run(capsys, "drafts", "list", "port", "--overlaps").out
    assert "   overlaps docs/gateway.md#port-and-restart (" in out
    assert f"      - {FACT}\n" in out
    assert f"      + {changed}\n" in out
    assert "      - It has two replicas.\n" in out
    write_files(project, {"docs/_drafts/bare.md": f"# Gateway port and restart\n\n{FACT}\n"})
    assert "overlaps docs/_drafts" not in run(capsys, "drafts", "list", "--overlaps").out


def test_a_draft_that_was_published_elsewhere_is_said_to_be(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    page = f"---\nmoved_from: docs/_drafts/port.md\n---\n# Port\n\n{FACT}\n"
    write_files(project, {"docs/reference/port.md": page})
    assert (
        "   published already as docs/reference/port.md; discard it\n"
        in run(capsys, "drafts", "list").out
    )


def test_drafts_are_checked_by_the_doc_standard(project: Path, capsys: pytest.CaptureFixture[str]):
    assert run(capsys, "drafts", "lint").code == 0
    write_files(project, {"docs/_drafts/port.md": draft("Port", "## Notes\n\nSomething is so.")})
    done = run(capsys, "drafts", "lint", "port")
    assert done.code == 1
    assert "docs/_drafts/port.md:8: vague-heading" in done.out


def test_an_agent_can_not_approve_its_own_proposal(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    head = git(project, "rev-parse", "HEAD")
    for name in (None, "", "Claude", "the assistant", "bot", "\n", "42"):
        given = () if name is None else ("--approved-by", name)
        done = run(capsys, "drafts", "publish", "port", *given)
        assert done.code == 2
        assert "--approved-by" in done.err
    assert git(project, "rev-parse", "HEAD") == head


def test_publishing_needs_no_approval_to_show_what_it_would_do(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    done = run(capsys, "drafts", "publish", "port", "--dry-run")
    assert done.code == 0
    assert "planned: docs/_drafts/port.md -> docs/reference/port.md" in done.out
    assert "-draft: true" in done.out
    assert (project / "docs/_drafts/port.md").exists()


def test_the_chosen_drafts_are_published_and_the_others_kept(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    done = run(capsys, "drafts", "publish", "port", "--approved-by", "Ada  Example\n")
    assert done.code == 0
    commit = git(project, "rev-parse", "--short", "HEAD").strip()
    assert done.out == (
        f"published: docs/_drafts/port.md -> docs/reference/port.md  commit {commit}\n"
    )
    assert "Approved-by: Ada Example\n" in git(project, "show", "--no-patch", "--format=%B")
    assert (project / "docs/_drafts/logs.md").exists()
    again = run(capsys, "drafts", "publish", "port", "--approved-by", "Ada Example")
    assert again.code == 1
    assert "there is no draft port" in again.out


def test_a_batch_names_where_each_goes(project: Path, capsys: pytest.CaptureFixture[str]):
    batch = (
        "# chosen by Ada\n\nport -> docs/ops/gateway-port.md\n"
        '{"name": "logs", "into": "docs/gateway.md#gateway"}\n'
    )
    write_files(project, {"chosen.txt": batch})
    arguments = ("drafts", "publish", "--from", "chosen.txt", "--approved-by", "Ada", "--json")
    outcomes = json.loads(run(capsys, *arguments).out)["outcomes"]
    assert [(one["state"], one["target"]) for one in outcomes] == [
        ("published", "docs/ops/gateway-port.md"),
        ("published", "docs/gateway.md#gateway-logs"),
    ]
    assert git(project, "rev-list", "--count", "HEAD").strip() == "3"


@pytest.mark.parametrize("line", ["port ->", '{"name": 1}', '{"nam": "x"}', "-> docs/x.md", "{"])
def test_a_line_of_a_batch_that_can_not_be_read_publishes_nothing(
    project: Path, line: str, capsys: pytest.CaptureFixture[str]
):
    write_files(project, {"chosen.txt": f"logs\n{line}\n"})
    done = run(capsys, "drafts", "publish", "--from", "chosen.txt", "--approved-by", "Ada")
    assert done.code == 2
    assert "line 2" in done.err
    assert (project / "docs/_drafts/logs.md").exists()


def test_a_name_that_means_no_draft_is_answered_with_the_nearest(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    done = run(capsys, "drafts", "publish", "porrt", "--approved-by", "Ada")
    assert done.code == 1
    assert "did you mean port?" in done.out
    assert project.is_dir()


def test_a_discarded_draft_can_be_had_back_from_git(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    done = run(capsys, "drafts", "discard", "logs", "--approved-by", "Ada")
    assert done.code == 0
    assert done.out.startswith("discarded: docs/_drafts/logs.md  commit ")
    assert "syslog" in git(project, "show", "HEAD~1:docs/_drafts/logs.md")


def test_a_review_looks_back_to_the_last_wrap_up(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
):
    notes = home / ".claude/projects" / str(project).replace("/", "-").replace("_", "-") / "memory"
    write_files(
        project,
        {
            "docs/gateway.md": f"# Gateway\n\n## Port\n\n{FACT} [x](gone.md)\n",
            "memory/gotcha_uploads.md": "---\nname: uploads\n---\nClear it.\n",
        },
    )
    write_files(notes, {"deploys.md": "---\ndescription: how deploys go\n---\nSlowly.\n"})
    review = json.loads(run(capsys, "drafts", "review", "--json").out)
    assert {card["path"] for card in review["drafts"]} == {
        "docs/_drafts/port.md",
        "docs/_drafts/logs.md",
    }
    assert review["notes"] == [{"name": "deploys.md", "about": "how deploys go"}]
    assert review["gotchas"] == ["memory/gotcha_uploads.md"]
    assert [(one["path"], one["rule"]) for one in review["rotten"]] == [
        ("docs/gateway.md", "dead-link")
    ]
    write_files(project, {"docs/moved.md": "# Moved\n" + "\n[x](gone.md)\n" * 30})
    said = run(capsys, "drafts", "review").out
    assert "dead or stale in touched documents: 31\n" in said
    assert said.count("dead-link") == 20
    assert said.endswith("11 more: pit-memory lint\n")
    assert run(capsys, "drafts", "review", "--done").code == 0
    later = (notes / "deploys.md").stat().st_mtime - DAY
    os.utime(notes / "deploys.md", (later, later))
    assert json.loads(run(capsys, "drafts", "review", "--json").out)["notes"] == []
    assert "drafts: 2" in run(capsys, "drafts", "review").out


@pytest.mark.parametrize(
    ("command", "goes_on"),
    [
        (("list",), True),
        (("list", "--overlaps"), True),
        (("review",), True),
        (("lint",), False),
        (("publish", "port", "--dry-run"), False),
        (("discard", "port"), False),
    ],
)
def test_a_wrong_key_of_the_settings_stops_writers_and_gates_and_is_told_to_who_asks(
    project: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], goes_on: bool
):
    (project / ".pit-memory.toml").write_text("[serch]\nlimit = 3\n")
    outcome = run(capsys, "drafts", *command)
    assert ".pit-memory.toml:1: there is no setting serch; did you mean search?" in outcome.err
    assert (outcome.code, "docs/_drafts/port.md" in outcome.out) == (
        (0, True) if goes_on else (2, False)
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("answer", "published"), [("y", True), ("n", False)])
def test_at_a_terminal_the_person_is_asked(project: Path, answer: str, published: bool):
    keyboard, terminal = os.openpty()
    os.write(keyboard, f"{answer}\n".encode())
    environ = {**os.environ, "PYTHONPATH": str(PROJECT / "mcp_server"), "TERM": "dumb"}
    command = [sys.executable, "-m", "pit_memory", "drafts", "publish", "port"]
    done = subprocess.run(
        command,
        cwd=project,
        env=environ,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        check=False,
    )
    os.close(terminal)
    screen = os.read(keyboard, 100_000).decode()
    os.close(keyboard)
    assert "Publish 1 of the drafts?" in screen
    assert (done.returncode == 0) is published
    assert (project / "docs/reference/port.md").exists() is published
    if published:
        assert "Approved-by: Ada Example" in git(project, "show", "--no-patch", "--format=%B")
