"""A team brings its old incidents in."""

import io
import json
import os
from pathlib import Path

import pytest

from pit_memory.operations.incidents.incident_import import ImportOptions
from pit_memory.wiring import open_services
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import import_lock, places
from tests.builders import git, make_repository, write_files
from tests.cli.commands import give_standard_input, run
from tests.cli.exported_incidents import CHECKOUT, HOME, ISSUE, export, incidents, records

GITLAB = {
    "iid": 7,
    "title": "Anmeldung gestört",
    "description": "## Ursache\n\nDas Zertifikat war abgelaufen.",
    "labels": ["component::login", "severity::2"],
    "created_at": "2024-03-05T08:00:00.000Z",
    "web_url": "https://gitlab.example.org/acme/login/-/issues/7",
    "state": "closed",
}
WEBHOOK = {
    "version": "4",
    "status": "firing",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "DiskFull", "job": "node", "severity": "critical"},
            "annotations": {
                "summary": "Less than 3% left.",
                "runbook_url": "https://r.example.org",
            },
            "startsAt": "2024-06-01T10:00:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "fingerprint": "ab12cd34ef56ab78",
        }
    ],
}


pytestmark = pytest.mark.usefixtures("words_only")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", {"README.md": "# Shop\n"})


def test_issues_become_records_committed_together_and_found(capsys, project: Path, tmp_path: Path):
    docs = {
        **ISSUE,
        "number": 13,
        "html_url": ISSUE["html_url"] + "3",
        "labels": [{"name": "docs"}],
    }
    source = export(tmp_path, "issues.json", [ISSUE, docs, {**ISSUE, "pull_request": {}}])
    outcome = incidents(capsys, project, "import", source, "--label", "Incident")
    assert outcome.code == 0, outcome.err
    assert outcome.out == f"added     {CHECKOUT}  Checkout returned 502\n"
    assert "added 1, replaced 0; unchanged 0, left out 0, with other labels 1" in outcome.err
    text = (project / CHECKOUT).read_text()
    for line in (
        'services: ["checkout"]',
        "severity: SEV-1",
        'links: ["https://github.com/acme/shop/issues/12"]',
        "source_id: github:acme/shop#12",
        "## Root cause",
        "Retry loop & small pool",
        "* fewer retries",
    ):
        assert line in text.split("\n")
    assert "alert(1)" not in text
    assert git(project, "log", "-1", "--format=%s").startswith("docs: import 1 file of incidents")
    assert git(project, "status", "--porcelain") == ""
    found = incidents(capsys, project, "search", "blank page at checkout").out
    assert "cause: Retry loop & small pool" in found


def test_a_dry_run_writes_nothing(capsys, project: Path, tmp_path: Path):
    source = export(tmp_path, "issues.json", [ISSUE])
    outcome = incidents(capsys, project, "import", source, "--dry-run")
    assert outcome.out == f"added     {CHECKOUT}  Checkout returned 502\n"
    assert "would be added 1" in outcome.err
    assert not (project / HOME).exists()


def test_a_broken_line_is_told_by_its_number_and_the_rest_is_imported(
    capsys, project: Path, tmp_path: Path
):
    lines = [
        '{"id": "a1", "title": "Queue full", "root_cause": "slow worker", "date": "2024-01-02"}',
        "broken",
        "[1]",
        '{"id": "a3", "date": "2024-01-02"}',
        '{"id": "a4", "title": "Cert expired", "date": "yesterday"}',
        "",
        '{"id": "a5", "title": "Cert expired", "date": "2023-12-01", "body": "Nobody renewed it."}',
    ]
    outcome = incidents(capsys, project, "import", export(tmp_path, "old.jsonl", "\n".join(lines)))
    assert outcome.code == 1
    assert records(project) == ["2023-12-01-cert-expired.md", "2024-01-02-queue-full.md"]
    left_out = [line for line in outcome.out.split("\n") if line.startswith("left out")]
    assert [line.split(":")[0] for line in left_out] == [
        "left out  line 2",
        "left out  line 3",
        "left out  line 4",
        "left out  line 5",
    ]
    assert "not JSON" in left_out[0]
    assert "date: 'yesterday' is no date" in left_out[3]


