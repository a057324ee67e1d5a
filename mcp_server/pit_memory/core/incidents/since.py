"""Since when: a date, a month, a year, or how long ago."""

import re
from datetime import date, timedelta

from pit_memory.core.documents.incident_record import first_day
from pit_memory.core.text.dates import found_dates
from pit_memory.errors import UsageError

_AGO = re.compile(r"(\d{1,4})\s*(d|w|m|y)(?:ays?|eeks?|onths?|ears?)?(?:\s+ago)?", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def since_date(written: str, today: str) -> str:
    """The first day that a filter lets through, as an ISO date.

    Args:
        written: `2024-05-17`, `2024-05`, `2024`, `17 May 2024`, or `90d`, `6 weeks`, `3m`, `1y`.
        today: ISO date.

    Raises:
        UsageError: it can't be read, or lies in the future.
    """
    text = written.strip()
    if _YEAR.fullmatch(text):
        day = f"{text}-01-01"
    elif ago := _AGO.fullmatch(text):
        back = timedelta(days=int(ago[1]) * _DAYS[ago[2].lower()])
        now = date.fromisoformat(today)
        day = (now - min(back, now - date(1970, 1, 1))).isoformat()
    elif found := next(found_dates(text), None):
        day = first_day(found.value)
    elif _DAY.fullmatch(text):
        day = text  # of a century that texts don't mean
    else:
        message = f"since is {written!r}, which is no date; write 2024-05-17, 2024-05, or 90d"
        raise UsageError(message)
    if day > today:
        message = f"since is {day}, which is in the future (today is {today}); give a day before"
        raise UsageError(message)
    return day
