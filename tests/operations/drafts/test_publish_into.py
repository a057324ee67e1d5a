"""A draft becomes a part of a page that is published already."""

from pathlib import Path

import pytest

from pit_memory.operations.searching.search import SearchRequest
from tests.builders import git, make_repository, write_files
from tests.operations.drafts.drafts_to_publish import DRAFT, FILES, PORTS

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path.resolve() / "project", FILES)


def test_a_draft_is_put_under_a_published_heading(root, services, publish):
    write_files(root, {"docs/x.md": "# X\n\n[p](_drafts/gateway-port.md)\n"})
    git(root, "add", "docs/x.md")
    git(root, "commit", "--quiet", "--message", "X")
    outcome = publish(into="docs/reference/ports.md#public")
    assert outcome.target == "docs/reference/ports.md#gateway-port"
    assert (root / "docs/reference/ports.md").read_text() == (
        "---\nmoved_from: docs/_drafts/gateway-port.md#gateway-port\n---\n\n"
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
        .partition("---\n\n")[2]
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


def test_a_page_with_line_ends_of_old_takes_a_draft_in(root, publish):
    page = root / "docs/reference/ports.md"
    page.write_bytes(page.read_bytes().replace(b"\n", b"\r"))
    git(root, "commit", "--quiet", "--all", "--message", "ends")
    assert publish(into="docs/reference/ports.md#public").state == "published"
    assert b"\n" not in page.read_bytes()


STEPS = """\
---
title: Gateway steps
draft: true
---

# Gateway steps

First things first.

## Detail

Open port 8443 in the firewall before the pod starts.

## Restart of the gateway

Restart it at 03:10.
"""


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("head", ["", "---\ntitle: Ports\nmoved_from: docs/_drafts/a.md\n---\n"])
def test_citations_of_a_draft_that_was_merged_lead_to_its_text(
    root, services, publish, replace: bool, head: str
):
    ports = root / "docs/reference/ports.md"
    write_files(root, {"docs/_drafts/steps.md": STEPS, "docs/reference/ports.md": head + PORTS})
    git(root, "add", "docs")
    git(root, "commit", "--quiet", "--message", "steps")
    anchors = ["gateway-steps", "detail", "restart-of-the-gateway"]
    cited = [services.read(f"docs/_drafts/steps.md#{anchor}", 500).ref for anchor in anchors]
    assert publish("steps", into="docs/reference/ports.md#public", replace=replace).state == (
        "published"
    )
    answers = [services.read(ref, 500) for ref in cited]
    assert [answer.path for answer in answers] == ["docs/reference/ports.md"] * 3
    assert ["First things first." in str(answers[0].lines), answers[0].state] == [
        True,
        "changed" if replace else "moved",  # its heading is another one
    ]
    assert [answer.state for answer in answers[1:]] == ["moved", "moved"]
    assert "Open port 8443" in str(answers[1].lines)
    assert "Restart it at 03:10." in str(answers[2].lines)
    for ref in ("docs/_drafts/steps.md", "docs/_drafts/steps.md#gateway-steps"):
        assert "First things first." in str(services.read(ref, 500).lines)
    ports.write_text(ports.read_text().replace("03:10", "04:20"))
    changed = services.read(cited[2], 500)
    assert (changed.state, "04:20" in str(changed.lines)) == ("changed", True)


def test_a_page_whose_front_matter_cant_take_the_origin_takes_the_draft_and_says_so(root, publish):
    head = "---\nmoved_from:\n  - docs/_drafts/a.md\n---\n"
    write_files(root, {"docs/reference/ports.md": head + PORTS})
    git(root, "commit", "--quiet", "--all", "--message", "head")
    outcome = publish(into="docs/reference/ports.md#public")
    assert outcome.state == "published"
    assert "citations of docs/_drafts/gateway-port.md lead nowhere" in "".join(outcome.notes)
    assert (root / "docs/reference/ports.md").read_text().startswith(head + "# Ports\n")
