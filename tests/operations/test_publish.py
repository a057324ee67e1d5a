"""Publishing drafts: what moves, what changes with it, what stays the person's, what is refused."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pit_memory.core.draft_cards import PublishOutcome
from pit_memory.errors import WriteRefusedError
from pit_memory.operations.publish import Approved
from pit_memory.operations.search import SearchRequest
from pit_memory.operations.services import Services
from pit_memory.wiring import draft_desk, open_services
from tests.builders import git, make_repository, write_files

DRAFT = """\
---
title: Gateway port
draft: true
author: Ada Example
---

# Gateway port

The gateway listens on port 8443, see [the runbook](../runbook.md#restart) and ![x](../img/x.png).
"""
MKDOCS = """\
site_name: X   # kept
exclude_docs: |
  _drafts/
extra:
  key: !ENV [KEY, none]
nav:
  - Home: index.md
  # the reference, by hand
  - Reference:
      - "Ports": reference/ports.md  # first
      - reference/logs.md
  - Runbook: runbook.md
plugins: []
"""
INDEX = "# Home\n\nSee [port](_drafts/gateway-port.md#gateway-port), [[gateway-port]].\n"
PORTS = "# Ports\n\n## Public\n\nPort 443.\n\n### Detail\n\nMore.\n\n## Last\n\nEnd.\n"
FILES: dict[str, str | bytes] = {
    "docs/_drafts/gateway-port.md": DRAFT,
    "docs/_drafts/other.md": "---\ntitle: Other\ndraft: true\n---\n# Other\n\nAnother fact here.\n",
    "docs/index.md": INDEX,
    "docs/runbook.md": "# Runbook\n\n## Restart\n\nIt is; docs/_drafts/gateway-port.md#x says.\n",
    "docs/img/x.png": b"png",
    "docs/reference/ports.md": PORTS,
    "mkdocs.yml": MKDOCS,
    "mine.txt": "a\n",
}
TARGET = "docs/reference/gateway-port.md"

Publish = Callable[..., PublishOutcome]


@pytest.fixture(autouse=True)
def _words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path.resolve() / "project", FILES)


@pytest.fixture
def services(root: Path) -> Iterator[Services]:
    with open_services(root, background="none") as services:
        yield services


@pytest.fixture
def publish(services: Services) -> Publish:
    def publish(name: str = "gateway-port", *, dry_run: bool = False, **more) -> PublishOutcome:
        (outcome,) = draft_desk(services, "Ada").publish([Approved(name, **more)], dry_run=dry_run)
        return outcome

    return publish


def committed(root: Path) -> set[str]:
    return {*git(root, "show", "--name-only", "--no-renames", "--format=", "HEAD").split()}


def test_a_published_draft_is_a_page_and_everything_points_at_it(root, services, publish):
    outcome = publish()
    assert (outcome.state, outcome.target) == ("published", TARGET)
    text = (root / TARGET).read_text()
    assert text.split("\n")[:5] == [
        "---",
        "title: Gateway port",
        "author: Ada Example",
        "moved_from: docs/_drafts/gateway-port.md",
        "---",
    ]
    assert "[the runbook](../runbook.md#restart) and ![x](../img/x.png)" in text
    assert not (root / "docs/_drafts/gateway-port.md").exists()
    index = (root / "docs/index.md").read_text()
    assert (
        index == "# Home\n\nSee [port](reference/gateway-port.md#gateway-port), [[gateway-port]].\n"
    )
    assert f"; {TARGET}#x says." in (root / "docs/runbook.md").read_text()
    nav = (root / "mkdocs.yml").read_text()
    assert nav == MKDOCS.replace(
        "      - reference/logs.md\n",
        "      - reference/logs.md\n      - Gateway port: reference/gateway-port.md\n",
    )
    changed = {"docs/index.md", "docs/runbook.md", "mkdocs.yml"}
    assert set(outcome.changed) == changed
    assert committed(root) == changed | {TARGET, "docs/_drafts/gateway-port.md"}
    assert git(root, "status", "--porcelain") == ""
    message = git(root, "show", "--no-patch", "--format=%s|%(trailers:key=Approved-by,valueonly)")
    assert message.strip() == "docs: publish Gateway port|Ada"
    hits = services.search(SearchRequest("gateway port 8443")).hits
    assert (hits[0].path, hits[0].status) == (TARGET, "published")
    assert all(hit.path != "docs/_drafts/gateway-port.md" for hit in hits)


def test_a_draft_in_another_folder_keeps_its_links(root, publish):
    outcome = publish(to="docs/ops/network/")
    assert outcome.target == "docs/ops/network/gateway-port.md"
    assert "[the runbook](../../runbook.md#restart)" in (root / outcome.target).read_text()


def test_a_dry_run_shows_the_diff_and_changes_nothing(root, publish):
    before = git(root, "rev-parse", "HEAD")
    outcome = publish(dry_run=True)
    assert outcome.state == "planned"
    assert "-draft: true\n" in outcome.diff
    assert "+moved_from: docs/_drafts/gateway-port.md\n" in outcome.diff
    assert "+      - Gateway port: reference/gateway-port.md\n" in outcome.diff
    assert git(root, "rev-parse", "HEAD") == before
    assert git(root, "status", "--porcelain") == ""


def test_what_the_person_has_staged_and_changed_stays_theirs(root, publish):
    write_files(root, {"mine.txt": "staged\n"})
    git(root, "add", "mine.txt")
    write_files(root, {"docs/index.md": "# Mine\n\n[port](_drafts/gateway-port.md)\n"})
    before = git(root, "status", "--porcelain")
    outcome = publish()
    assert outcome.state == "published"
    assert git(root, "status", "--porcelain") == before
    assert any("docs/index.md:3" in note and TARGET in note for note in outcome.notes)


def test_a_configuration_with_changes_of_the_person_is_left_and_the_line_named(root, publish):
    write_files(root, {"mkdocs.yml": MKDOCS + "# mine\n"})
    outcome = publish()
    assert outcome.state == "published"
    (note,) = outcome.notes
    assert "- Gateway port: reference/gateway-port.md" in note
    assert (root / "mkdocs.yml").read_text() == MKDOCS + "# mine\n"


@pytest.mark.parametrize(
    "nav",
    [
        "nav: [index.md, runbook.md]\n",
        "nav: &nav\n  - index.md\nextra:\n  again: *nav\n",
        "nav: !include nav.yml\n",
        "nav:\n- Home: &home index.md\n- Again: *home\n",
    ],
)
def test_a_nav_that_can_not_be_changed_safely_is_left_as_it_is(tmp_path: Path, nav: str):
    text = f"site_name: X\nexclude_docs: _drafts/\n{nav}"
    root = make_repository(tmp_path.resolve() / "p", FILES | {"mkdocs.yml": text})
    with open_services(root, background="none") as services:
        (outcome,) = draft_desk(services, "Ada").publish([Approved("gateway-port")])
    after = (root / "mkdocs.yml").read_text()
    if after == text:
        assert any("- Gateway port: reference/gateway-port.md" in note for note in outcome.notes)
    else:
        assert after == f"{text}- Gateway port: reference/gateway-port.md\n"


def test_a_draft_is_put_under_a_published_heading(root, services, publish):
    write_files(root, {"docs/x.md": "# X\n\n[p](_drafts/gateway-port.md)\n"})
    git(root, "add", "docs/x.md")
    git(root, "commit", "--quiet", "--message", "X")
    outcome = publish(into="docs/reference/ports.md#public")
    assert outcome.target == "docs/reference/ports.md#gateway-port"
    assert (root / "docs/reference/ports.md").read_text() == (
        "# Ports\n\n## Public\n\nPort 443.\n\n### Detail\n\nMore.\n\n### Gateway port\n\n"
        "The gateway listens on port 8443, see [the runbook](../runbook.md#restart) and "
        "![x](../img/x.png).\n\n## Last\n\nEnd.\n"
    )
    assert (root / "docs/x.md").read_text() == "# X\n\n[p](reference/ports.md#gateway-port)\n"
    assert not (root / "docs/_drafts/gateway-port.md").exists()
    assert git(root, "status", "--porcelain") == ""
    assert services.search(SearchRequest("gateway port 8443")).hits[0].anchor == "gateway-port"


def test_a_draft_replaces_the_text_of_a_section(root, publish):
    publish(into="docs/reference/ports.md#public", replace=True)
    assert (
        (root / "docs/reference/ports.md")
        .read_text()
        .startswith("# Ports\n\n## Public\n\nThe gateway listens on port 8443")
    )
    assert "Port 443" not in (root / "docs/reference/ports.md").read_text()
    assert "### Detail\n\nMore.\n" in (root / "docs/reference/ports.md").read_text()


def test_a_section_whose_file_has_changes_of_the_person_is_not_touched(root, publish):
    write_files(root, {"docs/reference/ports.md": "# Ports\n\n## Public\n\nMine.\n"})
    outcome = publish(into="docs/reference/ports.md#public")
    assert outcome.state == "refused"
    assert "not committed" in outcome.reason
    assert (root / "docs/_drafts/gateway-port.md").read_text() == DRAFT


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"to": "docs/runbook.md"}, "there already"),
        ({"to": "../outside.md"}, "`..`"),
        ({"to": "notes/x.md"}, "outside of docs/"),
        ({"to": "/etc/x.md"}, "absolute"),
        ({"to": "docs/_drafts/x.md"}, "still be a draft"),
        ({"to": "docs/ignored/x.md"}, "git ignores"),
        (
            {"into": "docs/reference/ports.md#publik"},
            "did you mean docs/reference/ports.md#public?",
        ),
        ({"into": "docs/none.md#a"}, "no document docs/none.md"),
        ({"into": "docs/_drafts/other.md#other"}, "is a draft itself"),
    ],
)
def test_a_target_that_is_none_is_refused_and_the_draft_stays(root, publish, more, why):
    write_files(root, {".gitignore": "ignored/\n"})
    outcome = publish(**more)
    assert outcome.state == "refused"
    assert why in outcome.reason
    assert (root / "docs/_drafts/gateway-port.md").read_text() == DRAFT


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\ntitle: [x\ndraft: true\n---\n# X\n", "front matter is not valid YAML"),
        ("---\n{draft: true, title: X}\n---\n# X\n", "can't be taken out safely"),
        (b"---\ndraft: true\n---\n# X\n\n\xff\xfe\n", "UTF-8"),
    ],
)
def test_a_draft_that_can_not_be_read_is_refused(root, publish, text, why):
    write_files(root, {"docs/_drafts/gateway-port.md": text})
    outcome = publish()
    assert outcome.state == "refused"
    assert why in outcome.reason


def test_an_edited_draft_is_published_as_it_is_on_disk(root, publish):
    write_files(root, {"docs/_drafts/gateway-port.md": DRAFT + "\nOne more fact.\n"})
    outcome = publish()
    assert outcome.state == "published"
    assert "One more fact." in git(root, "show", f"HEAD:{TARGET}")
    assert outcome.notes == ("published with its changes that weren't committed",)


def test_a_draft_that_git_never_saw_is_published(root, publish):
    write_files(root, {"docs/_drafts/new.md": "---\ndraft: true\n---\n# New\n\nA new fact.\n"})
    outcome = publish("new")
    assert (outcome.state, outcome.target) == ("published", "docs/reference/new.md")
    assert git(root, "status", "--porcelain") == ""


def test_nothing_is_published_during_a_merge(root, services):
    (root / ".git/MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD"))
    with pytest.raises(WriteRefusedError, match="a merge is in progress"):
        draft_desk(services, "Ada").publish([Approved("gateway-port")])
    assert (root / "docs/_drafts/gateway-port.md").exists()


def test_a_commit_that_a_hook_refuses_takes_everything_back(root, publish):
    hook = root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho 'no commits on Fridays' >&2\nexit 1\n")
    hook.chmod(0o755)
    outcome = publish()
    assert outcome.state == "refused"
    assert "no commits on Fridays" in outcome.reason
    assert git(root, "status", "--porcelain") == ""
    assert (root / "docs/_drafts/gateway-port.md").read_text() == DRAFT
    assert not (root / TARGET).exists()


def test_a_draft_that_was_deleted_meanwhile_stops_no_other(root, services):
    (root / "docs/_drafts/gateway-port.md").unlink()
    gone, other = draft_desk(services, "Ada").publish([Approved("gateway-port"), Approved("other")])
    assert (gone.state, other.state) == ("refused", "published")
    assert "there is no draft gateway-port" in gone.reason


def test_two_wrapups_at_once_publish_a_draft_once(root):
    outcomes: list[PublishOutcome] = []

    def wrap_up() -> None:
        with open_services(root, background="none") as services:
            outcomes.extend(
                draft_desk(services, "Ada").publish([Approved("gateway-port"), Approved("other")])
            )

    threads = [threading.Thread(target=wrap_up) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    states = sorted(outcome.state for outcome in outcomes)
    assert states == ["published", "published", "refused", "refused"]
    assert git(root, "rev-list", "--count", "HEAD").strip() == "3"
    assert git(root, "status", "--porcelain") == ""


def test_without_a_repository_the_files_move_all_the_same(tmp_path: Path):
    root = write_files(tmp_path.resolve() / "plain", FILES)
    with open_services(root, background="none") as services:
        (outcome,) = draft_desk(services, "Ada").publish([Approved("gateway-port")])
    assert outcome.state == "published"
    assert outcome.commit is not None
    assert outcome.commit.state == "no repository"
    assert (root / TARGET).exists()


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_stay(root, publish, end):
    write_files(root, {"docs/_drafts/gateway-port.md": DRAFT.replace("\n", end).encode()})
    assert publish().state == "published"
    data = (root / TARGET).read_bytes().decode()
    lines = data.split(end)
    assert "draft: true" not in lines
    assert "# Gateway port" in lines
    assert not set("".join(lines)) & {"\r", "\n"}


def test_a_page_with_line_ends_of_old_takes_a_draft_in(root, publish):
    page = root / "docs/reference/ports.md"
    page.write_bytes(page.read_bytes().replace(b"\n", b"\r"))
    git(root, "commit", "--quiet", "--all", "--message", "ends")
    assert publish(into="docs/reference/ports.md#public").state == "published"
    assert b"\n" not in page.read_bytes()


def test_a_discarded_draft_is_removed_by_a_commit_alone(root, services):
    write_files(root, {"mine.txt": "staged\n"})
    git(root, "add", "mine.txt")
    (outcome,) = draft_desk(services, "Ada").discard(["other"])
    assert outcome.state == "discarded"
    assert committed(root) == {"docs/_drafts/other.md"}
    assert git(root, "status", "--porcelain") == "M  mine.txt\n"
    assert not services.search(SearchRequest("Another fact here")).hits


def test_a_draft_with_changes_that_are_not_committed_is_not_discarded(root, services):
    write_files(root, {"docs/_drafts/other.md": "changed\n", "docs/_drafts/new.md": "new\n"})
    outcomes = draft_desk(services).discard(["other", "new"])
    assert [outcome.state for outcome in outcomes] == ["refused", "refused"]
    assert (root / "docs/_drafts/other.md").read_text() == "changed\n"


def test_a_discard_that_a_hook_refuses_leaves_draft_and_staging(root, services):
    hook = root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    write_files(root, {"mine.txt": "staged\n"})
    git(root, "add", "mine.txt")
    (outcome,) = draft_desk(services).discard(["other"])
    assert outcome.state == "refused"
    assert git(root, "status", "--porcelain") == "M  mine.txt\n"


def test_a_citation_of_the_draft_leads_to_the_page(services, publish):
    publish(to="docs/ops/ports-of-gateway.md")
    answer = services.read("docs/_drafts/gateway-port.md#gateway-port", 500)
    assert answer.state == "moved"
    assert answer.ref.startswith("docs/ops/ports-of-gateway.md#gateway-port@")
    assert any("port 8443" in line.text for line in answer.lines)


@pytest.mark.timeout(120)
def test_a_real_site_shows_the_page_only_once_it_is_published(root, publish):
    pytest.importorskip("mkdocs", reason="MkDocs builds the site")
    built = root / "site"

    def build() -> str:
        command = [sys.executable, "-m", "mkdocs", "--quiet", "build", "--site-dir", str(built)]
        subprocess.run(command, cwd=root, check=True, capture_output=True)
        return "".join(page.read_text() for page in built.rglob("*.html"))

    before = build()
    assert "listens on port 8443" not in before
    assert not list(built.rglob("gateway-port"))
    shutil.rmtree(built)
    publish()
    assert "listens on port 8443" in build()
    assert (built / "reference/gateway-port/index.html").exists()
    home = (built / "index.html").read_text()
    assert home.count('href="reference/gateway-port/"') == 1  # in the nav
    assert 'href="reference/gateway-port/#gateway-port"' in home


def test_a_project_below_the_top_of_its_repository_commits_its_own_paths(tmp_path: Path):
    top = make_repository(
        tmp_path.resolve() / "mono", {f"handbook/{path}": data for path, data in FILES.items()}
    )
    write_files(top, {"code.py": "x = 1\n"})
    with open_services(top / "handbook", background="none") as services:
        (outcome,) = draft_desk(services, "Ada").publish([Approved("gateway-port")])
    assert (outcome.state, outcome.target) == ("published", TARGET)
    assert f"handbook/{TARGET}" in committed(top)
    assert git(top, "status", "--porcelain") == "?? code.py\n"


def test_a_symlink_in_the_place_of_a_folder_leads_nowhere(root, publish, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "docs/elsewhere").symlink_to(outside)
    outcome = publish(to="docs/elsewhere/")
    assert outcome.state == "refused"
    assert not list(outside.iterdir())


def test_what_the_person_staged_of_a_draft_is_published_as_it_is_on_disk(root, publish):
    write_files(root, {"docs/_drafts/gateway-port.md": DRAFT + "\nStaged.\n"})
    git(root, "add", "docs/_drafts/gateway-port.md")
    write_files(root, {"docs/_drafts/gateway-port.md": DRAFT + "\nOn disk.\n"})
    assert publish().state == "published"
    assert "On disk." in git(root, "show", f"HEAD:{TARGET}")
    assert git(root, "status", "--porcelain") == ""


def test_staged_changes_of_files_that_would_change_are_left_alone(root, publish):
    write_files(root, {"docs/runbook.md": "# Mine\n\ndocs/_drafts/gateway-port.md\n"})
    git(root, "add", "docs/runbook.md")
    outcome = publish()
    assert outcome.state == "published"
    assert git(root, "status", "--porcelain") == "M  docs/runbook.md\n"
    assert any("docs/runbook.md:3" in note for note in outcome.notes)


def test_a_draft_on_a_branch_without_any_commit(tmp_path: Path):
    root = write_files(tmp_path.resolve() / "unborn", FILES)
    git(root, "init", "--quiet")
    with open_services(root, background="none") as services:
        (outcome,) = draft_desk(services, "Ada").publish([Approved("gateway-port")])
    assert outcome.state == "published"
    assert (root / TARGET).exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_a_place_that_can_not_be_written_keeps_the_draft(root, services):
    (root / "docs/reference").chmod(0o555)
    try:
        first, second = draft_desk(services, "Ada").publish(
            [Approved("gateway-port"), Approved("other", to="docs/other.md")]
        )
    finally:
        (root / "docs/reference").chmod(0o755)
    assert (first.state, second.state) == ("refused", "published")
    assert "permission denied" in first.reason
    assert (root / "docs/_drafts/gateway-port.md").read_text() == DRAFT


def test_a_place_that_is_a_file_keeps_the_draft(root, services):
    first, second = draft_desk(services, "Ada").publish(
        [Approved("gateway-port", to="docs/index.md/x.md"), Approved("other")]
    )
    assert (first.state, second.state) == ("refused", "published")
    assert (root / "docs/_drafts/gateway-port.md").read_text() == DRAFT


@pytest.mark.parametrize("moment", ["amid the edits", "before the commit", "staged"])
@pytest.mark.parametrize("is_changed", [False, True])
def test_a_publish_that_was_killed_is_taken_back_by_the_next(
    root, publish, monkeypatch, moment, is_changed
):
    class Killed(BaseException):
        """Nothing of ours handles it, as nothing handles a kill."""

    def killed(*_: object, **__: object) -> None:
        raise Killed

    (root / "mine.txt").write_text("staged\n")
    git(root, "add", "mine.txt")
    with monkeypatch.context() as patch:
        if moment == "amid the edits":
            patch.setattr("pit_memory.operations.file_edits.write_atomic", killed)
        else:
            patch.setattr("pit_memory.operations.publish.commit_files", killed)
        with pytest.raises(Killed):
            publish("gateway-port")
    assert (root / TARGET).exists()
    if moment == "staged":
        git(root, "add", TARGET)
    (root / ".mkdocs.yml.0a1b2c3d.tmp").write_bytes(b"site_name")
    (root / ".mkdocs.yml.0a1b2c3e.tmp").write_bytes(b"somebody's")
    if is_changed:
        (root / "docs/index.md").write_text("# Mine now\n")

    outcome = publish("gateway-port")

    assert outcome.state == "published"
    assert "killed before its commit: " in outcome.notes[0]
    assert not (root / ".mkdocs.yml.0a1b2c3d.tmp").exists()
    (root / ".mkdocs.yml.0a1b2c3e.tmp").unlink()
    mine = " M docs/index.md\n" * is_changed + "M  mine.txt\n"
    assert git(root, "status", "--porcelain") == mine
    if is_changed:
        assert (root / "docs/index.md").read_text() == "# Mine now\n"


def test_what_was_committed_is_not_taken_back(root, publish, monkeypatch):
    class Killed(BaseException):
        """As above."""

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pit_memory.operations.publish.forget_edits", killed)
        with pytest.raises(Killed):
            publish("gateway-port")
    assert publish("other").state == "published"
    assert (root / TARGET).exists()
    assert git(root, "status", "--porcelain") == ""
