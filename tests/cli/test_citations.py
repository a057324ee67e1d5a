"""`pit-memory citations`, as a person or a CI job runs it."""

from pathlib import Path

import pytest

from pit_memory.cli import main
from tests.builders import make_repository, write_files
from tests.cli.commands import run
from tests.sectioned_corpus import ONE, A


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_repository(tmp_path / "project", {"knowledge/a.md": ONE})
    monkeypatch.chdir(root)
    return root


def test_citations_are_checked_in_agent_prose(project: Path, capsys: pytest.CaptureFixture[str]):
    write_files(project, {"agents/x.md": f"# X\n\nRead {A}#one.\n\nRead {A}#gone.\n"})
    main(["sections", "build"])
    done = run(capsys, "citations", "check")
    assert done.code == 1
    assert done.out == (
        f"agents/x.md:5: dead-anchor: #gone is no section of {A}; the nearest is {A}#one\n"
    )
    (project / "agents/x.md").write_text(f"Read {A}#one.\n")
    assert run(capsys, "citations", "check").code == 0


def test_a_corpus_of_its_own_is_cited_by_its_files_another_by_its_index(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    root = write_files(
        tmp_path / "market",
        {
            "plugins/a/knowledge/a.md": ONE,
            "plugins/a/agents/x.md": "knowledge/a.md#one and plugins/b/knowledge/b.md#one\n",
            "plugins/b/knowledge/b.md": ONE,
        },
    )
    done = run(capsys, "citations", "check", "--root", str(root))
    assert done.code == 1
    assert "plugins/b/knowledge/index.json is missing" in done.out
    assert done.out.count("\n") == 1
    main(["sections", "build", "--root", str(root)])
    assert run(capsys, "citations", "check", "--root", str(root)).code == 0


def test_another_repository_is_cited_through_its_index(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    neighbour = write_files(tmp_path / "security", {"knowledge/owasp.md": ONE})
    write_files(project, {"agents/x.md": "Read security/knowledge/owasp.md#one\n"})
    done = run(capsys, "citations", "check")
    assert "no-index" in done.out
    arguments = ("citations", "check", "--neighbour", str(neighbour))
    assert "knowledge/index.json is missing" in run(capsys, *arguments).out
    main(["sections", "build", "--root", str(neighbour)])
    assert run(capsys, *arguments).code == 0
    assert "no folder" in run(capsys, "citations", "check", "--neighbour", "nowhere").err


def test_prose_at_the_top_of_a_marketplace_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    files = {"CLAUDE.md": "Read plugins/a/knowledge/a.md#gone\n", "plugins/a/knowledge/a.md": ONE}
    root = write_files(tmp_path / "market", files)
    main(["sections", "build", "--root", str(root)])
    assert "CLAUDE.md:1: dead-anchor" in run(capsys, "citations", "check", "--root", str(root)).out
