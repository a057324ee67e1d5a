"""What a record says of itself in single values: front matter, lines like `**Severity**: SEV-2`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

FIELD_NAMES: Mapping[str, tuple[str, ...]] = {
    "date": (
        "date",
        "incident_date",
        "start",
        "start_time",
        "started",
        "started_at",
        "starts_at",
        "occurred_at",
        "date_of_incident",
        "begin",
        "datum",
        "beginn",
        "created",
        "created_at",
    ),
    "until": ("until", "end", "end_time", "ended", "ended_at", "ends_at", "resolved_at", "ende"),
    "services": (
        "services",
        "service",
        "affected_services",
        "services_affected",
        "impacted_services",
        "components",
        "component",
        "systems",
        "system",
        "product",
        "dienste",
        "dienst",
        "betroffene_systeme",
        "betroffene_dienste",
    ),
    "severity": ("severity", "sev", "priority", "incident_severity", "schweregrad", "priorität"),
    "status": ("status", "state", "incident_status"),
    "symptom": ("symptom", "symptoms", "summary", "impact", "symptome", "zusammenfassung"),
    "cause": ("cause", "root_cause", "causes", "trigger", "ursache", "grundursache"),
    "resolution": ("resolution", "fix", "mitigation", "remediation", "lösung", "behebung"),
    "duration": ("duration", "downtime", "time_to_resolve", "ttr", "dauer"),
    "links": ("links", "link", "url", "urls", "references", "postmortem_url"),
    "source": ("source_id",),
}
"""Names under which each field is found, the one that counts first."""

_STATED_FIELDS = ("date", "until", "services", "severity", "status", "duration")
_STATED_LINES = 60
"""Lines below the front matter that may state fields; what follows is the report."""
_MINUTES = {"d": 24 * 60, "t": 24 * 60, "w": 7 * 24 * 60, "h": 60, "s": 60, "m": 1}
"""By a unit's first letter, in English and German: Tage, Stunden."""
_SECONDS = re.compile(r"se[ck]", re.IGNORECASE)
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)?)\s*([a-zäöü]+)", re.IGNORECASE)
_ISO_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:\d+(?:\.\d+)?S)?)?")
_CLOCK_DURATION = re.compile(r"(\d+):(\d\d)(?::\d\d)?")
_NAME_SIGNS = re.compile(r"[\s_-]+")
_STATEMENT_SIGNS = re.compile(r"\s[|·•]\s")
_STATED_NAMES = {name: field for field in _STATED_FIELDS for name in FIELD_NAMES[field]}
_LIST_SIGNS = re.compile(r"\s*[,;]\s*")


def normalised_fields(front_matter: Mapping[str, object]) -> dict[str, object]:
    """A front matter's values by the names of FIELD_NAMES; other keys are left out."""
    given = {field_key(key): it for key, it in front_matter.items()}
    fields: dict[str, object] = {}
    for field, names in FIELD_NAMES.items():
        value = next((given[name] for name in names if given.get(name) not in (None, "", [])), None)
        if value is not None:
            fields[field] = value
    return fields


def field_key(written: str) -> str:
    """A field's name as FIELD_NAMES spells it: `Root cause` is `root_cause`."""
    return _NAME_SIGNS.sub("_", written.strip().casefold())


def stated_fields(lines: Sequence[str]) -> dict[str, str]:
    """Fields that the first lines of a text state: `Date: ...`, `| Severity | P1 |`."""
    stated: dict[str, str] = {}
    for line in lines[:_STATED_LINES]:
        for statement in (line,) if line.lstrip().startswith("|") else _STATEMENT_SIGNS.split(line):
            match = _stated_pattern().match(statement)
            value = match["value"].strip(" *_|`\t") if match else ""
            if match and value:
                stated.setdefault(_STATED_NAMES[field_key(match["name"])], value)
    return stated


def texts_of(value: object) -> tuple[str, ...]:
    """A field's value as texts: the items of a list, or what commas separate."""
    return tuple(dict.fromkeys(it for it in _texts(value) if it))


def one_line(value: object) -> str:
    """A field's value as one line of text; empty for mappings and yes or no."""
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, map(one_line, value)))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())


def minutes_of(value: object) -> int | None:
    """A duration in minutes: a number (of minutes), `2h 10m`, `PT2H10M`, `2:10`, `3 Stunden`."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, int | float):
        return round(value) if value >= 0 else None
    text = value.strip()
    if match := _CLOCK_DURATION.fullmatch(text):
        return int(match[1]) * 60 + int(match[2])
    if (match := _ISO_DURATION.fullmatch(text)) and any(match.groups()):
        days, hours, minutes = (int(part or 0) for part in match.groups())
        return (days * 24 + hours) * 60 + minutes
    if text.isdecimal():
        return int(text)
    amounts = [_minutes(number, unit) for number, unit in _AMOUNT.findall(text)]
    known = [amount for amount in amounts if amount is not None]
    return round(sum(known)) if known else None


def duration_text(minutes: int) -> str:
    """A duration as people read it: `2 h 10 min`."""
    days, rest = divmod(minutes, 24 * 60)
    hours, left = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (left, "min")]
    return " ".join(f"{amount} {unit}" for amount, unit in parts if amount) or "0 min"


def _minutes(number: str, unit: str) -> float | None:
    amount = float(number.replace(",", "."))
    if _SECONDS.match(unit) or unit.casefold() == "s":
        return amount / 60
    factor = _MINUTES.get(unit[0].casefold())
    return amount * factor if factor else None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from (_LIST_SIGNS.split(value.strip()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield one_line(item)
    else:
        yield one_line(value)


@cache
def _stated_pattern() -> re.Pattern[str]:
    written = "|".join(re.escape(name).replace("_", r"[\s_-]") for name in _STATED_NAMES)
    return re.compile(
        rf"^[\s>|*_-]*(?P<name>{written})(?:\s+\([^)]*\))?[\s*_]*[:|][\s*_|]*(?P<value>.{{1,200}})",
        re.IGNORECASE,
    )
