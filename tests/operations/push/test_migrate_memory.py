"""Moving the client's notes: where they land, what is left, and that the notes stay as they are."""

import os
from pathlib import Path

import pytest

from pit_memory.errors import PathError, SourceError
from pit_memory.operations.push.migrate_memory import Homes, migrate_memory
from tests.builders import write_files
from tests.client_notes import NOTES


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return write_files(tmp_path / "notes", {**NOTES, "user_role.md": "Likes tabs.\n"})


@pytest.fixture
def homes(tmp_path: Path) -> Homes:
    root = write_files(tmp_path.resolve() / "project", {})
    return Homes(root, root / "memory", tmp_path.resolve() / "config/memory")


def test_every_line_has_a_new_home_and_the_notes_stay_as_they_are(notes: Path, homes: Homes):
    before = snapshot(notes)
    report = migrate_memory(notes, homes)
    assert snapshot(notes) == before
    assert report.is_complete
    assert sorted(report.written) == sorted(
        [
            "docs/_drafts/gateway.md",
            "docs/_drafts/memory-notes.md",
            "memory/gotcha_testing.md",
            str(homes.person / "preference_role.md"),
        ]
    )
    for moved in report.lines:
        source = (notes / moved.source).read_text().split("\n")
        target = (homes.root / moved.target).read_text().split("\n")
        if moved.target_first:
            copied = target[moved.target_first - 1 :][: moved.last - moved.first + 1]
            assert copied == source[moved.first - 1 : moved.last]
    counted = sum(
        sum(bool(line.strip()) for line in text.split("\n")[moved.first - 1 : moved.last])
        for moved in report.lines
        for text in [(notes / moved.source).read_text()]
    )
    written = sum(
        bool(line.strip()) for path in notes.iterdir() for line in path.read_text().split("\n")
    )
    assert counted == written


def test_a_dry_run_says_the_same_and_writes_nothing(notes: Path, homes: Homes):
    planned = migrate_memory(notes, homes, dry_run=True)
    assert snapshot(homes.root) == {}
    assert not homes.person.exists()
    assert migrate_memory(notes, homes) == planned


def test_a_second_run_finds_what_the_first_one_made(notes: Path, homes: Homes):
    first = migrate_memory(notes, homes)
    before = snapshot(homes.root)
    second = migrate_memory(notes, homes)
    assert snapshot(homes.root) == before
    assert (second.written, second.already_there) == ((), first.written)
    assert second.lines == first.lines


def test_a_file_that_is_there_is_never_replaced(notes: Path, homes: Homes):
    write_files(homes.root, {"memory/gotcha_testing.md": "Ours.\n"})
    report = migrate_memory(notes, homes)
    assert "memory/gotcha_testing-2.md" in report.written
    assert (homes.root / "memory/gotcha_testing.md").read_text() == "Ours.\n"


def test_a_note_with_a_secret_is_left_and_told_by_the_rules_name(notes: Path, homes: Homes):
    write_files(notes, {"user_key.md": "Key:\n\nghp_" + "9aB3" * 9 + "\n"})
    report = migrate_memory(notes, homes)
    assert not report.is_complete
    (left,) = {moved.reason for moved in report.lines if not moved.target}
    assert left == "user_key.md:3 holds a secret (github-token)"
    assert b"9aB39aB3" not in b"".join(
        data for data, _ in snapshot(homes.root.parent / "config").values()
    )


def test_what_is_no_note_is_left_with_the_reason(notes: Path, homes: Homes):
    write_files(notes, {"data.bin": b"\x00", "sub/feedback_x.md": "x", "user_big.md": "x" * 64_001})
    os.mkfifo(notes / "user_pipe.md")
    report = migrate_memory(notes, homes)
    assert set(report.left) == {"data.bin", "sub", "user_big.md", "user_pipe.md"}
    assert not report.is_complete


def test_notes_in_other_encodings_and_line_ends_are_moved(notes: Path, homes: Homes):
    write_files(notes, {"user_old.md": "caf\xe9\r\n".encode("latin-1")})
    assert migrate_memory(notes, homes).is_complete
    assert (homes.person / "preference_old.md").read_text().endswith("\ncafé\n")


def test_a_folder_that_is_none_is_told(tmp_path: Path, homes: Homes):
    with pytest.raises(SourceError, match="can't read"):
        migrate_memory(tmp_path / "nowhere", homes)
    write_files(tmp_path, {"file": "x"})
    with pytest.raises(SourceError, match="can't read"):
        migrate_memory(tmp_path / "file", homes)


def test_nothing_is_written_through_a_link_out_of_the_project(
    notes: Path, homes: Homes, tmp_path: Path
):
    outside = write_files(tmp_path / "outside", {})
    homes.project.symlink_to(outside)
    with pytest.raises(PathError):
        migrate_memory(notes, homes)
    assert snapshot(outside) == {}


def test_a_link_to_nothing_outside_the_project_is_not_written_through(
    notes: Path, homes: Homes, tmp_path: Path
):
    write_files(homes.root, {"docs/_drafts/other.md": "# Other\n"})
    (homes.root / "docs/_drafts/gateway.md").symlink_to(tmp_path / "outside.md")
    assert "docs/_drafts/gateway-2.md" in migrate_memory(notes, homes).written
    assert not (tmp_path / "outside.md").exists()
