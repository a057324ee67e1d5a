"""Alerts and logs in JSON, and alerts as lines of labels: what they say."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from pit_memory.core.incidents.error_message import (
    MAX_LINES,
    ErrorText,
    different_lines,
    message_of,
)
from pit_memory.core.incidents.stack_traces import read_trace
from pit_memory.core.text.log_noise import without_noise

_MAX_DEPTH = 12
"""Levels of a payload."""

_NAMES = frozenset({"alertname", "alert", "rulename", "rule_name", "alert_name"})
_SAID = (
    "summary",
    "title",
    "message",
    "msg",
    "error",
    "err",
    "errormessage",
    "error_message",
    "exception",
    "reason",
    "cause",
    "description",
    "detail",
    "details",
    "body",
    "text",
    "log",
    "short_message",
    "full_message",
    "errorcode",
    "error_code",
)
_TRACES = frozenset({"stack", "stacktrace", "stack_trace", "traceback", "exc_info"})
_SERVICES = frozenset(
    {
        "service",
        "service_name",
        "servicename",
        "app",
        "application",
        "component",
        "job",
        "container",
    }
)
_PAIR = re.compile(r"\"([A-Za-z_@.]{2,40})\"\s*:\s*\"((?:[^\"\\]|\\.){1,2000})\"?")
_PLAIN_PAIR = re.compile(r"^[\s>*-]*(?P<key>[A-Za-z_]{2,40})\s*[=:]\s*(?P<value>\S.*)$")
_ALERT_LINE = re.compile(r"(?im)^[\s>*-]*alertname\s*[=:]|^\s*\[?(?:FIRING|RESOLVED)(?::\d+)?\]")


def payload_text(text: str) -> ErrorText | None:
    """What a payload in JSON says, whole or cut off; None where a text is none."""
    if text[0] not in "{[" and "{" not in text:
        return None
    payload = _parsed(text)
    if payload is None:
        return _of_broken_payload(text) if text[0] in "{[" else None
    alerts = list(_alerts(payload, 0))
    if alerts:
        return _of_alerts(alerts)
    said = list(_said_in(payload, 0))
    return _of_said(said) if said else None


def _parsed(text: str) -> object:
    """A payload, alone or behind some words; a list of them for one in each line; else None."""
    if text[0] in "{[":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    lines = [line for line in text.splitlines() if line.strip()]
    objects = [_object_in(line) for line in lines] if len(lines) > 1 else [None]
    if all(isinstance(it, dict) for it in objects):
        return objects
    start, end = text.find("{"), text.rfind("}")
    whole = _object_in(text[start : end + 1]) if 0 <= start < end else None
    return whole if isinstance(whole, dict) and len(text) < 2 * (end - start) else None


def _object_in(line: str) -> object:
    start = line.find("{")
    try:
        return json.loads(line[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        return None


def _of_broken_payload(text: str) -> ErrorText | None:
    """A payload that was cut off: the pairs that are whole."""
    pairs = [(key, value.replace('\\"', '"').replace("\\n", "\n")) for key, value in _pairs(text)]
    return _of_pairs(pairs)


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(match[1], match[2]) for match in _PAIR.finditer(text)]


def _of_pairs(pairs: Sequence[tuple[str, str]]) -> ErrorText | None:
    if any(key.casefold() in _NAMES for key, _ in pairs):
        labels = dict(pairs)
        return _of_alerts([{"labels": labels, "annotations": labels}])
    said = [(key.casefold(), value) for key, value in pairs if _tells(key.casefold())]
    return _of_said(said) if said else None


def _alerts(value: object, depth: int) -> Iterator[Mapping[str, object]]:
    """The alerts in a payload: objects that have labels or annotations, or a rule's name."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        if isinstance(value.get("alerts"), list):
            yield from _alerts(value["alerts"], depth + 1)
        elif any(isinstance(value.get(part), dict) for part in ("labels", "annotations")):
            yield value
        elif "commonLabels" in value:
            yield {"labels": value["commonLabels"], "annotations": value.get("commonAnnotations")}
        elif any(key.casefold() in _NAMES for key in value):
            yield {"labels": value, "annotations": value}
        else:
            for inner in value.values():
                yield from _alerts(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _alerts(inner, depth + 1)


def _of_alerts(alerts: Sequence[Mapping[str, object]]) -> ErrorText:
    names: dict[str, None] = {}
    said: dict[str, None] = {}
    services: dict[str, None] = {}
    for alert in alerts:
        labels, notes = _texts(alert.get("labels")), _texts(alert.get("annotations"))
        names |= dict.fromkeys(labels[key] for key in labels if key in _NAMES)
        services |= dict.fromkeys(labels[key] for key in labels if key in _SERVICES)
        filled_in = [value for key, value in labels.items() if _is_filled_in(key, value)]
        for key in _SAID:
            if key in notes:
                said[without_noise(_without_values(notes[key], filled_in))] = None
    telling = [text for text in said if text][:MAX_LINES]
    words = " ".join(telling)
    near = [it for it in services if it.casefold() not in words.casefold()] if not telling else []
    return ErrorText("alert", message_of((*names, *telling, *near)), tuple(names))


def _texts(value: object) -> dict[str, str]:
    """The texts of an object by folded key."""
    if not isinstance(value, dict):
        return {}
    return {str(key).casefold(): it for key, it in value.items() if isinstance(it, str) and it}


def _is_filled_in(key: str, value: str) -> bool:
    """Whether a label's value is one that a template puts into the texts of an alert."""
    return (
        key not in _NAMES | _SERVICES and key not in _SAID and key != "severity" and len(value) > 1
    )


def _without_values(text: str, values: Sequence[str]) -> str:
    for value in sorted(values, key=len, reverse=True):
        text = re.sub(rf"(?<![\w-]){re.escape(value)}(?![\w-])", " ", text)
    return text


def alert_lines_text(text: str) -> ErrorText | None:
    """What an alert says as mail and chat show it, one label a line; None where it is none."""
    if not _ALERT_LINE.search(text):
        return None
    matches = (_PLAIN_PAIR.match(line) for line in text.splitlines())
    return _of_pairs([(match["key"], match["value"]) for match in matches if match])


def _said_in(value: object, depth: int) -> Iterator[tuple[str, str]]:
    """(key, text) of what a payload says, in its order."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            name = str(key).casefold()
            if isinstance(inner, str) and _tells(name):
                yield name, inner
            elif isinstance(inner, dict | list):
                yield from _said_in(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _said_in(inner, depth + 1)


def _tells(key: str) -> bool:
    return key.rpartition(".")[2] in _SAID or key.rpartition(".")[2] in _TRACES


def _of_said(said: Sequence[tuple[str, str]]) -> ErrorText:
    """A log in JSON: what its records say, traces in it taken apart."""
    lines: list[str] = []
    names: list[str] = []
    for _, text in said:
        trace = read_trace(text.splitlines())
        lines += trace.said if trace else text.splitlines()
        names += trace.errors if trace else ()
    return ErrorText("log", message_of(different_lines(lines)), tuple(dict.fromkeys(names)))
