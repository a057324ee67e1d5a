"""Publishing drafts: the page, what points at it, and what is refused."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.operations.drafts.publish import Approved
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import draft_desk, open_services
from tests.builders import git, make_repository, write_files
from tests.operations.drafts.drafts_to_publish import (
    DRAFT,
    FILES,
    MKDOCS,
    TARGET,
    committed,
)

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path.resolve() / "project", FILES)


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


def test_a_draft_that_was_deleted_meanwhile_stops_no_other(root, services):
    (root / "docs/_drafts/gateway-port.md").unlink()
    gone, other = draft_desk(services, "Ada").publish([Approved("gateway-port"), Approved("other")])
    assert (gone.state, other.state) == ("refused", "published")
    assert "there is no draft gateway-port" in gone.reason


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_stay(root, publish, end):
    write_files(root, {"docs/_drafts/gateway-port.md": DRAFT.replace("\n", end).encode()})
    assert publish().state == "published"
    data = (root / TARGET).read_bytes().decode()
    lines = data.split(end)
    assert "draft: true" not in lines
    assert "# Gateway port" in lines
    assert not set("".join(lines)) & {"\r", "\n"}


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


def test_a_symlink_in_the_place_of_a_folder_leads_nowhere(root, publish, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "docs/elsewhere").symlink_to(outside)
    outcome = publish(to="docs/elsewhere/")
    assert outcome.state == "refused"
    assert not list(outside.iterdir())


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
