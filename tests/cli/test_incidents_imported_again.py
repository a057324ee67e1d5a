"""Incidents that are imported again: what is known, what is newer, what was edited here."""

import json
import os
from pathlib import Path

import pytest

from tests.builders import git, make_repository, write_files
from tests.cli.exported_incidents import CHECKOUT, HOME, ISSUE, export, incidents, records

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", {"README.md": "# Shop\n"})


def test_the_same_import_again_changes_nothing_and_the_export_stays(
    capsys, project: Path, tmp_path: Path
):
    source = Path(export(tmp_path, "issues.json", [ISSUE]))
    before = source.read_bytes()
    incidents(capsys, project, "import", str(source))
    head = git(project, "rev-parse", "HEAD")
    outcome = incidents(capsys, project, "import", str(source))
    assert "added 0, replaced 0; unchanged 1, left out 0" in outcome.err
    assert git(project, "rev-parse", "HEAD") == head
    assert source.read_bytes() == before


def test_of_two_exports_the_newer_replaces_and_git_keeps_the_other(
    capsys, project: Path, tmp_path: Path
):
    newer = {**ISSUE, "body": "Fixed by removing retries.", "updated_at": "2024-06-01T00:00:00Z"}
    for body in ([ISSUE], [newer], [ISSUE]):
        incidents(capsys, project, "import", export(tmp_path, "issues.json", body))
    assert "Fixed by removing retries." in (project / CHECKOUT).read_text()
    assert records(project) == [Path(CHECKOUT).name]
    assert "small pool" in git(project, "show", f"HEAD~1:{CHECKOUT}")


def test_the_newer_counts_within_one_export_too(capsys, project: Path, tmp_path: Path):
    newer = {**ISSUE, "body": "The newer text.", "updated_at": "2024-06-01T00:00:00Z"}
    incidents(capsys, project, "import", export(tmp_path, "issues.json", [newer, ISSUE]))
    assert "The newer text." in (project / CHECKOUT).read_text()


def test_a_record_that_was_edited_here_is_left_as_it_is(capsys, project: Path, tmp_path: Path):
    incidents(capsys, project, "import", export(tmp_path, "issues.json", [ISSUE]))
    ours = (project / CHECKOUT).read_text() + "\nWhat we learned.\n"
    (project / CHECKOUT).write_text(ours)
    newer = export(tmp_path, "newer.json", [{**ISSUE, "updated_at": "2024-06-01T00:00:00Z"}])
    outcome = incidents(capsys, project, "import", newer)
    assert outcome.code == 1
    assert f"{CHECKOUT} was edited since it was imported; --force replaces it" in outcome.out
    assert (project / CHECKOUT).read_text() == ours
    assert incidents(capsys, project, "import", newer, "--force").code == 0
    assert "What we learned." not in (project / CHECKOUT).read_text()


def test_of_two_texts_with_one_id_in_one_file_the_last_counts_and_again_changes_nothing(
    capsys, project: Path, tmp_path: Path
):
    lines = [{"id": "a1", "title": "Queue full", "body": body} for body in ("Old.", "New.")]
    source = export(tmp_path, "old.jsonl", "\n".join(map(json.dumps, lines)))
    first = incidents(capsys, project, "import", source)
    assert "added 1, replaced 0; unchanged 1, left out 0" in first.err
    head = git(project, "rev-parse", "HEAD")
    again = incidents(capsys, project, "import", source)
    assert (again.code, again.out) == (0, "")
    assert again.err == "added 0, replaced 0; unchanged 2, left out 0\n"
    assert (project / HOME / "queue-full.md").read_text().endswith("New.\n")
    assert git(project, "rev-parse", "HEAD") == head
    assert git(project, "status", "--porcelain") == ""


def test_times_of_two_zones_are_compared_as_times(capsys, project: Path, tmp_path: Path):
    east = {**ISSUE, "body": "Older.", "updated_at": "2024-05-20T11:00:00+02:00"}
    west = {**ISSUE, "body": "Newer.", "updated_at": "2024-05-20T10:00:00Z"}
    for issues in ([west], [east]):
        incidents(capsys, project, "import", export(tmp_path, "issues.json", issues))
    assert "Newer." in (project / CHECKOUT).read_text()


