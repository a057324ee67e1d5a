"""Files that a command takes as lines: the text they are, and what is said where they are none."""

import json
from pathlib import Path

import pytest

from tests.builders import make_repository, write_files
from tests.cli.commands import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    monkeypatch.setenv("PIT_MEMORY_ASSIGNMENT", "acme")
    draft = "---\ndraft: true\ntitle: Port\n---\n# Port\n\nThe gateway listens on 8443.\n"
    root = make_repository(tmp_path / "project", {"docs/_drafts/port.md": draft})
    monkeypatch.chdir(root)
    return root


TAKERS = [
    ("facts", "import", "given.txt"),
    ("eval", "run", "--queries", "given.txt", "--out", "run.jsonl"),
    ("drafts", "publish", "--from", "given.txt", "--dry-run"),
]


@pytest.mark.parametrize("command", TAKERS)
def test_a_file_that_is_no_utf_8_is_named_once_with_the_first_wrong_byte(
    capsys: pytest.CaptureFixture[str], project: Path, command: tuple[str, ...]
):
    write_files(project, {"given.txt": b"caf\xe9\n"})
    outcome = run(capsys, *command)
    assert (outcome.code, outcome.out) == (2, "")
    untouched = "" if command[0] == "eval" else "; nothing was "
    said = f"pit-memory: given.txt: not UTF-8 at byte 3; save it as UTF-8{untouched}"
    assert outcome.err.startswith(said)
    assert outcome.err.count("given.txt") == 1
    assert not (project / "run.jsonl").exists()


@pytest.mark.parametrize("command", TAKERS)
def test_a_byte_order_mark_and_line_ends_of_windows_are_no_part_of_the_text(
    capsys: pytest.CaptureFixture[str], project: Path, command: tuple[str, ...]
):
    values = {"facts": {"fact": "It hums."}, "eval": {"id": "1", "query": "hum"}}
    line = json.dumps(values[command[0]]) if command[0] in values else "port"
    write_files(project, {"given.txt": f"\ufeff{line}\r\n".encode()})
    outcome = run(capsys, *command)
    assert outcome.code == 0, outcome.err
