"""Facts as lines of JSON: what `facts import` takes and `facts export` gives."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pit_memory.core.facts.assignments import assignment_name
from pit_memory.core.facts.facts import (
    MAX_REASON_CHARACTERS,
    MAX_TOPIC_CHARACTERS,
    STATUSES,
    Fact,
    Status,
    day,
    fact_id,
    fact_text,
    one_line,
    parse_fact_id,
)
from pit_memory.core.text.dates import found_dates
from pit_memory.core.text.nearest import nearest
from pit_memory.core.text.safe_text import safe_name
from pit_memory.errors import UsageError

_MAX_SOURCE_CHARACTERS = 500
_MAX_ID_CHARACTERS = 200
_SHOWN_KEYS = 8
_SHOWN_CHARACTERS = 40
_KEYS = (
    *("fact", "scope", "topic", "id", "source", "date", "expires", "review_after", "author"),
    *("status", "supersedes", "superseded_by", "retracted", "reason"),
)
_LOOKS_LIKE = 'a line is {"fact": "Deploys are on Tuesday.", "scope": "acme", "topic": "deploy"}'
"""Of a line that is no fact, beside what is wrong with it."""


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that is no fact."""

    line: int
    """1-based."""
    why: str


def parse_fact_lines(
    lines: Iterable[str],
    *,
    assignment: str | None,
    now: str,
    status: Status,
    unread: Counter[str] | None = None,
) -> Iterator[Fact | RefusedLine]:
    """Read the lines of a file of facts; blank ones are skipped.

    Args:
        lines: `{"fact", "scope"?, "topic"?, "id"?, "source"?, "date"?, ...}` each.
        assignment: of lines without a scope; None where each must have one.
        now: ISO 8601, the date of lines without one.
        status: of facts whose line doesn't say that they were retracted.
        unread: gets the keys that no fact has, and the number of lines that have each.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = _object(line)
            others = [key for key in value if key not in _KEYS]
            _refuse_other_scope(value, others)
            yield _fact(value, assignment, now, status)
            if unread is not None:
                unread.update(others)
        except UsageError as error:
            yield RefusedLine(number, str(error))


def fact_line_json(fact: Fact) -> str:
    """A fact as one line, without the line end; importing it gives the same fact."""
    values = {
        "id": fact.source_id or fact.id,
        "scope": fact.assignment,
        "fact": fact.text,
        "topic": fact.topic,
        "date": fact.created,
        "source": fact.source,
        "author": fact.author,
        "status": fact.status,
        "supersedes": fact.supersedes,
        "superseded_by": fact.superseded_by,
        "review_after": fact.review_after,
        "expires": fact.expires,
        "retracted": fact.retracted,
        "reason": fact.reason,
    }
    return json.dumps({key: value for key, value in values.items() if value}, ensure_ascii=False)


def _object(line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        message = f"it is not JSON ({error}); {_LOOKS_LIKE}"
        raise UsageError(message) from error
    if not isinstance(value, dict):
        raise UsageError(f"it is not an object; {_LOOKS_LIKE}")
    if not any(isinstance(value.get("fact"), kind) and value["fact"] for kind in (str, list)):
        raise UsageError(f"{_lacking(value)}; {_LOOKS_LIKE}")
    return value


def _refuse_other_scope(value: Mapping[str, Any], others: Iterable[str]) -> None:
    """Refuse a line whose scope has another name: its fact would be told to another assignment."""
    if "scope" in value:
        return
    for key in others:
        if key.lower() == "assignment" or nearest(key, _KEYS) == "scope":
            message = f"{safe_name(key)}: no key of a fact; is it the scope?"
            raise UsageError(message)


def _lacking(value: Mapping[str, Any]) -> str:
    """What a line says instead of a fact."""
    if "fact" not in value:
        near = nearest("fact", value)
        meant = f" (is {near!r} the fact?)" if near else ""
        keys = ", ".join(map(repr, list(value)[:_SHOWN_KEYS])) or "no key"
        return f"fact: missing; the line has {keys}{meant}"
    shown = json.dumps(value["fact"], ensure_ascii=False)[:_SHOWN_CHARACTERS]
    return f"fact: {shown}; it must be a text"


def _fact(value: Mapping[str, Any], assignment: str | None, now: str, status: Status) -> Fact:
    scope = _text(value, "scope") or assignment
    if not scope:
        message = f"scope: missing; name the assignment of this fact; {_LOOKS_LIKE}"
        raise UsageError(message)
    name = assignment_name(scope, "scope")
    text = fact_text(_text(value, "fact"))
    own_id = one_line(_text(value, "id"), "id", _MAX_ID_CHARACTERS)
    said = _text(value, "status")
    if said and said not in STATUSES:
        message = f"status: {said!r}; it must be one of {', '.join(STATUSES)}"
        raise UsageError(message)
    return Fact(
        assignment=name,
        text=text,
        topic=one_line(_text(value, "topic"), "topic", MAX_TOPIC_CHARACTERS),
        status="retracted" if said == "retracted" else status,
        created=_date(_text(value, "date"), now),
        author=one_line(_text(value, "author"), "author", _MAX_SOURCE_CHARACTERS),
        source=one_line(_text(value, "source"), "source", _MAX_SOURCE_CHARACTERS),
        source_id="" if own_id == fact_id(name, text) else own_id,
        supersedes=_id(value, "supersedes"),
        superseded_by=_id(value, "superseded_by"),
        review_after=day(_text(value, "review_after"), "review_after"),
        expires=day(_text(value, "expires"), "expires"),
        retracted=_text(value, "retracted")[:20],
        reason=one_line(_text(value, "reason"), "reason", MAX_REASON_CHARACTERS),
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    """A text, or several joined by commas; empty where there is none."""
    found = value.get(key)
    if found is None:
        return ""
    if isinstance(found, list) and all(isinstance(item, str) for item in found):
        return ", ".join(found)
    if not isinstance(found, str):
        message = f"{key}: {found!r} must be a text"
        raise UsageError(message)
    return found


def _id(value: Mapping[str, Any], key: str) -> str:
    given = _text(value, key)
    return parse_fact_id(given, key) if given else ""


def _date(written: str, now: str) -> str:
    """The first day that a text names, as ISO 8601; `now` where it names none."""
    if written[:10] and written[4:5] == "-" and written[10:11] == "T":
        return written[:20]
    return next((found.value for found in found_dates(written)), now)
