import pytest

from pit_memory.core.text.dates import date_tokens, found_dates, without_dates

DATES = [
    ("On Friday 29 November 2019, we scaled", ["2019-11-29"]),
    ("2023-04-11T11:20:33.123Z ERROR", ["2023-04-11"]),
    ("January 15, 2022, at 9:00 AM ET", ["2022-01-15"]),
    ("between April 21-22 2020", ["2020-04-21", "2020-04-22"]),
    ("March 3rd and 4th, 2011", ["2011-03-03", "2011-03-04"]),
    ("am 5. März 2024 um 14:05 Uhr", ["2024-03-05"]),
    ("am 11.04.2023", ["2023-04-11"]),
    ("20240517-checkout.md", ["2024-05-17"]),
    ("2024/05/17 and 2024_05_18", ["2024-05-17", "2024-05-18"]),
    ("in May 2024", ["2024-05"]),
    ("since 2024-05", ["2024-05"]),
    ("the 1st of June 2024", ["2024-06-01"]),
]
NO_DATES = [
    "04/05/2023",
    "v1.2.2023",
    "10.0.20.2020",
    "2023-99-11",
    "30 February 2024",
    "PM2020-002",
    "port 8080, 3 May",
    "5000 may 1234",
]


@pytest.mark.parametrize(("text", "expected"), DATES)
def test_dates_are_found_as_people_and_machines_write_them(text, expected):
    assert [found.value for found in found_dates(text)] == expected


@pytest.mark.parametrize("text", NO_DATES)
def test_what_could_be_another_number_or_another_day_is_no_date(text):
    assert list(found_dates(text)) == []


def test_a_text_without_its_dates_says_what_and_not_when():
    said = without_dates("On Friday 29 November 2019, at 09:15 UTC, 04/05/2023 the nodes vanished")
    assert said.split() == ["On", ",", "at", ",", "04/05/2023", "the", "nodes", "vanished"]


def test_a_day_is_found_by_its_month_as_well():
    assert set(date_tokens("2024-05")) < set(date_tokens("2024-05-17"))
