"""A document of the incidents collection to its record: front matter, stated fields, text, path."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath

from pit_memory.core.documents.incident_record import Incident, Told
from pit_memory.core.documents.sections import ParsedMarkdown
from pit_memory.core.incidents.incident_fields import (
    FIELD_NAMES,
    field_key,
    minutes_of,
    normalised_fields,
    one_line,
    stated_fields,
    texts_of,
)
from pit_memory.core.incidents.incident_story import Story, read_story, timeline_lines, told
from pit_memory.core.text.dates import found_dates

_MAX_SERVICES = 20
_MAX_LINKS = 20
_MAX_SAID = 4_000
"""Characters; a longer front matter is no record."""
_MAX_VALUE = 60
"""Characters of a severity or a status; a longer text is no such value."""
_SCANNED_LINES = 400
"""In which the first date of a text without any other counts."""
_FOLDERS = re.compile(r"incidents?|post-?mortems?|rcas?|outages?", re.IGNORECASE)
_NO_SERVICE = re.compile(r"\d+|q[1-4]|archived?|_?drafts?|[a-z]{3}|english|german", re.IGNORECASE)
"""Folders that sort by time or language."""
_PLACEHOLDER = re.compile(r"[<\[{].*[>\]}]|n/?a|none|tbd|todo|unknown|-+", re.IGNORECASE)


def read_incident(
    path: str, title: str, front_matter: Mapping[str, object], parsed: ParsedMarkdown
) -> Incident:
    """Read the record that a document is; whatever is missing stays empty.

    Args:
        path: POSIX path relative to the source root.
        title: of the document.
        front_matter: its parsed values.
        parsed: the document.
    """
    body = parsed.lines[parsed.body_start - 1 :]
    stated: dict[str, object] = dict(stated_fields(body))
    fields = stated | normalised_fields(front_matter)
    began, ended = _days(fields, path, title, parsed)
    story = _story(fields, parsed)
    return Incident(
        date=began,
        until=ended,
        services=_services(fields, path),
        severity=_value(fields.get("severity")),
        status=_value(fields.get("status")),
        minutes=_minutes(fields),
        symptom=story.symptom,
        cause=story.cause,
        resolution=story.resolution,
        links=texts_of(fields.get("links", ()))[:_MAX_LINKS],
        source=one_line(fields.get("source")),
        updated=one_line(front_matter.get("source_updated")),
        said=" ".join(_words(front_matter))[:_MAX_SAID],
    )


def _words(value: object) -> Iterator[str]:
    """The texts in a front matter; not addresses of pages, whose words are accidents."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _words(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _words(inner)
    elif isinstance(value, str) and "://" not in value:
        yield " ".join(value.split())


def _days(
    fields: Mapping[str, object], path: str, title: str, parsed: ParsedMarkdown
) -> tuple[str, str]:
    """The first and the last day: of several dates in one place the earliest and the latest."""
    stated = _dates_in(one_line(fields.get("date")))
    ends = _dates_in(one_line(fields.get("until")))
    if not stated:
        stated = (
            _dates_in(path)
            or _dates_in(title)
            or _dates_in("\n".join(timeline_lines(parsed)))
            or _first_date(parsed.lines[parsed.body_start - 1 :])
        )
    if not stated:
        return "", ""
    began = min(stated)
    return began, max((*stated, *(day for day in ends if day >= began)))


def _dates_in(text: str) -> list[str]:
    """Days where there are any, else months."""
    found = [it.value for it in found_dates(text)]
    longest = max(map(len, found), default=0)
    return [day for day in found if len(day) == longest]


def _first_date(lines: Sequence[str]) -> list[str]:
    text = "\n".join(lines[:_SCANNED_LINES])
    return next(([it.value] for it in found_dates(text)), [])


def _services(fields: Mapping[str, object], path: str) -> tuple[str, ...]:
    named = [it for it in texts_of(fields.get("services", ())) if not _PLACEHOLDER.fullmatch(it)]
    return tuple(named[:_MAX_SERVICES]) or _folder_service(path)


def _folder_service(path: str) -> tuple[str, ...]:
    """The folder between the incidents' own and the file: `docs/incidents/checkout/one.md`."""
    folders = PurePosixPath(path).parent.parts
    at = max((at for at, name in enumerate(folders) if _FOLDERS.fullmatch(name)), default=None)
    below: Iterable[str] = () if at is None else folders[at + 1 :]
    return tuple(name for name in below if not _NO_SERVICE.fullmatch(name))[:1]


def _value(value: object) -> str:
    text = one_line(value)
    return "" if len(text) > _MAX_VALUE or _PLACEHOLDER.fullmatch(text) else text


def _minutes(fields: Mapping[str, object]) -> int | None:
    stated = minutes_of(fields.get("duration"))
    if stated is not None:
        return stated
    try:
        began, ended = (
            datetime.fromisoformat(one_line(fields.get(name))) for name in ("date", "until")
        )
        lasted = (ended - began).total_seconds()
    except (ValueError, TypeError):  # no times of day, or only one of them with a time zone
        return None
    has_times = "T" in one_line(fields["date"]) or ":" in one_line(fields["date"])
    return round(lasted / 60) if lasted > 0 and has_times else None


def _story(fields: Mapping[str, object], parsed: ParsedMarkdown) -> Story:
    """What the front matter tells, and the text for what that leaves out."""
    written = read_story(parsed)
    return Story(
        symptom=_told(fields, "symptom", parsed) or written.symptom,
        cause=_told(fields, "cause", parsed) or written.cause,
        resolution=_told(fields, "resolution", parsed) or written.resolution,
    )


def _told(fields: Mapping[str, object], point: str, parsed: ParsedMarkdown) -> Told | None:
    first, last = parsed.front_matter_lines or (1, 0)
    keys = {
        field_key(parsed.lines[number - 1].partition(":")[0]): number
        for number in range(last, first - 1, -1)
    }
    line = next((keys[name] for name in FIELD_NAMES[point] if name in keys), first)
    return told(one_line(fields.get(point)), line)
