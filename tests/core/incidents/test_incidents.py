from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.documents.incident_record import (
    Incident,
    Told,
    day_number,
    folded_service,
    incident_of_values,
    incident_values,
    last_day,
    nearness,
)
from pit_memory.core.incidents.incident_fields import duration_text, minutes_of
from pit_memory.core.incidents.incident_sections import part_of
from tests.index_builders import incident

RECORD = """\
---
title: Checkout returned 502
date: 2024-05-17
services: [checkout, payments]
severity: SEV-1
status: resolved
symptom: Checkout returned 502 to one customer in five.
cause: The connection pool was exhausted by a retry loop.
resolution: Lowered the retries and doubled the pool.
duration: 2h 10m
links: [https://example.org/pm/17]
region: eu-central-1
---
# Checkout returned 502

What we know more.
"""
PLAIN = """\
# Nodes stopped shipping logs

**Date**: 11 April 2023
**Severity:** P2 | **Status**: closed

## 1. Executive summary

Five of 46 nodes stopped shipping logs to the central store.

## 2. Root Cause(s) :fire:

* The log shipper was upgraded across three releases.

## 3. Mitigation & recovery

Rolled back to the release before.

## Timeline

| Time | Event |
|---|---|
| 2023-04-11 11:20 | Upgrade |
| 2023-04-12 09:00 | All nodes ship again |
"""
PROSE = """\
# DNS failures in October

Resolvers answered SERVFAIL for two hours. It was caused by an expired signature in the root
zone. Service was restored after the stale zone was dropped on October 4, 2023.
"""
GERMAN = """\
# Ausfall der Anmeldung

Datum: 5. März 2024
Schweregrad: hoch
Dauer: 3 Stunden

## Zusammenfassung

Niemand konnte sich anmelden.

## Ursache

Das Zertifikat des Anmeldedienstes war abgelaufen.

## Lösung

Zertifikat erneuert und Überwachung ergänzt.

## Lehren

Ablaufdaten gehören in die Überwachung.
"""


def test_a_record_says_everything_in_its_front_matter():
    read = incident("docs/incidents/2024/one.md", RECORD)
    assert read == Incident(
        date="2024-05-17",
        until="2024-05-17",
        services=("checkout", "payments"),
        severity="SEV-1",
        status="resolved",
        minutes=130,
        symptom=Told("Checkout returned 502 to one customer in five.", 7),
        cause=Told("The connection pool was exhausted by a retry loop.", 8),
        resolution=Told("Lowered the retries and doubled the pool.", 9),
        links=("https://example.org/pm/17",),
        said=read.said,
    )
    assert "eu-central-1" in read.said


def test_a_postmortem_without_front_matter_is_read_by_its_sections_and_stated_lines():
    read = incident("docs/incidents/logging/nodes.md", PLAIN)
    assert (read.date, read.severity, read.services) == ("2023-04-11", "P2", ("logging",))
    assert read.symptom == Told("Five of 46 nodes stopped shipping logs to the central store.", 8)
    assert read.cause == Told("The log shipper was upgraded across three releases.", 12)
    assert read.resolution == Told("Rolled back to the release before.", 16)


def test_a_report_of_plain_prose_is_read_by_what_its_sentences_speak_of():
    read = incident("incidents/dns.md", PROSE)
    assert read.date == "2023-10-04"
    assert read.symptom
    assert read.symptom.text == "Resolvers answered SERVFAIL for two hours."
    assert read.cause
    assert read.cause.text == "It was caused by an expired signature in the root zone."
    assert read.resolution
    assert read.resolution.text.startswith("Service was restored after")


def test_a_record_in_german_is_read_as_well():
    read = incident("docs/incidents/anmeldung.md", GERMAN)
    assert (read.date, read.severity, read.minutes) == ("2024-03-05", "hoch", 180)
    assert read.symptom == Told("Niemand konnte sich anmelden.", 9)
    assert read.cause == Told("Das Zertifikat des Anmeldedienstes war abgelaufen.", 13)
    assert read.resolution == Told("Zertifikat erneuert und Überwachung ergänzt.", 17)


def test_a_record_without_any_date_has_none():
    read = incident("docs/incidents/one.md", "# Disk full\n\nThe disk of db1 was full.\n")
    assert (read.date, read.until, read.minutes) == ("", "", None)


@pytest.mark.parametrize(
    "front_matter",
    [
        "date: [2024-05-19, 2024-05-17, 2024-05-18]",
        "date: 2024-05-17, 2024-05-18 and 2024-05-19",
        "start_time: 2024-05-17 23:00:00+00:00\nend_time: 2024-05-19 01:00:00+00:00",
    ],
)
def test_of_several_dates_the_first_and_the_last_count(front_matter):
    read = incident("docs/incidents/one.md", f"---\n{front_matter}\n---\n# Long one\n")
    assert (read.date, read.until) == ("2024-05-17", "2024-05-19")


