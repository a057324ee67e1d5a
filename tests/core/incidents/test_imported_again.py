"""Two records of one id are one incident, unless they plainly tell of two."""

import pytest

from pit_memory.core.incidents.imported_again import export_name, is_another_incident, own_id


def record(title: str, text: str, date: str = "") -> str:
    said = f"date: {date}\n" if date else ""
    return f"---\ntitle: {title}\n{said}source_id: file:report.md\n---\n\n# {title}\n\n{text}\n"


FIRE = record("Database on fire", "The db burned.\n\n## Root cause\n\nHeat.", "2024-01-02")
MAIL = record("Mail queue stuck", "No mail left.\n\n## Root cause\n\nDead worker.", "2023-05-06")
STUB = record("DB incident", "The database burned, more to come.")
GROWN = record(
    "Checkout outage of the database",
    "An incident: the database burned in the rack.\n\n## Root cause\n\nHeat. More alarms come.",
)
FORM = "## Impact\n\ncustomers\n\n## Root cause\n\nworker\n\n## Resolution\n\nrestarted\n"


@pytest.mark.parametrize(
    ("known", "told", "another"),
    [
        (FIRE, FIRE, False),
        (FIRE, MAIL, True),
        (MAIL, FIRE, True),
        (STUB, GROWN, False),
        (FIRE, record("Database on fire", "All is written anew here."), False),
        (FIRE, FIRE.replace("Database on fire", "Fire in the rack"), False),
        (record("Disk full", FORM, "2024-01-02"), record("Mail lost", FORM, "2024-02-03"), True),
        (record("Disk full", FORM, "2024-01-02"), record("Disks full", FORM, "2024-01-03"), False),
        (
            record("Alpha broke", "## Cause\n\ncable"),
            record("Gamma broke", "## Cause\n\noom"),
            True,
        ),
        (record("Alpha", "cause: cable cut"), record("Alpha broke", "cause: cable cut"), False),
        ("", FIRE, True),
        ("no front matter", FIRE, True),
    ],
    ids=[
        "same",
        "other",
        "other-way",
        "grown",
        "rewritten",
        "renamed",
        "form",
        "dated",
        "short",
        "mended",
        "0",
        "?",
    ],
)
def test_what_another_incident_is(known: str, told: str, another: bool):
    assert is_another_incident(known, told) is another


def test_its_own_id_is_the_same_again_and_no_other_titles():
    assert own_id("file:a.md", "Mail queue") == own_id("file:a.md", "MAIL QUEUE")
    assert own_id("file:a.md", "Mail queue") != own_id("file:a.md", "Disk full")


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("issues", "issues"),
        ("jira-2024-05", "jira"),
        ("jira_20240517T1200Z", "jira"),
        ("export (2)", "export"),
        ("export.2024-05-17 12:30", "export"),
        ("2024-05", "2024-05"),
        ("stage2", "stage"),
        ("3rd-party", "3rd-party"),
    ],
)
def test_the_exports_of_one_system_have_one_name(stem: str, name: str):
    assert export_name(stem) == name
