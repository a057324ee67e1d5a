"""A new incident is recorded."""

import json
from pathlib import Path

import pytest

from tests.builders import git, make_repository
from tests.cli.commands import give_standard_input
from tests.cli.exported_incidents import HOME, incidents, records

pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", {"README.md": "# Shop\n"})


def test_an_incident_is_added_by_flags_and_found(capsys, project: Path):
    outcome = incidents(
        capsys,
        project,
        "add",
        *("--title", "Disk of db1 full", "--date", "2024-01-02", "--service", "db"),
        *("--symptom", "writes fail with No space left on device", "--cause", "audit log grew"),
        *("--resolution", "rotated the log daily", "--duration", "45m"),
    )
    assert outcome.code == 0, outcome.err
    assert "retrievable now" in outcome.out
    text = (project / HOME / "2024-01-02-disk-of-db1-full.md").read_text()
    assert "symptom: writes fail with No space left on device" in text
    assert "## Resolution\n\nrotated the log daily" in text
    assert git(project, "status", "--porcelain") == ""
    assert "resolution: rotated" in incidents(capsys, project, "search", "no space left").out


def test_an_incident_is_added_as_json(capsys, project: Path, monkeypatch: pytest.MonkeyPatch):
    record = {"title": "Queue full", "date": "2024-01-02", "services": ["mail"], "body": "It grew."}
    give_standard_input(monkeypatch, json.dumps(record | {"team": "ops"}).encode())
    outcome = incidents(capsys, project, "add", "--stdin", "--severity", "SEV-3")
    assert outcome.code == 0
    assert outcome.err.startswith(
        "1 key not read: team (1 record); `pit-memory incidents add --help`"
    )
    (listed,) = json.loads(incidents(capsys, project, "list", "--json").out)["incidents"]
    assert (listed["services"], listed["severity"]) == (["mail"], "SEV-3")


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (("--title", "Nothing"), "", "nothing says what happened"),
        (("--stdin",), "{broken", "standard input is not JSON"),
        (("--symptom", "it broke", "--date", "yesterday"), "", "date: 'yesterday' is no date"),
    ],
)
def test_what_is_no_record_is_refused(
    capsys, project: Path, monkeypatch: pytest.MonkeyPatch, words, stdin, said
):
    give_standard_input(monkeypatch, stdin.encode())
    outcome = incidents(capsys, project, "add", *words)
    assert outcome.code == 2
    assert said in outcome.err
    assert not (project / HOME).exists()


def test_the_same_incident_twice_is_shown_first(capsys, project: Path):
    words = ("add", "--title", "Disk full", "--symptom", "no space left", "--date", "2024-01-02")
    assert incidents(capsys, project, *words).code == 0
    again = incidents(capsys, project, *words)
    assert again.code == 1
    assert len(records(project)) == 1
    assert incidents(capsys, project, *words, "--force").code == 0
    assert len(records(project)) == 2