def test_a_date_in_the_path_goes_before_dates_in_the_text_and_a_table_is_enough():
    table = "# Outage\n\n## Timeline\n\n| When | What |\n|---|---|\n| 2024-01-02 10:00 | Alert |\n"
    assert incident("docs/incidents/2024-05-17-outage.md", table).date == "2024-05-17"
    read = incident("docs/incidents/outage.md", table)
    assert read.date == "2024-01-02"
    assert read.symptom is None


def test_times_tell_how_long_it_lasted_where_nothing_says_so():
    times = "start: 2024-05-17T10:00:00Z\nend: 2024-05-17T12:45:00Z"
    assert incident("docs/incidents/one.md", f"---\n{times}\n---\n# One\n").minutes == 165
    days = "start: 2024-05-17\nend: 2024-05-18"
    assert incident("docs/incidents/one.md", f"---\n{days}\n---\n# One\n").minutes is None


def test_a_form_that_nobody_filled_in_says_nothing():
    form = "# Title\n\nSeverity: <SEV-1..4>\nServices: [service]\nDate: YYYY-MM-DD\n"
    read = incident("docs/incidents/one.md", form)
    assert (read.severity, read.services, read.date) == ("", (), "")


def test_a_report_of_500_pages_is_read_by_its_beginning():
    body = "".join(f"Line {number} of the log was written as before.\n" for number in range(40_000))
    read = incident("docs/incidents/long.md", f"{PLAIN}\n## Appendix\n\n{body}")
    assert read.cause == Told("The log shipper was upgraded across three releases.", 12)


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        ("Summary", "summary"),
        ("TL;DR", "summary"),
        ("What happened?", "summary"),
        ("Customer impact", "impact"),
        ("2.1 Root Cause Analysis (RCA)", "cause"),
        ("Impact & root cause", "impact"),
        ("Trigger", "trigger"),
        ("Detection", "detection"),
        ("How it was fixed", "resolution"),
        ("Resolution and recovery", "resolution"),
        ("Timeline (UTC)", "timeline"),
        ("Action Items", "actions"),
        ("Lessons Learned", "lessons"),
        ("Where we got lucky", "lessons"),
        ("Zusammenfassung", "summary"),
        ("Auswirkungen", "impact"),
        ("Grundursache", "cause"),
        ("Auslöser", "trigger"),
        ("Behebung", "resolution"),
        ("Zeitlicher Verlauf", "timeline"),
        ("Maßnahmen", "actions"),
        ("Erkenntnisse", "lessons"),
        ("Rotating keys", None),
        ("", None),
    ],
)
def test_sections_are_known_under_the_names_people_give_them(heading, part):
    assert part_of(heading) == part


@pytest.mark.parametrize(
    ("written", "minutes"),
    [
        ("2h 10m", 130),
        ("2 hours and 10 minutes", 130),
        ("PT2H10M", 130),
        ("P1DT1H", 1500),
        ("2:10", 130),
        ("2 Tage", 2880),
        ("90 seconds", 2),
        ("1,5 Stunden", 90),
        (45, 45),
        ("46", 46),
        ("long", None),
        ("5²", None),
        (True, None),
        (-3, None),
        ([], None),
    ],
)
def test_durations_are_read_as_people_write_them(written, minutes):
    assert minutes_of(written) == minutes


def test_durations_are_shown_as_people_read_them():
    assert [duration_text(it) for it in (0, 45, 130, 1500)] == [
        "0 min",
        "45 min",
        "2 h 10 min",
        "1 d 1 h",
    ]


@given(st.builds(Incident, date=st.text(), services=st.lists(st.text()).map(tuple)))
def test_a_record_comes_back_from_its_values(record):
    assert incident_of_values(incident_values(record)) == record


@given(st.dates(min_value=date(1970, 1, 1), max_value=date(2098, 12, 31)))
def test_a_month_means_its_last_day(day):
    month = day.isoformat()[:7]
    assert last_day(month)[:7] == month
    assert date.fromordinal(day_number(month)) + timedelta(days=1) > day
    assert day_number(day.isoformat()) == day.toordinal()


def test_an_incident_is_near_to_its_own_days_its_week_and_its_month():
    def near(*asked):
        return nearness(asked, "2024-05-17", "2024-05-19")

    assert near("2024-05-18") == near("2024-05-20") == near("2023-01-01", "2024-05-17") == 1.0
    assert near("2024-05-11") == near("2024-05") == 0.5
    assert (
        near("2024-06") == near("2024-07-17") == near() == nearness(["2024-05-17"], "", "") == 0.0
    )


def test_services_compare_without_case_and_joints():
    assert folded_service("Payment_Gateway") == folded_service("payment-gateway ")