def test_what_could_not_be_committed_the_same_import_commits_later(
    capsys, project: Path, tmp_path: Path
):
    source = export(tmp_path, "issues.json", [ISSUE])
    (project / ".git/MERGE_HEAD").write_text("")
    outcome = incidents(capsys, project, "import", source)
    assert "1 file written, not committed: a merge is in progress" in outcome.err
    (project / ".git/MERGE_HEAD").unlink()
    outcome = incidents(capsys, project, "import", source)
    assert "unchanged 1" in outcome.err
    assert "1 file committed as " in outcome.err
    assert git(project, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b"github:acme/shop#12", b'"github:acme/shop#12"'),
        lambda text: text + "Gr\u00fc\u00dfe".encode("latin-1"),
        lambda text: text.replace(b"---\n", b"---\nsymptom: " + b"x" * 20_000 + b"\n", 1),
    ],
    ids=["crlf", "bom", "quotes", "latin-1", "long"],
)
def test_however_a_record_was_saved_since_it_is_known_and_kept(
    capsys, project: Path, tmp_path: Path, edit
):
    source = export(tmp_path, "issues.json", [ISSUE])
    incidents(capsys, project, "import", source)
    ours = edit((project / CHECKOUT).read_bytes())
    (project / CHECKOUT).write_bytes(ours)
    outcome = incidents(capsys, project, "import", source)
    assert outcome.code == 1
    assert f"{CHECKOUT} was edited since it was imported" in outcome.out
    assert (project / CHECKOUT).read_bytes() == ours
    assert records(project) == [Path(CHECKOUT).name]


@pytest.mark.parametrize("folder", [f"{HOME}/2024", "postmortems"])
def test_a_record_that_was_moved_is_known_where_it_is(
    capsys, project: Path, tmp_path: Path, folder: str
):
    source = export(tmp_path, "issues.json", [ISSUE])
    incidents(capsys, project, "import", source)
    (project / folder).mkdir()
    (project / CHECKOUT).rename(project / folder / "moved.md")
    incidents(capsys, project, "list")
    outcome = incidents(capsys, project, "import", source)
    assert "added 0, replaced 0; unchanged 1" in outcome.err
    assert records(project) == []


def test_records_of_another_project_and_odd_names_are_imported_once(
    capsys, project: Path, tmp_path: Path
):
    theirs = make_repository(tmp_path / "theirs", {"a.txt": ""})
    incidents(capsys, theirs, "import", export(tmp_path, "issues.json", [ISSUE]))
    folder = theirs / HOME
    odd = os.fsdecode(b"two  gaps \xff.md")
    (folder / odd).write_text("# Disk full\n\n2024-02-03 logs\n")
    for unchanged in (0, 2):
        outcome = incidents(capsys, project, "import", str(folder))
        assert f"unchanged {unchanged}, left out 0" in outcome.err
    assert (project / CHECKOUT).read_text().count("\nimported: ") == 1
    ours = (folder / Path(CHECKOUT).name).read_text() + "\nMore was learned.\n"
    (folder / Path(CHECKOUT).name).write_text(ours)
    assert "replaced 1; unchanged 1" in incidents(capsys, project, "import", str(folder)).err


def test_another_incident_of_a_known_id_is_a_record_of_its_own(
    capsys, project: Path, tmp_path: Path
):
    fire = "# Database on fire\n\n2024-01-02 the db burned.\n\n## Root cause\n\nHeat.\n"
    mail = "# Mail queue stuck\n\n2023-05-06 no mail left.\n\n## Root cause\n\nDead worker.\n"
    ours = write_files(tmp_path / "ours", {"report.md": fire})
    theirs = write_files(tmp_path / "theirs", {"report.md": mail})

    assert "added 1, replaced 0" in incidents(capsys, project, "import", str(ours)).err
    assert "added 1, replaced 0" in incidents(capsys, project, "import", str(theirs)).err

    both = ["2023-05-06-mail-queue-stuck.md", "2024-01-02-database-on-fire.md"]
    assert records(project) == both
    for folder in (ours, theirs):
        outcome = incidents(capsys, project, "import", str(folder))
        assert "added 0, replaced 0; unchanged 1" in outcome.err
    (theirs / "report.md").write_text(mail + "\nIt was restarted.\n")
    assert "added 0, replaced 1" in incidents(capsys, project, "import", str(theirs)).err
    assert records(project) == both