def test_gitlab_issues_and_alerts_are_understood(
    capsys, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    incidents(capsys, project, "import", export(tmp_path, "gitlab.json", {"issues": [GITLAB]}))
    give_standard_input(monkeypatch, json.dumps(WEBHOOK).encode())
    assert incidents(capsys, project, "import", "-").code == 0
    assert git(project, "log", "-1", "--format=%s").endswith(" from standard input\n")
    listed = json.loads(incidents(capsys, project, "list", "--json").out)["incidents"]
    assert [(it["date"], it["services"], it["severity"], it["source"]) for it in listed] == [
        ("2024-06-01", ["node"], "critical", "alertmanager:ab12cd34ef56ab78@2024-06-01T10:00:00Z"),
        ("2024-03-05", ["login"], "2", "gitlab:acme/login#7"),
    ]
    assert listed[1]["cause"]["text"] == "Das Zertifikat war abgelaufen."
    assert listed[0]["symptom"]["text"] == "Less than 3% left."


def test_a_folder_of_postmortems_is_copied_and_stays(capsys, project: Path, tmp_path: Path):
    folder = write_files(
        tmp_path / "postmortems",
        {
            "2023/one.md": "---\nseverity: high\n---\n# Queue grew\n\nIt grew on 3 May 2023.\n",
            "two.md": "# Disk full\n\n## Root cause\n\nLogs.\n",
            "three.md": "# Commits collided\n\nIn late February 2017 two files had one hash.\n",
            "empty.md": "",
            "old.md": b"---\rseverity: low\r---\r# Pump stopped\r\rIt stopped on 4 May 2023.\r",
            "latin.md": b"# Gr\xfc\xdfe\n",
            "notes.txt": "no markdown",
        },
    )
    outcome = incidents(capsys, project, "import", str(folder))
    assert outcome.code == 1
    assert records(project) == [
        "2017-02-commits-collided.md",
        "2023-05-03-queue-grew.md",
        "2023-05-04-pump-stopped.md",
        "disk-full.md",
    ]
    pump = (project / HOME / "2023-05-04-pump-stopped.md").read_bytes()
    assert b"\nseverity: low\n" in pump
    assert b"\r" not in pump
    assert "\ndate:" not in (project / HOME / "disk-full.md").read_text()
    listed = json.loads(incidents(capsys, project, "list", "--json").out)["incidents"]
    assert {it["date"] for it in listed} == {"2023-05-03", "2023-05-04", "2017-02", ""}
    assert "left out  empty.md: it is empty" in outcome.out
    assert "left out  latin.md: not UTF-8 at byte 4" in outcome.out
    assert (folder / "two.md").read_text() == "# Disk full\n\n## Root cause\n\nLogs.\n"


def test_keys_of_an_export_are_mapped_by_the_settings(capsys, project: Path, tmp_path: Path):
    (project / ".pit-memory.toml").write_text(
        '[incidents]\nfields = ["cause = custom.why", "title = headline", "id = ref"]\n'
    )
    item = {"ref": "X1", "headline": "Slow search", "custom": {"why": "too many segments"}}
    incidents(capsys, project, "import", export(tmp_path, "x.json", item))
    (listed,) = json.loads(incidents(capsys, project, "list", "--json").out)["incidents"]
    assert (listed["title"], listed["source"]) == ("Slow search", "x:X1")
    assert listed["cause"]["text"] == "too many segments"


def test_a_secret_keeps_a_record_out(capsys, project: Path, tmp_path: Path):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]
    source = export(tmp_path, "x.json", [{"id": 1, "title": "Leak", "body": f"It was {token}."}])
    outcome = incidents(capsys, project, "import", source)
    if outcome.code == 0:
        pytest.skip("the table of secrets checks this token's checksum")
    assert "it holds a secret" in outcome.out
    assert not (project / HOME).exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.json", "{broken", "item 1: not JSON"),
        ("x.json", '[{"id": 1, "title": "A", "body": "b"}, {"id"', "item 2: not JSON"),
        (
            "x.json",
            "id,title\n1,Disk full\n",
            "an import takes a folder of markdown, or a file that ends",
        ),
        ("x.csv", "id,title\n1,Disk full,2024\n", "row 2: 3 cells below 2 names of columns"),
        ("x.csv", "Disk full\n", "row 1: no table: its first row, 'Disk full', names no columns"),
        ("x.csv", 'id,title\n1,"Disk full\n', "row 2: not CSV (unexpected end of data)"),
        ("x.csv", '"id,title\n1,Disk full\n', "row 1: not CSV (unexpected end of data)"),
        ("x.csv", "id,team\n1,ops\n", "its keys hold them (team)"),
        ("x.json", '"text"', "item 1: it is no object"),
        ("x.json", '{"alerts": [{}]}', "no label alertname"),
    ],
)
def test_what_cant_be_read_is_told(capsys, project: Path, tmp_path: Path, name, content, said):
    outcome = incidents(capsys, project, "import", export(tmp_path, name, content))
    assert outcome.code == 1
    assert said in outcome.out


