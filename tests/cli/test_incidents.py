"""On call: an alert fires, and the person asks how it was fixed last time."""

import json
from pathlib import Path

import pytest

from tests.builders import make_repository, write_files
from tests.cli.commands import give_standard_input, run
from tests.cli.exported_incidents import incidents
from tests.incident_records import RECORDS

POOL = "docs/incidents/2024-05-17-checkout.md"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    return make_repository(tmp_path / "shop", RECORDS)


def test_a_symptom_finds_the_incident_with_its_fix(capsys, project: Path):
    outcome = incidents(capsys, project, "search", "customers", "get", "502", "at", "checkout")
    assert outcome.code == 0
    assert outcome.out.startswith(f"1. {POOL}#")
    assert "resolution: Lowered the retries to two and doubled the pool." in outcome.out


def test_a_log_from_stdin_is_asked_for_though_a_byte_is_no_text(
    capsys, project: Path, monkeypatch: pytest.MonkeyPatch
):
    log = b"2026-01-01 10:11:12 ERROR QueuePool limit of size 5 overflow 10 reached\n\xff\n"
    give_standard_input(monkeypatch, log)
    assert incidents(capsys, project, "search", "-").out.startswith(f"1. {POOL}#")


def test_the_answer_as_json_has_the_record(capsys, project: Path):
    outcome = incidents(capsys, project, "search", "checkout returned 502", "--json")
    (hit,) = [it for it in json.loads(outcome.out)["hits"] if it["path"] == POOL]
    assert hit["collection"] == "incidents"
    assert hit["incident"]["date"] == "2024-05-17"
    assert hit["incident"]["services"] == ["checkout", "payments"]
    assert hit["incident"]["cause"]["line"] == 6


def test_a_day_in_the_future_is_refused(capsys, project: Path):
    outcome = incidents(capsys, project, "search", "502", "--since", "2999-01-01")
    assert outcome.code == 2
    assert "since is 2999-01-01, which is in the future" in outcome.err


def test_the_list_shows_the_newest_first_and_counts(capsys, project: Path):
    lines = incidents(capsys, project, "list").out.splitlines()
    assert lines[0] == (
        "2024-05-17  SEV-1     2 h 10 min  checkout, payments  Checkout returned 502  " + POOL
    )
    assert [line.split()[0] for line in lines[1:3]] == ["2023-03-02", "no"]
    assert lines[3:] == [
        "3 incidents",
        "by service: checkout 1, payments 1, (no service) 1, search 1",
        "by month: 2024-05 1, 2023-03 1, (no date) 1",
    ]


def test_the_list_is_narrowed_and_printed_as_json(capsys, project: Path):
    outcome = incidents(capsys, project, "list", "--service", "checkout", "--json")
    listed = json.loads(outcome.out)
    assert [it["ref"] for it in listed["incidents"]] == [POOL]
    assert listed["incidents"][0]["minutes"] == 130
    assert listed["by_month"] == {"2024-05": 1}
    assert incidents(capsys, project, "list", "--since", "2025").out == "0 incidents\n"
    mistyped = incidents(capsys, project, "list", "--service", "chekout")
    assert mistyped.err == "no incident names the service chekout; did you mean checkout?\n"


def test_a_list_of_nothing_is_no_error(capsys, tmp_path: Path):
    outcome = incidents(capsys, make_repository(tmp_path / "empty", {}), "list")
    assert (outcome.code, outcome.out) == (0, "0 incidents\n")


def test_a_list_names_what_is_ignored_of_the_settings(capsys, project: Path):
    (project / ".pit-memory.toml").write_text("[serch]\nlimit = 3\n")
    said = "there is no setting serch; did you mean search?"
    outcome = incidents(capsys, project, "list")
    assert (outcome.code, said in outcome.err) == (0, True)
    assert said in json.loads(incidents(capsys, project, "list", "--json").out)["notes"][0]


def test_another_home_is_one_setting(capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    files = {"ops/rca/one.md": "# Queue was full\n\nDate: 2024-01-02\n"}
    project = make_repository(tmp_path / "other", files)
    assert incidents(capsys, project, "list").out == "0 incidents\n"
    (project / ".pit-memory.toml").write_text('[incidents]\nhome = "ops/rca"\n')
    assert "2024-01-02" in incidents(capsys, project, "list").out


@pytest.fixture
def records_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    files = {"postmortems/queue.md": "# Queue was full\n\nDate: 2024-01-02\n\nIt ran over.\n"}
    return make_repository(tmp_path / "records", files)


def test_a_search_of_docs_says_where_incidents_are_asked_for(capsys, records_alone: Path):
    outcome = run(capsys, "search", "queue was full", "--root", str(records_alone))
    assert outcome.out.startswith("nothing found")
    assert "there is 1 incident record: ask with incidents_search" in outcome.out


def test_that_docs_do_not_answer_is_no_word_on_incidents(capsys, project: Path):
    """Something is always nearest; the records may answer all the same."""
    outcome = run(capsys, "search", "printer out of toner", "--root", str(project))
    assert "nearest: " in outcome.out
    assert "ask with incidents_search (`pit-memory incidents search`)" in outcome.out


def test_retrieval_is_measured_on_incidents_where_there_is_nothing_else(
    capsys, records_alone: Path, tmp_path: Path
):
    (tmp_path / "q.jsonl").write_text('{"id": "q1", "query": "queue was full"}\n')
    files = ("--queries", str(tmp_path / "q.jsonl"), "--out", str(tmp_path / "run.jsonl"))
    assert run(capsys, "eval", "run", *files, "--root", str(records_alone)).code == 0
    (line,) = (tmp_path / "run.jsonl").read_text().splitlines()
    assert json.loads(line)["results"][0]["path"] == "postmortems/queue.md"


def test_postmortems_of_an_added_folder_are_related_docs_until_they_are_imported(
    capsys, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
):
    write_files(home / "old", {"postmortems/dns.md": "# Resolver looped\n\n2023-01-02 zone flap\n"})
    monkeypatch.chdir(project)
    assert run(capsys, "docs", "add", str(home / "old")).code == 0
    asked = ("search", "resolver looped with a zone flap")
    added = incidents(capsys, project, *asked).out
    assert "no incident resembles this; what the docs say:" in added
    assert "old::postmortems/dns.md" in added
    assert incidents(capsys, project, "import", str(home / "old")).code == 0
    assert (
        "1. docs/incidents/2023-01-02-resolver-looped.md" in incidents(capsys, project, *asked).out
    )
