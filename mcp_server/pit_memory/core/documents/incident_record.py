"""The record of an incident: when, where, how bad; what was seen, why, and what helped."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

_DAY = timedelta(days=1)
_NEAR = timedelta(days=7)
_SAME = 1.0
_CLOSE = 0.5
"""Within a week, or in the month that was asked for."""
MONTH_LENGTH = len("2024-05")
"""Characters of a date without a day."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a record says on one point, and where."""

    text: str
    """One line, at most `MAX_TOLD` characters."""
    line: int
    """1-based line of the file where it begins."""


@dataclass(frozen=True, slots=True)
class Incident:
    """What a document says of the incident it records; anything may be missing."""

    date: str = ""
    """The day it began, `2024-05-17`, or its month, `2024-05`; empty where nothing tells."""
    until: str = ""
    """The day it ended, in the same form; the same day where nothing tells."""
    services: tuple[str, ...] = ()
    severity: str = ""
    status: str = ""
    minutes: int | None = None
    """How long it lasted."""
    symptom: Told | None = None
    cause: Told | None = None
    resolution: Told | None = None
    links: tuple[str, ...] = ()
    source: str = ""
    """Id of what it was imported from, such as `github:acme/shop#12`; empty for others."""
    updated: str = ""
    """When that last changed, ISO 8601; empty where nothing tells."""
    said: str = ""
    """All that the front matter says in words, in one line: company, region, whatever it has."""


MAX_TOLD = 240
"""Characters of a symptom, cause or resolution: two lines of an answer."""


def incident_values(incident: Incident) -> dict[str, Any]:
    """The record as JSON values."""
    return asdict(incident)


def incident_of_values(values: dict[str, Any]) -> Incident:
    """The record that `incident_values` was made from."""
    told = {
        name: Told(**values[name]) if values[name] else None
        for name in ("symptom", "cause", "resolution")
    }
    lists = {name: tuple(values[name]) for name in ("services", "links")}
    return Incident(**{**values, **told, **lists})


def folded_service(name: str) -> str:
    """A service's name as names compare: without case, `_`, `-` and blanks alike."""
    return "-".join(name.casefold().replace("_", " ").replace("-", " ").split())


def last_day(day: str) -> str:
    """The last day that a date may mean: itself, or the last of its month."""
    if len(day) != MONTH_LENGTH:
        return day
    year, month = map(int, day.split("-"))
    following = date(year + month // 12, month % 12 + 1, 1)
    return (following - _DAY).isoformat()


def first_day(day: str) -> str:
    """The first day that a date may mean."""
    return f"{day}-01" if len(day) == MONTH_LENGTH else day


def day_number(day: str) -> int:
    """The last day that a date may mean, counted from the year 1."""
    return date.fromisoformat(last_day(day)).toordinal()


def nearness(asked: Sequence[str], began: str, ended: str) -> float:
    """How near an incident lies to the dates that a question names, in [0, 1].

    Args:
        asked: dates or months; the nearest counts.
        began: first day of the incident; empty where unknown.
        ended: its last day, likewise.
    """
    return max((_nearness(day, began, ended) for day in asked), default=0.0)


def is_within(asked: Sequence[str], began: str, ended: str) -> bool:
    """Whether an incident lies on a day, or in a month, that a question names; as `nearness`."""
    least = {day: _CLOSE if len(day) == MONTH_LENGTH else _SAME for day in asked}
    return any(_nearness(day, began, ended) >= least[day] for day in asked)


def _nearness(asked: str, began: str, ended: str) -> float:
    if not began:
        return 0.0
    first = date.fromisoformat(first_day(began))
    last = max(first, date.fromisoformat(last_day(ended or began)))
    since, until = date.fromisoformat(first_day(asked)), date.fromisoformat(last_day(asked))
    if len(asked) == MONTH_LENGTH:
        return _CLOSE if since <= last and until >= first else 0.0
    if first - _DAY <= since <= last + _DAY:  # time zones and midnight
        return _SAME
    return _CLOSE if first - _NEAR <= since <= last + _NEAR else 0.0
