"""Pasted error text: alerts, stack traces and logs, reduced to what a past incident can match."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pit_memory.core.log_noise import without_noise
from pit_memory.core.stack_traces import read_trace

TextKind = Literal["question", "alert", "trace", "log"]

MAX_MESSAGE = 1_500
"""Characters kept: a model reads fewer, and what follows repeats what was said."""
_MAX_TEXT = 200_000
"""Characters that are looked at; the rest of a log is more of the same."""
_MAX_LINES = 25
"""Different lines of a log or trace that are kept."""
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
_FENCE = re.compile(r"^\s*```[\w-]*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_PAIR = re.compile(r"\"([A-Za-z_@.]{2,40})\"\s*:\s*\"((?:[^\"\\]|\\.){1,2000})\"?")
_PLAIN_PAIR = re.compile(r"^[\s>*-]*(?P<key>[A-Za-z_]{2,40})\s*[=:]\s*(?P<value>\S.*)$")
_ALERT_LINE = re.compile(r"(?im)^[\s>*-]*alertname\s*[=:]|^\s*\[?(?:FIRING|RESOLVED)(?::\d+)?\]")
_DIGITS = re.compile(r"\d+")
"""Counters: lines that differ in nothing else say the same."""
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class ErrorText:
    """A question, or what tells of a pasted text."""

    kind: TextKind
    message: str
    """What to search for; never empty where the text had a word."""
    names: tuple[str, ...] = ()
    """Of alerts, or of error classes: the thing itself, for what is called so."""


def read_error_text(text: str) -> ErrorText:
    """Find what a pasted text says; a plain question stays as it was asked."""
    text = text[:_MAX_TEXT].strip()
    if fenced := _FENCE.match(text):
        text = fenced[1].strip()
    if not any(map(str.isspace, text)):
        return ErrorText("question", text)
    found = _of_payload(text) or _of_alert_lines(text) or _of_trace(text) or _of_log(text)
    if found and _WORD.search(found.message):
        return found
    return ErrorText("question", without_noise(text) or text)


def is_alert_name(text: str) -> bool:
    """Whether a text is the bare name of an alert: `KubePodCrashLooping`, `disk_full_alert`."""
    return _alert_name().fullmatch(text.strip()) is not None


@cache
def _alert_name() -> re.Pattern[str]:
    return re.compile(r"(?:[A-Za-z]+[a-z0-9]*)(?:[A-Z][A-Za-z0-9]*){2,}|\w+_alerts?")


# Payloads


def _of_payload(text: str) -> ErrorText | None:
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
    telling = [text for text in said if text][:_MAX_LINES]
    words = " ".join(telling)
    near = [it for it in services if it.casefold() not in words.casefold()] if not telling else []
    return ErrorText("alert", _cut((*names, *telling, *near)), tuple(names))


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


def _of_alert_lines(text: str) -> ErrorText | None:
    """An alert as mail and chat show it: one label a line."""
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
    return ErrorText("log", _cut(_different(lines)), tuple(dict.fromkeys(names)))


# Traces and logs


def _of_trace(text: str) -> ErrorText | None:
    trace = read_trace(text.splitlines())
    if trace is None:
        return None
    said = _different(_unmarked(line) for line in trace.said)
    return ErrorText("trace", _cut((*said, *trace.functions)), trace.errors)


def _of_log(text: str) -> ErrorText | None:
    lines = [line for line in text.splitlines() if line.strip()]
    marked = sum(1 for line in lines if _log_mark().search(line) or _level().match(line))
    if not marked or marked * 4 < len(lines):
        return None
    errors = [line for line in lines if _severe().search(line)]
    return ErrorText("log", _cut(_different(map(_unmarked, (*errors, *lines)))))


def _unmarked(line: str) -> str:
    """A line of a log without what stands before its message."""
    return _level().sub("", _log_mark().sub(" ", line).strip())


def _different(lines: Iterator[str] | Sequence[str]) -> list[str]:
    """The lines without noise, each once, at most `_MAX_LINES`."""
    kept: dict[str, str] = {}
    for line in lines:
        quiet = without_noise(line)
        if _WORD.search(quiet):
            kept.setdefault(_DIGITS.sub("", quiet), quiet)
        if len(kept) >= _MAX_LINES:
            break
    return list(kept.values())


def _cut(parts: Sequence[str]) -> str:
    return " ".join("\n".join(parts)[:MAX_MESSAGE].split(" "))


@cache
def _log_mark() -> re.Pattern[str]:
    """What only logs have: a time at the start, named fields, klog's and syslog's beginnings."""
    return re.compile(
        r"^\s*[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?"
        r"(?:Z|[+-]\d\d:?\d\d)?[\])]?"
        r"|^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [\w./-]+:\d+\]"
        r"|^[A-Z][a-z]{2}\s+\d{1,2} \d\d:\d\d:\d\d \S+(?= [\w./-]+(?:\[\d+\])?:)"
        r"|\blevel=\w+|\b(?:ts|time|caller)=\S+"
    )


@cache
def _level() -> re.Pattern[str]:
    """A level at the start of a line; in the middle it may be the message."""
    return re.compile(
        r"^[\s\[(<|-]*(?:ERROR|FATAL|CRITICAL|CRIT|SEVERE|EMERG|WARN(?:ING)?|INFO|DEBUG|TRACE|NOTICE)"
        r"\b[\])>|:]*\s"
    )


@cache
def _severe() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:ERROR|FATAL|CRITICAL|CRIT|SEVERE|EMERG|PANIC)\b|^E\d{4} |^F\d{4} "
        r"|level=(?:error|fatal|crit|panic)|\b(?:[Pp]anic|[Ee]xception|OOMKilled)\b"
    )