def test_a_newer_export_replaces_whatever_date_its_name_has(capsys, project: Path, tmp_path: Path):
    for name, body in (("jira-2024-05.jsonl", "Old."), ("jira-2024-06.jsonl", "New.")):
        record = json.dumps({"id": "a1", "title": "Queue full", "body": body})
        assert incidents(capsys, project, "import", export(tmp_path, name, record)).code == 0
    assert records(project) == ["queue-full.md"]
    assert (project / HOME / "queue-full.md").read_text().endswith("New.\n")


@pytest.mark.parametrize("place", [HOME, "postmortems", ".", "postmortems/one.md"])
def test_the_records_of_the_project_itself_are_not_copied(capsys, project: Path, place: str):
    report = "# Disk full\n\n2024-02-03 logs\n"
    write_files(project, {f"{HOME}/mine.md": report, "postmortems/one.md": report})
    (project / "README.md").unlink()

    outcome = incidents(capsys, project, "import", str(project / place))

    assert outcome.code == 1
    assert "among the records of this project already" in outcome.out
    assert records(project) == ["mine.md"]


@pytest.mark.parametrize(
    "settings",
    [
        ["cause = rca", "title = headline", "id = ref"],
        ["id = ref", "id = number"],
        ["body = rca", "", "title = rca"],
        ["id = ref", "title = headline", ""],
    ],
    ids=str,
)
@pytest.mark.parametrize("named", [{}, {"id": 7, "title": "Slow search", "body": "Minutes."}])
def test_however_the_settings_map_an_export_its_records_are_made_once(
    capsys, project: Path, tmp_path: Path, settings: list[str], named: dict[str, object]
):
    items: list[dict[str, object]] = [
        {"ref": "X1", "number": 1, "headline": "Search is slow", "rca": "merges", **named},
        {"ref": "X2", "number": 2, "headline": "Mail is late", "rca": "a dead worker"},
    ]
    if named:
        items[1] |= {"id": 8, "title": "Mail stuck", "body": "None left."}
    source = export(tmp_path, "x.json", items)
    write_files(project, {".pit-memory.toml": '[incidents]\nfields = ["title = headline"]\n'})
    assert "added 2" in incidents(capsys, project, "import", source).err
    for number, line in enumerate(settings):
        lines = json.dumps([it for it in ("title = headline", *settings[:number], line) if it])
        write_files(project, {".pit-memory.toml": f"[incidents]\nfields = {lines}\n"})
        outcome = incidents(capsys, project, "import", source)
        assert "added 0" in outcome.err, outcome.err
        assert (
            "added 0, replaced 0; unchanged 2" in incidents(capsys, project, "import", source).err
        )
        assert len(records(project)) == 2


def test_two_incidents_of_one_text_stay_two_when_the_settings_tell_them_apart(
    capsys, project: Path, tmp_path: Path
):
    items = [{"ref": f"X{it}", "title": "Disk full", "body": "Logs."} for it in (1, 2, 3)]
    source = export(tmp_path, "x.json", items)
    assert "added 1" in incidents(capsys, project, "import", source).err
    write_files(project, {".pit-memory.toml": '[incidents]\nfields = ["id = ref"]\n'})
    assert "added 2, replaced 1" in incidents(capsys, project, "import", source).err
    assert "added 0, replaced 0; unchanged 3" in incidents(capsys, project, "import", source).err
    source = export(tmp_path, "x.json", [{**items[0], "ref": "X4"}, *items])
    assert "added 1, replaced 0; unchanged 3" in incidents(capsys, project, "import", source).err