def test_a_source_that_is_not_there_is_told(capsys, project: Path):
    outcome = incidents(capsys, project, "import", "nowhere.json")
    assert outcome.code == 1
    assert "nowhere.json is no file or folder" in outcome.err


def test_a_folder_is_imported_without_what_its_links_lead_to_and_waits_for_no_pipe(
    capsys, project: Path, tmp_path: Path
):
    outside = write_files(tmp_path / "outside", {"key.md": "# Key\n\n2024-01-02 wombat\n"})
    folder = write_files(tmp_path / "old", {"one.md": "# Disk full\n\n2024-02-03 logs\n"})
    (folder / "key.md").symlink_to(outside / "key.md")
    os.mkfifo(folder / "pipe.md")

    outcome = incidents(capsys, project, "import", str(folder))

    assert "added 1, replaced 0; unchanged 0, left out 2" in outcome.err
    assert "leads through a symlink out of" in outcome.out
    assert "it is not a regular file" in outcome.out
    assert not [file for file in project.rglob("*.md") if "wombat" in file.read_text()]


def test_a_record_whose_name_a_link_has_is_left_out_and_the_others_come(
    capsys, project: Path, tmp_path: Path
):
    (project / HOME).mkdir(parents=True)
    outside = write_files(tmp_path / "outside", {"x.md": "mine"}) / "x.md"
    (project / CHECKOUT).symlink_to(outside)
    file = export(tmp_path, "issues.json", [ISSUE, GITLAB])

    outcome = incidents(capsys, project, "import", file)

    assert "added 1, replaced 0; unchanged 0, left out 1" in outcome.err
    assert outside.read_text() == "mine"


@pytest.mark.timeout(120)
def test_more_files_than_a_command_line_holds_are_one_commit(capsys, project: Path, tmp_path: Path):
    lines = [json.dumps({"id": f"a{it}", "title": "Queue full"}) for it in range(1_100)]
    outcome = incidents(capsys, project, "import", export(tmp_path, "a.jsonl", "\n".join(lines)))
    assert "1,100 files committed as " in outcome.err
    assert "indexed in the background" in outcome.err
    assert len(records(project)) == len(lines)
    assert git(project, "status", "--porcelain") == ""
    assert git(project, "rev-list", "--count", "HEAD") == "2\n"


