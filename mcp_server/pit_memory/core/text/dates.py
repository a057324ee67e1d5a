"""Calendar dates in text, as people and machines write them, in English and German.

A date whose day and month could change places (`04/05/2023`) is no date: a guess would be wrong
half of the time.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import NamedTuple

_MONTHS = (
    "january|jan|januar|jänner",
    "february|feb|februar",
    "march|mar|märz|maerz|mrz",
    "april|apr",
    "may|mai",
    "june|jun|juni",
    "july|jul|juli",
    "august|aug",
    "september|sept|sep",
    "october|oct|oktober|okt",
    "november|nov",
    "december|dec|dezember|dez",
)
_NUMBER_OF_MONTH = {
    name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split("|")
}
_MONTH_LENGTH = len("2024-05")
_YEARS = (1970, 2099)
"""A number outside is a port, a count or a version."""


class FoundDate(NamedTuple):
    """A date and where it stands."""

    start: int
    end: int
    """Half-open, in characters."""
    value: str
    """`2023-04-11`, or `2023-04` where no day is given."""


def found_dates(text: str) -> Iterator[FoundDate]:
    """Find the dates of a text, in its order; two for a range of days such as April 21-22, 2020."""
    for match in _dates().finditer(text):
        for value in _values(match):
            yield FoundDate(match.start(), match.end(), value)


def date_tokens(day: str) -> tuple[str, ...]:
    """What the keyword index holds of a date: itself and its month, as no text writes them."""
    return tuple(dict.fromkeys((f"date:{day}", f"date:{day[:_MONTH_LENGTH]}")))


def without_dates(text: str) -> str:
    """Return the text with every date, and the time of day behind it, as a blank."""
    return _times().sub(" ", _dates().sub(_blank_if_date, text))


def _blank_if_date(match: re.Match[str]) -> str:
    return " " if any(_values(match)) else match[0]


def _values(match: re.Match[str]) -> Iterator[str]:
    """The dates of one place: none where there is no such day."""
    parts = {name[:-1]: value for name, value in match.groupdict().items() if value}
    year = int(parts["year"])
    month = _number_of_month(parts["month"])
    days = [int(parts[name]) for name in ("day", "until") if name in parts]
    if not _YEARS[0] <= year <= _YEARS[1] or month is None:
        return
    if not days:
        yield f"{year}-{month:02}"
    for day in days:
        try:
            yield date(year, month, day).isoformat()
        except ValueError:
            return


def _number_of_month(written: str) -> int | None:
    number = int(written) if written.isdigit() else _NUMBER_OF_MONTH.get(written.casefold())
    return number if number is not None and 1 <= number <= len(_MONTHS) else None


@cache
def _dates() -> re.Pattern[str]:
    """One pattern of all forms; the last letter of a group's name tells the form."""
    month = f"(?:{'|'.join(_MONTHS)})"
    ordinal = r"(?:st|nd|rd|th|\.)?"
    iso = r"(?P<yeara>\d{4})(?P<signa>[-/._])(?P<montha>\d{1,2})(?P=signa)(?P<daya>\d{1,2})"
    packed = r"(?P<yearb>(?:19|20)\d\d)(?P<monthb>[01]\d)(?P<dayb>[0-3]\d)"
    day_first = (
        rf"(?P<dayc>\d{{1,2}}){ordinal}(?:\s*[-\u2013]\s*(?P<untilc>\d{{1,2}}){ordinal})?"
        rf"\s*(?:of\s+)?[-\s]?(?P<monthc>{month})\b\.?[-,\s]\s*(?P<yearc>\d{{4}})"
    )
    month_first = (
        rf"(?P<monthd>{month})\b\.?\s*(?P<dayd>\d{{1,2}}){ordinal}"
        rf"(?:\s*(?:[-\u2013]|and|und)\s*(?P<untild>\d{{1,2}}){ordinal})?,?\s+(?P<yeard>\d{{4}})"
    )
    month_alone = rf"(?P<monthe>{month})\b\.?,?\s+(?P<yeare>\d{{4}})"
    german = r"(?P<dayf>\d{1,2})\.(?P<monthf>\d{1,2})\.(?P<yearf>\d{4})"
    iso_month = r"(?P<yearg>(?:19|20)\d\d)-(?P<monthg>\d\d)(?![-\d])"
    forms = "|".join((iso, packed, day_first, month_first, month_alone, german, iso_month))
    return re.compile(rf"(?<![\w.])(?:{forms})(?!\d)", re.IGNORECASE)


@cache
def _times() -> re.Pattern[str]:
    """Times of day and weekdays: they say when, not what."""
    weekdays = (
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
        "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
    )
    clock = (
        r"T?\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\b\.?)?"
        r"(?:\s*(?:Z|UTC|GMT|[CE]ES?T|[CMP][SD]T|ET|PT|Uhr|[+-]\d\d:?\d\d))?"
    )
    return re.compile(rf"(?<![\w:])(?:{clock}|(?:{weekdays}),?)(?![\w:])", re.IGNORECASE)
