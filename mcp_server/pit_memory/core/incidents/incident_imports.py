"""Records of other systems as incidents: issues, alerts, and objects with keys of any name."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from itertools import chain

from pit_memory.core.incidents.incident_fields import (
    FIELD_NAMES,
    field_key,
    normalised_fields,
    one_line,
    texts_of,
)
from pit_memory.core.incidents.incident_writing import story_text
from pit_memory.core.text.dates import found_dates
from pit_memory.core.text.html_text import without_tags
from pit_memory.errors import UsageError

_BODIES = ("body", "content", "text", "description", "report", "postmortem", "details")
_TITLES = ("title", "name", "subject", "headline", "alertname", "summary", "message")
"""The last two are what trackers and alert systems call it, and tell what was seen elsewhere."""
_IDS = (
    *("source_id", "id", "key", "iid", "number", "uid", "incident_id"),
    *("issue_key", "issue_id", "incident_number", "alert_id"),
)
_UPDATES = ("updated_at", "updatedat", "updated", "modified", "last_modified")
_BEGINNINGS = ("created_at", "createdat", "created_on")
_ENDS = ("closed_at", "closedat", "resolved_on", "resolved")
_SERVICES = ("service_name", "component/s")
_SEVERITIES = ("urgency",)
_PAGES = ("html_url", "web_url")
_KNOWN = frozenset(
    chain(
        *(_TITLES, _IDS, _UPDATES, _BEGINNINGS, _ENDS, _SERVICES, _SEVERITIES, _PAGES, ("labels",)),
        *FIELD_NAMES.values(),
    )
)
"""Keys that tell something of a record whose value is a text; bodies are told apart."""
_DEEPEST = 4
"""Levels of objects in a record whose keys are named one by one."""
_SHOWN_KEYS = 8
_SERVICE_LABEL = re.compile(
    r"(?:service|component|system|app|team|area)\s*[:/=]+\s*(.+)", re.IGNORECASE
)
_SEVERITY_LABEL = re.compile(
    r"(?:severity|priority|prio|sev)\s*[:/=]+\s*(.+)|((?:sev|p)[-\s]?\d)", re.IGNORECASE
)
_REPOSITORY = re.compile(
    r"https?://[^/]+/(?P<path>.+?)/(?:-/)?(?:issues|work_items)/(?P<number>\d+)"
)
_EPOCH = {10: 1, 13: 1000}
"""Digits of a time since the epoch: ticks of a second."""
_ISO_DAY = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?![\w-])|\d{4}-\d\d-\d\dT")
_JIRA_DAY = re.compile(r"(?P<day>\d{1,2})/(?P<month>[A-Za-zä]{3,9})/(?P<year>\d{4}|\d\d)\b")
"""`17/May/24 10:02 AM`, as Jira writes unless told otherwise."""
_NEVER = "0001-"
"""How Alertmanager begins a time that has not come."""
_DAY = len("2024-05-17")
_TITLE_CHARACTERS = 120
_HTML = re.compile(r"^\s*<(?:p|div|h[1-6]|ul|ol|table|html|body|br|strong|b|em|a)\b", re.IGNORECASE)
_BLOCKS = (
    (re.compile(r"<h([1-6])\b[^<>]*>", re.IGNORECASE), lambda found: f"\n\n{'#' * int(found[1])} "),
    (re.compile(r"<li\b[^<>]*>", re.IGNORECASE), lambda _: "\n* "),
    (re.compile(r"<br\b[^<>]*>|</tr>", re.IGNORECASE), lambda _: "\n"),
    (
        re.compile(r"</?(?:p|div|ul|ol|table|pre|blockquote|h[1-6])\b[^<>]*>", re.IGNORECASE),
        lambda _: "\n\n",
    ),
)
"""Tags that begin a line, and what is written there."""
_SCRIPTS = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class ImportedIncident:
    """One record of another system."""

    source_id: str
    """What it is called there, with the system's name: the same record has the same id."""
    updated: str
    """When it last changed there, ISO 8601; empty where nothing tells."""
    title: str
    body: str
    """Markdown."""
    fields: Mapping[str, object]
    """Front matter of the record."""
    labels: tuple[str, ...] = ()
    unmapped_id: str = ""
    """What it is called where `incidents.fields` says nothing of ids; empty where it doesn't."""
    id_key: str = ""
    """The key that it names."""
    unread: tuple[str, ...] = ()
    """Keys, dotted, that hold something which no field of the record took."""