def test_another_import_into_the_project_is_waited_for_and_then_told(
    capsys, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pit_memory.operations.incidents.incident_import._WAIT_SECONDS", 0.01)
    with FileLock(import_lock(places(os.environ), project.resolve())):
        outcome = incidents(capsys, project, "import", export(tmp_path, "issues.json", [ISSUE]))
    assert outcome.code == 1
    assert "another import into this project is at work" in outcome.err
    assert records(project) == []


def test_half_of_a_sign_in_an_export_is_a_question_mark(capsys, project: Path, tmp_path: Path):
    source = export(
        tmp_path, "old.jsonl", '{"id": "a", "title": "Queue \\ud83d full", "body": "B"}'
    )
    assert incidents(capsys, project, "import", source).code == 0
    assert "# Queue ? full\n" in (project / HOME / "queue-full.md").read_text()
    assert "unchanged 1" in incidents(capsys, project, "import", source).err


@pytest.mark.parametrize("name", ["old.jsonl", "old.json"])
def test_progress_tells_how_many_there_are_about_and_in_the_end(
    project: Path, tmp_path: Path, name: str
):
    lines = [json.dumps({"id": it, "title": "Queue", "body": "x" * 2_000}) for it in range(400)]
    text = "\n".join(lines) if name.endswith("l") else f"[{','.join(lines)}]"
    told: list[tuple[int, int]] = []
    with open_services(project, background="none") as services:
        services.import_incidents(
            export(tmp_path, name, text),
            io.StringIO(),
            ImportOptions(dry_run=True),
            progress=lambda done, total: told.append((done, total)),
        )
    assert told[-1] == (400, 400)
    assert [done for done, _ in told[:-1]] == list(range(50, 401, 50))
    assert all(total in range(300, 451) for _, total in told[1:])


def test_what_comes_on_standard_input_has_no_known_end(project: Path):
    told: list[tuple[int, int]] = []
    with open_services(project, background="none") as services:
        services.import_incidents(
            "-",
            io.StringIO(json.dumps([ISSUE] * 60)),
            ImportOptions(dry_run=True),
            progress=lambda done, total: told.append((done, total)),
        )
    assert told == [(50, 0), (60, 60)]


JIRA = """\
Summary,Issue key,Status,Priority,Created,Updated,Labels,Labels,Custom field (Cause),Description
Checkout down,OPS-12,Done,High,17/May/24 10:02 AM,20/May/24 3:00 PM,incident,db,Pool,"A ""blank""
page."
,,,,,,,,,
"""
PAGERDUTY = """\
id;incident_number;description;service_name;created_on;resolved_on;urgency
P1;42;Queue full;mail;2024-06-02T10:00:00-04:00;2024-06-02T11:00:00-04:00;high
"""
OPSGENIE = """\
Alert ID\tMessage\tPriority\tCreatedAt
a1\tDisk full\tP1\t1717322400000
"""


@pytest.mark.parametrize(
    ("name", "content", "made", "lines"),
    [
        (
            "jira.csv",
            JIRA,
            "2024-05-17-checkout-down.md",
            ["severity: High", 'tags: ["incident", "db"]', "source_id: jira:OPS-12", 'A "blank"'],
        ),
        (
            "incidents.csv",
            PAGERDUTY,
            "2024-06-02-queue-full.md",
            ['services: ["mail"]', "severity: high", "source_id: incidents:P1"],
        ),
        (
            "alerts.tsv",
            OPSGENIE,
            "2024-06-02-disk-full.md",
            ["severity: P1", "source_id: alerts:a1"],
        ),
    ],
)
def test_the_rows_of_a_csv_become_records_by_the_names_of_its_columns(
    capsys, project: Path, tmp_path: Path, name: str, content: str, made: str, lines: list[str]
):
    source = export(tmp_path, name, content)
    outcome = incidents(capsys, project, "import", source)
    assert outcome.code == 0, outcome.out
    assert records(project) == [made]
    text = (project / HOME / made).read_text().split("\n")
    assert [line for line in lines if line not in text] == []
    assert "unchanged 1" in incidents(capsys, project, "import", source).err


def test_cells_without_a_column_are_no_matter_while_they_are_empty(
    capsys, project: Path, tmp_path: Path
):
    source = export(tmp_path, "sheet.csv", "id,title,date\n1,Disk full,2024-05-01,,\n")
    assert incidents(capsys, project, "import", source).code == 0
    assert records(project) == ["2024-05-01-disk-full.md"]


def test_digits_that_are_no_number_are_no_time(capsys, project: Path, tmp_path: Path):
    items = [{"id": 1, "title": "Disk full", "body": "b", "date": "\u00b2" * 10}]
    outcome = incidents(capsys, project, "import", export(tmp_path, "odd.json", items))
    assert outcome.code == 1
    assert "is no date; write it as 2024-05-17" in outcome.out


def test_keys_that_are_not_read_are_told_once_and_counted_with_the_way_to_map_them(
    capsys, project: Path, tmp_path: Path
):
    items = [
        {"id": 1, "title": "A", "body": "b", "rca": "disk", "team": {"name": "ops", "size": 3}},
        {"id": 2, "title": "C", "body": "d", "root_cause_text": "cpu", "team": {"name": "ops"}},
        {"id": 3, "title": "E", "body": "f", "description": "lost", "note": "", "tags": []},
    ]
    source = export(tmp_path, "old.json", items)
    told = incidents(capsys, project, "import", source, "--dry-run").err
    assert (
        "5 keys not read: team.name (2 records), rca (1 record), team.size (1 record), "
        "root_cause_text (1 record), description (1 record). "
    ) in told
    assert '[incidents] fields = ["cause = root_cause_text"]' in told
    assert told.count("not read") == 1
    (project / ".pit-memory.toml").write_text(
        '[incidents]\nfields = ["cause = rca", "services = team.name"]\n'
    )
    report = json.loads(incidents(capsys, project, "import", source, "--json").out)
    assert report["unread"] == {"team.size": 1, "root_cause_text": 1, "description": 1}
    assert (
        "not read"
        not in incidents(capsys, project, "import", export(tmp_path, "g.json", ISSUE)).err
    )


def test_what_is_imported_or_added_passes_lint(capsys, project: Path, tmp_path: Path):
    body = "## Summary\n\nSee [runbook](runbooks/db.md).\n\n## Fix\n\nreboot\n\n## Notes\n"
    items = [ISSUE, {"id": 1, "title": "DB down", "body": body}]
    incidents(capsys, project, "import", export(tmp_path, "x.json", items))
    incidents(capsys, project, "add", "--title", "Queue full", "--cause", "disk")
    checked = run(capsys, "lint", "--root", str(project))
    assert checked.code == 0, checked.out
    assert checked.err == "2 incident records as imported: not checked\n0 findings in 3 documents\n"
    record = project / HOME / "db-down.md"
    record.write_text(record.read_text() + "\nMore was learned.\n")
    assert "dead-link" in run(capsys, "lint", "--root", str(project)).out
