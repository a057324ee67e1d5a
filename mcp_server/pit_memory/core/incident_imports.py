"""Records of other systems as incidents: issues, alerts, and objects with keys of any name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from pit_memory.core.html_text import without_tags
from pit_memory.core.incident_fields import (
    field_key,
    normalised_fields,
    one_line,
    texts_of,
)
from pit_memory.core.incident_writing import story_text
from pit_memory.errors import UsageError

_BODIES = ("body", "content", "text", "description", "report", "postmortem", "details")
_TITLES = ("title", "name", "subject", "headline", "alertname")
_IDS = ("source_id", "id", "key", "iid", "number", "uid", "incident_id")
_UPDATES = ("updated_at", "updatedat", "updated", "modified", "last_modified")
_SERVICE_LABEL = re.compile(
    r"(?:service|component|system|app|team|area)\s*[:/=]+\s*(.+)", re.IGNORECASE
)
_SEVERITY_LABEL = re.compile(
    r"(?:severity|priority|prio|sev)\s*[:/=]+\s*(.+)|((?:sev|p)[-\s]?\d)", re.IGNORECASE
)
_REPOSITORY = re.compile(
    r"https?://[^/]+/(?P<path>.+?)/(?:-/)?(?:issues|work_items)/(?P<number>\d+)"
)
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
    fields = _issue_fields(keys, labels) | normalised_fields(keys) | chosen
    if page := _first(keys, ("html_url", "web_url")):  # beside it, `url` is for programs
        fields["links"] = [page]
    title = one_line(chosen.get("title")) or _first(keys, _TITLES)
    body = markdown_of(str(chosen.get("body") or next(filter(None, _bodies(keys)), "")))
    body = body or story_text(fields)
    if not title and not body:
        message = "it has neither title nor body; incidents.fields says which keys hold them"
        raise UsageError(message)
    given = one_line(chosen.get("id")) or _first(keys, _IDS)
    fields.pop("source", None)
    for field in ("title", "body", "id"):
        fields.pop(field, None)
    return ImportedIncident(
        source_id=_issue_id(keys) or (f"{name}:{given}" if given else ""),
        updated=_first(keys, _UPDATES),
        title=(title or body.split("\n")[0].lstrip("# "))[:_TITLE_CHARACTERS].strip(),
        body=body or title,
        fields=_tidy(fields),
        labels=labels,
    )


def _issue_fields(keys: Mapping[str, object], labels: Sequence[str]) -> dict[str, object]:
    """What an issue says in its times, links and labels."""
    services = [match[1] for label in labels if (match := _SERVICE_LABEL.fullmatch(label))]
    graded = (_SEVERITY_LABEL.fullmatch(label) for label in labels)
    severity = next((match[1] or match[2] for match in graded if match), "")
    taken = (_SERVICE_LABEL, _SEVERITY_LABEL)
    others = [it for it in labels if not any(pattern.fullmatch(it) for pattern in taken)]
    fields: dict[str, object] = {
        "date": _first(keys, ("created_at", "createdat")),
        "until": _first(keys, ("closed_at", "closedat")),
        "services": services,
        "severity": severity,
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
            if day := one_line(value):
                tidy[name] = day if len(day) < _DAY or "T" in day else day[:_DAY]
        elif said := one_line(value):
            tidy[name] = said
    return tidy


def _labels(value: object) -> Iterator[str]:
    for label in value if isinstance(value, list) else ():
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