def imported_incidents(
    item: object, mapping: Mapping[str, str], name: str
) -> Iterator[ImportedIncident]:
    """The incidents that one item of an export holds: one, or one for each alert of a webhook.

    Args:
        item: a JSON value.
        mapping: field of a record to the key, dotted, that holds it in the export.
        name: of the export, for ids of records that have no system.

    Raises:
        UsageError: the item is no record; says what it lacks.
    """
    if not isinstance(item, Mapping):
        message = "it is no object"
        raise UsageError(message)
    if "pull_request" in item:
        return
    if isinstance(item.get("alerts"), list):
        for alert in item["alerts"]:
            yield _of_alert(alert if isinstance(alert, Mapping) else {})
        return
    yield _of_record(item, mapping, name)


def markdown_of(text: str) -> str:
    """A body as markdown: HTML becomes text with headings and lists, anything else stays."""
    if not _HTML.match(text):
        return text.replace("\r\n", "\n").strip()
    text = _SCRIPTS.sub(" ", text)
    for pattern, left in _BLOCKS:
        text = pattern.sub(left, text)
    lines = (" ".join(line.split()) for line in unescape(without_tags(text)).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


def _of_record(
    item: Mapping[str, object], mapping: Mapping[str, str], name: str
) -> ImportedIncident:
    keys = {field_key(key): value for key, value in item.items() if value not in (None, "")}
    chosen = {field: it for field, key in mapping.items() if (it := _at(item, key)) is not None}
    labels = tuple(_labels(keys.get("labels")))
    told = _issue_fields(keys, labels) | normalised_fields(keys)
    fields = told | chosen
    if page := _first(keys, _PAGES):  # beside it, `url` is for programs
        fields["links"] = [page]
    named = _first(keys, _TITLES)
    title = one_line(chosen.get("title")) or named
    reported = markdown_of(next(filter(None, _bodies(keys)), ""))
    body = markdown_of(str(chosen["body"])) if chosen.get("body") else reported
    body = body or story_text(fields)
    address = _issue_id(keys)
    unread = () if address else tuple(_unread(item, mapping))
    if not title and not body:
        named_keys = ", ".join(unread[:_SHOWN_KEYS]) or "none"
        message = (
            "it has neither title nor body; incidents.fields says which of its keys hold them "
            f"({named_keys})"
        )
        raise UsageError(message)
    unmapped = _record_id(name, _first(keys, _IDS), named, reported or story_text(told), item)
    given = one_line(chosen.get("id"))
    if fields.get("symptom") == title:  # `summary` is the title where nothing else is
        del fields["symptom"]
    for field in ("source", "title", "body", "id"):
        fields.pop(field, None)
    return ImportedIncident(
        source_id=address or (f"{name}:{given}" if given else unmapped),
        updated=_moment(_first(keys, _UPDATES)),
        title=_short_title(title, body),
        body=body or title,
        fields=_tidy(fields),
        labels=labels,
        unmapped_id=unmapped if given and not address else "",
        id_key=mapping["id"] if given and not address else "",
        unread=unread,
    )


def _short_title(title: str, body: str) -> str:
    return (title or body.split("\n")[0].lstrip("# "))[:_TITLE_CHARACTERS].strip()


def _record_id(name: str, given: str, title: str, body: str, item: Mapping[str, object]) -> str:
    """What a record is called that has no address, whatever the settings say of its keys.

    Args:
        name: of the export.
        given: its id there; one without is the same where it says the same.
        title: by the names that everybody gives it.
        body: the same.
        item: as it came; it tells where neither has such a name.
    """
    if given:
        return f"{name}:{given}"
    if title or body:
        said = f"{_short_title(title, body)}\n{body or title}"
    else:
        said = json.dumps(item, sort_keys=True)
    mark = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"content:{mark}"


def _unread(
    item: Mapping[str, object], mapping: Mapping[str, str], before: str = ""
) -> Iterator[str]:
    """The keys, dotted, of what holds something that no field takes."""
    taken = frozenset(mapping.values())
    keys = {field_key(key): value for key, value in item.items() if value not in (None, "")}
    body = "" if before else next((it for it in _BODIES if isinstance(keys.get(it), str)), "")
    for key, value in item.items():
        dotted = f"{before}{key}"
        if value in (None, "", [], {}) or dotted in taken:
            continue
        if isinstance(value, Mapping) and before.count(".") < _DEEPEST:
            yield from _unread(value, mapping, f"{dotted}.")
        elif before or not (field_key(key) == body or field_key(key) in _KNOWN):
            yield dotted


def _issue_fields(keys: Mapping[str, object], labels: Sequence[str]) -> dict[str, object]:
    """What an issue says in its times, links and labels."""
    services = [match[1] for label in labels if (match := _SERVICE_LABEL.fullmatch(label))]
    graded = (_SEVERITY_LABEL.fullmatch(label) for label in labels)
    severity = next((match[1] or match[2] for match in graded if match), "")
    taken = (_SERVICE_LABEL, _SEVERITY_LABEL)
    others = [it for it in labels if not any(pattern.fullmatch(it) for pattern in taken)]
    fields: dict[str, object] = {
        "date": _first(keys, _BEGINNINGS),
        "until": _first(keys, _ENDS),
        "services": services or _first(keys, _SERVICES),
        "severity": severity or _first(keys, _SEVERITIES),
        "tags": others,
    }
    return {name: value for name, value in fields.items() if value}


def _issue_id(keys: Mapping[str, object]) -> str:
    address = _first(keys, ("html_url", "web_url", "url"))
    match = _REPOSITORY.match(address)
    if match is None:
        return ""
    system = "gitlab" if "iid" in keys or "/-/" in address else "github"
    return f"{system}:{match['path']}#{match['number']}"


def _of_alert(alert: Mapping[str, object]) -> ImportedIncident:
    labels, notes = _mapping(alert.get("labels")), _mapping(alert.get("annotations"))
    name = one_line(labels.get("alertname"))
    if not name:
        message = "an alert of it has no label alertname"
        raise UsageError(message)
    began, ended = one_line(alert.get("startsAt")), one_line(alert.get("endsAt"))
    services = [one_line(labels[key]) for key in ("service", "app", "job") if labels.get(key)]
    said = [one_line(notes[key]) for key in ("summary", "description", "message") if notes.get(key)]
    links = [notes.get("runbook_url"), alert.get("generatorURL")]
    fields: dict[str, object] = {
        "date": began,
        "until": "" if ended.startswith(_NEVER) else ended,
        "services": services[:1],
        "severity": one_line(labels.get("severity")),
        "status": one_line(alert.get("status")),
        "symptom": " ".join(said),
        "links": [one_line(it) for it in links if it],
        "tags": ["alert"],
    }
    where = f" in {services[0]}" if services else ""
    return ImportedIncident(
        source_id=f"alertmanager:{one_line(alert.get('fingerprint')) or name}@{began}",
        updated="" if ended.startswith(_NEVER) else ended,
        title=f"{name}{where}",
        body=f"## Symptom\n\n{name}: {' '.join(said) or 'the alert fired'}",
        fields=_tidy(fields),
    )


def _tidy(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields that have a value, days without their time of day, lists as lists."""
    tidy: dict[str, object] = {}
    for name, value in fields.items():
        if name in {"services", "links", "tags"}:
            items = list(texts_of(value))
            if items:
                tidy[name] = items
        elif name in {"date", "until"}:
            if day := _moment(one_line(value)):
                tidy[name] = day if len(day) < _DAY or "T" in day else day[:_DAY]
        elif said := one_line(value):
            tidy[name] = said
    return tidy


def _moment(written: str) -> str:
    """A time as ISO 8601 where it is one that exports write; anything else as it stands."""
    if written.isdecimal() and len(written) in _EPOCH:
        seconds = int(written) / _EPOCH[len(written)]
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    if match := _JIRA_DAY.match(written):
        year = int(match["year"]) % 100 + 2000
        written = f"{match['day']} {match['month']} {year}{written[match.end() :]}"
    elif _ISO_DAY.match(written):
        return written
    return next((found.value for found in found_dates(written)), written)


def _labels(value: object) -> Iterator[str]:
    for label in value if isinstance(value, list) else texts_of(value or ()):
        yield one_line(label.get("name") if isinstance(label, Mapping) else label)


def _bodies(keys: Mapping[str, object]) -> Iterator[str]:
    for name in _BODIES:
        if isinstance(keys.get(name), str):
            yield str(keys[name])


def _first(keys: Mapping[str, object], names: Sequence[str]) -> str:
    return next((text for name in names if (text := one_line(keys.get(name)))), "")


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _at(item: Mapping[str, object], key: str) -> object:
    """The value of a dotted key; the whole key first, as some systems put dots into names."""
    if key in item:
        return item[key]
    value: object = item
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
