"""New incident records: what they must say, what their file is called, and its text."""

from collections.abc import Mapping
from datetime import date

from pit_memory.core.front_matter.writing import front_matter_lines
from pit_memory.core.text.slugs import slug_of
from pit_memory.core.writing.writings import Writing
from pit_memory.errors import UsageError

RECORD_FIELDS = (
    "date",
    "until",
    "services",
    "severity",
    "status",
    "symptom",
    "cause",
    "resolution",
    "duration",
    "links",
    "tags",
)
"""Front matter of a record, in its order."""
STORY = ("symptom", "cause", "resolution")
_LISTS = ("services", "links", "tags")
_DAY = len("2024-05-17")
_MONTH = len("2024-05")


def render_incident(writing: Writing, _: str) -> str:
    """The text of a record: front matter, the title as heading unless there is one, the text."""
    fields = _normal(writing.fields)
    known = {key: fields[key] for key in RECORD_FIELDS if fields.get(key) not in (None, "", [])}
    day = {"date": _day_of(writing)} if _day_of(writing) else {}
    head: dict[str, object] = {"title": writing.title, **day, **known}
    head |= {key: value for key, value in fields.items() if key not in head and value != ""}
    if writing.author:
        head.setdefault("author", writing.author)
    lines = [*front_matter_lines(head), ""]
    if not writing.body.startswith("# "):
        lines += [f"# {writing.title}", ""]
    return "\n".join([*lines, writing.body, ""])


def incident_id(writing: Writing) -> str:
    """The name of a record: its day, if any, then its title; empty where that has no letter."""
    slug = slug_of(writing.title)
    return "-".join(filter(None, (_day_of(writing)[:_DAY], slug))) if slug else ""


def check_incident(writing: Writing) -> None:
    """Refuse what no record can hold.

    Raises:
        UsageError: its date is no ISO date or month; names the value.
    """
    for key in ("date", "until"):
        said = str(writing.fields.get(key) or "")
        if not said:
            continue
        try:
            date.fromisoformat(f"{said}-01" if len(said) == _MONTH else said[:_DAY])
        except ValueError as error:
            message = f"{key}: {said!r} is no date; write it as 2024-05-17 or 2024-05"
            raise UsageError(message) from error


def story_text(fields: Mapping[str, object]) -> str:
    """What happened as the sections of a record, from its fields; empty where they tell nothing."""
    told = ((name, str(fields.get(name) or "").strip()) for name in STORY)
    return "\n\n".join(f"## {name.capitalize()}\n\n{text}" for name, text in told if text)


def _day_of(writing: Writing) -> str:
    """Its date, else the day it is written down; empty where neither is known."""
    return str(writing.fields.get("date") or writing.created)


def _normal(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields with lists where lists belong, and texts on one line."""
    normal: dict[str, object] = {}
    for key, value in fields.items():
        if key in _LISTS and isinstance(value, str):
            normal[key] = [part.strip() for part in value.split(",") if part.strip()]
        elif isinstance(value, str):
            normal[key] = " ".join(value.split())
        elif value is not None:
            normal[key] = list(value) if isinstance(value, tuple) else value
    normal.pop("title", None)
    return normal
