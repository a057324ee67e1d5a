"""sync, status, eval, init, uninstall and demo, as a person or a script uses them."""

import json
from pathlib import Path

import pytest

from tests.builders import make_repository, write_files
from tests.builtin_model import builtin_embedder
from tests.cli.commands import run

DOCS = {"docs/ports.md": "# Ports\n\n## Gateway\n\nThe gateway listens on port 8443.\n"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    return make_repository(tmp_path / "docs-repo", DOCS)


def test_sync_counts_what_it_did_and_does_nothing_twice(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    first = json.loads(run(capsys, "sync", "--json", "--root", str(project)).out)
    again = json.loads(run(capsys, "sync", "--json", "--root", str(project)).out)
    assert (first["added"], first["unchanged"]) == (1, 0)
    assert (again["added"], again["unchanged"]) == (0, 1)


@pytest.mark.usefixtures("no_background")
def test_sync_says_how_far_meaning_is_and_waits_for_it_where_it_is_asked_to(
    capsys: pytest.CaptureFixture[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builtin_embedder()
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "builtin")
    said = run(capsys, "sync", "--root", str(project))
    assert "meaning: 0 % built; it goes on behind, and --wait waits for it" in said.err
    waited = run(capsys, "sync", "--wait", "--root", str(project))
    assert (waited.code, "meaning: all built" in waited.err) == (0, True)
    built = json.loads(run(capsys, "sync", "--json", "--root", str(project)).out)["meaning"]
    assert built["built"] == built["total"] > 0


def test_sync_without_a_model_has_no_meaning_to_wait_for(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    waited = run(capsys, "sync", "--wait", "--json", "--root", str(project))
    assert (waited.code, json.loads(waited.out)["meaning"]) == (0, None)


def test_sync_refuses_to_wipe_and_tells_the_way_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    root = write_files(tmp_path / "vault", {f"note-{n}.md": f"# Note {n}\n" for n in range(30)})
    run(capsys, "sync", "--root", str(root))
    for note in root.glob("*.md"):
        note.unlink()
    refused = run(capsys, "sync", "--root", str(root))
    assert refused.code == 1
    assert "--allow-shrink" in refused.err
    assert run(capsys, "sync", "--allow-shrink", "--root", str(root)).code == 0


@pytest.mark.parametrize("asked", [("search", "gateway"), ("sync",), ("status",)])
def test_a_root_that_never_was_a_folder_is_an_error_and_gets_no_store(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path, asked: tuple[str, ...]
) -> None:
    outcome = run(capsys, *asked, "--root", str(tmp_path / "dcos"))
    assert outcome.code == 1
    assert f"{tmp_path}/dcos is no folder; give the project's with --root" in outcome.err
    assert not (home / "data").exists()


def test_a_project_whose_folder_is_gone_still_answers_from_its_index(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    run(capsys, "sync", "--root", str(project))
    project.rename(project.with_name("moved"))
    outcome = run(capsys, "search", "gateway", "--root", str(project))
    assert outcome.code == 0
    assert "what was indexed of it is kept" in outcome.out


def test_status_says_where_everything_lives_and_what_is_wrong(
    capsys: pytest.CaptureFixture[str], project: Path, home: Path
) -> None:
    write_files(project, {"docs/broken.md": "---\na: [\n---\n# Broken\n"})
    run(capsys, "sync", "--root", str(project))
    report = json.loads(run(capsys, "status", "--json", "--root", str(project)).out)
    assert report["root"] == str(project)
    assert report["store"].startswith(str(home / "data"))
    assert report["network"] == "none"
    assert report["sources"][0]["counts"]["documents"] == 2
    assert report["meaning"] is None

    listed = run(capsys, "status", "--problems", "--root", str(project))
    assert "docs/broken.md:" in listed.out
    assert "front-matter" in listed.out


def test_eval_answers_each_question_of_a_file(
    capsys: pytest.CaptureFixture[str], project: Path, tmp_path: Path
) -> None:
    queries, out = tmp_path / "q.jsonl", tmp_path / "run.jsonl"
    queries.write_text('{"id": "q1", "query": "gateway port"}\n{"id": "q2", "query": "8443"}\n')
    outcome = run(
        capsys, "eval", "run", "--queries", str(queries), "--out", str(out), "--root", str(project)
    )
    assert outcome.code == 0, outcome.err
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["query_id"] for line in lines] == ["q1", "q2"]
    assert lines[0]["results"][0] == {"path": "docs/ports.md", "anchor": "gateway"}


def test_eval_names_the_line_of_a_broken_question(
    capsys: pytest.CaptureFixture[str], project: Path, tmp_path: Path
) -> None:
    queries = tmp_path / "q.jsonl"
    queries.write_text('{"id": "q1", "query": "gateway port"}\n{"id": "q2"\n')
    outcome = run(
        capsys,
        "eval",
        "run",
        "--queries",
        str(queries),
        "--out",
        str(tmp_path / "r"),
        "--root",
        str(project),
    )
    assert outcome.code == 2
    assert "2" in outcome.err
    assert not (tmp_path / "r").exists()


def test_init_shows_the_file_and_writes_it_only_when_told(
    capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    shown = run(capsys, "init", "--root", str(project))
    assert "[docs]" in shown.out
    assert not (project / ".pit-memory.toml").exists()
    assert run(capsys, "init", "--yes", "--root", str(project)).code == 0
    assert (project / ".pit-memory.toml").read_text() == shown.out
    assert run(capsys, "init", "--yes", "--root", str(project)).code == 2


def test_uninstall_removes_what_can_be_made_again_and_lists_what_stays(
    capsys: pytest.CaptureFixture[str], project: Path, home: Path
) -> None:
    run(capsys, "sync", "--root", str(project))
    write_files(home, {"data/facts/a.md": "knowledge", "config/config.toml": ""})
    dry = run(capsys, "uninstall", "--dry-run")
    assert any((home / "data").glob("stores-v*"))
    assert f"Stays   {home / 'data/facts'}" in dry.out
    run(capsys, "uninstall")
    assert not any((home / "data").glob("stores-v*"))
    assert (home / "data/facts/a.md").read_text() == "knowledge"
    assert (home / "config/config.toml").exists()
    assert (project / "docs/ports.md").exists()


def test_the_demo_answers_three_questions_from_our_own_docs_and_leaves_nothing(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIT_MEMORY_PLUGIN_ROOT", str(Path(__file__).parents[2]))
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    shown = run(capsys, "demo")
    assert shown.code == 0, shown.err
    assert shown.out.count("$ pit-memory search") == 3
    assert shown.out.count(".md#") >= 3
    assert not (home / "data").exists()
