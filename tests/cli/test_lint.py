"""`pit-memory lint`, as a writer runs it."""

import json
from pathlib import Path

import pytest

from tests.builders import make_repository, write_files
from tests.cli.commands import run

FACT = "The gateway listens on port 8443 and restarts nightly at 03:10.\n"
GATEWAY = f"# Gateway\n\n## Port and restart\n\n{FACT}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_repository(tmp_path / "project", {"docs/gateway.md": GATEWAY, "code.py": ""})
    monkeypatch.chdir(root)
    return root


def test_a_finding_is_path_line_rule_and_what_to_do(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    write_files(project, {"docs/ops.md": f"# Ops\n\n## Notes\n\n{FACT}"})
    done = run(capsys, "lint")
    assert done.code == 1
    assert done.out.startswith("docs/ops.md:3: vague-heading: 'Notes' ")
    assert done.err == "1 finding in 2 documents\n"
    assert run(capsys, "lint", "docs/gateway.md").code == 0


def test_links_are_followed_as_renderers_do(project: Path, capsys: pytest.CaptureFixture[str]):
    body = """
## Where links lead

Alive: [a](gateway.md#port-and-restart) [b](../code.py) [c](gateway/) [d](../gateway) [[gateway]]
[e](#where-links-lead) [f](#given) [g](https://x.example/gone.md) [h](/gateway.md) ![[p.png]]
[i](/built/page) <a id="given"></a> [j](#fn:1) ![k](img/p.png) [[gateway#port-and-restart|x]].

## Where they do not

Dead: [a](gatevay.md) [b](gateway.md#ports) ![c](img/q.png)
[[getaway]] [e](#gone) <img src="img/r.png"> [g](/gone.md) [h](../../../etc/passwd).
"""
    write_files(project, {"docs/ops.md": f"# Ops\n{body}", "docs/img/p.png": b"png"})
    done = run(capsys, "lint", "--json")
    found = json.loads(done.out)
    assert done.code == 1
    assert found["files"] == 2
    assert [(one["line"], one["rule"]) for one in found["problems"]] == [
        (11, "dead-link"),
        (11, "dead-anchor"),
        (11, "dead-image"),
        (12, "dead-wikilink"),
        (12, "dead-anchor"),
        (12, "dead-image"),
        (12, "dead-link"),
        (12, "dead-link"),
    ]
    assert "did you mean docs/gateway.md?" in found["problems"][0]["message"]
    assert "did you mean [[gateway]]?" in found["problems"][3]["message"]


def test_a_rule_is_switched_off_with_a_reason_that_is_said(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    write_files(
        project,
        {
            "docs/ops.md": f"# Ops\n\n## Notes\n\n{FACT}",
            "docs/dev.md": f"# Dev\n\n## Notes\n\n{FACT}",
            ".pit-memory.toml": '[[lint.off]]\nrule = "vague-heading"\npaths = ["docs/ops.md"]\n'
            'reason = "the pager links to it"\n',
        },
    )
    done = run(capsys, "lint")
    assert done.out.count("\n") == 1
    assert "docs/dev.md:3" in done.out
    assert "1 of vague-heading not shown: the pager links to it" in done.err


def test_a_rule_switched_off_without_a_reason_is_an_error(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    write_files(project, {".pit-memory.toml": '[[lint.off]]\nrule = "no-title"\n'})
    done = run(capsys, "lint")
    assert done.code == 2
    assert "reason" in done.err


def test_broken_front_matter_and_bytes_are_findings_not_crashes(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    write_files(
        project,
        {
            "docs/a.md": f"---\ntitle: [x\n---\n# A\n\n{FACT}",
            "docs/b.md": f"---\ndraft: perhaps\n---\n# B\n\n{FACT}",
            "docs/c.md": b"# C\n\n\xff\xfe\x00broken\n",
        },
    )
    done = run(capsys, "lint")
    assert done.code == 1
    assert "docs/a.md:2: front-matter:" in done.out or "docs/a.md:3: front-matter:" in done.out
    assert "docs/b.md:2: front-matter: draft is 'perhaps'" in done.out
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("path", ["docs/gatevay.md", "nowhere", "code.py", "../outside.md"])
def test_a_path_that_is_no_document_is_a_mistake_in_the_call(
    path: str, capsys: pytest.CaptureFixture[str]
):
    done = run(capsys, "lint", path)
    assert done.code == 2
    assert path in done.err


def test_paths_may_be_given_from_a_folder_below(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(project / "docs")
    assert run(capsys, "lint", "gateway.md").code == 0


def test_push_memory_has_rules_of_its_own(project: Path, capsys: pytest.CaptureFixture[str]):
    write_files(project, {"memory/rule_one.md": "---\nname: one\n---\nAlways.\n"})
    assert run(capsys, "lint", ".").code == 0


def test_the_rules_are_listed(capsys: pytest.CaptureFixture[str]):
    done = run(capsys, "lint", "--rules")
    assert done.code == 0
    assert "dead-anchor: " in done.out


def test_a_folder_without_documents_has_nothing_to_correct(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    done = run(capsys, "lint", "--root", str(make_repository(tmp_path / "empty", {})))
    assert (done.code, done.err) == (0, "0 findings in 0 documents\n")
