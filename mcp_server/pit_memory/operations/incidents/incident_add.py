"""What a person says of an incident, made into one thing to write."""

import json
from collections.abc import Mapping
from itertools import chain

from pit_memory.core.incidents.incident_fields import FIELD_NAMES, field_key, normalised_fields
from pit_memory.core.incidents.incident_writing import STORY, story_text
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.errors import UsageError

_BODY = ("body", "content", "text", "details")


def write_request(text: str, given: Mapping[str, object], force: bool) -> WriteRequest:
    """A record from standard input and flags; what a flag says counts.

    Args:
        text: JSON with the names of the flags, or markdown; empty where there is none.
        given: values of the flags that were used.
        force: write it though something near it is there.

    Raises:
        UsageError: the JSON is broken, or nothing says what happened.
    """
    fields: dict[str, object] = {}
    body = text
    if text.lstrip().startswith("{"):
        fields = _from_json(text)
        body = next((str(fields.pop(key)) for key in _BODY if fields.get(key)), "")
    fields |= given
    title = str(fields.pop("title", "") or "")
    content = body.strip() or story_text(fields)
    if not content:
        message = (
            f"content: nothing says what happened; give {', '.join(f'--{it}' for it in STORY)}, or "
            "the record with --stdin"
        )
        raise UsageError(message)
    if not title and not body.strip():
        title = str(fields.get("symptom") or fields.get("cause") or "")[:80]
    return WriteRequest(content=content, kind="incident", title=title, fields=fields, force=force)


def unread_names(text: str) -> dict[str, int]:
    """The keys of a record in JSON that no field takes, each once."""
    if not text.lstrip().startswith("{"):
        return {}
    known = {*chain(*FIELD_NAMES.values()), "title", "tags", *_BODY}
    return {str(key): 1 for key in json.loads(text) if field_key(str(key)) not in known}


def _from_json(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        message = f"standard input is not JSON ({error}); give one object, or markdown"
        raise UsageError(message) from error
    record = {str(key): it for key, it in value.items()}
    kept = {key: record[key] for key in ("title", "tags", *_BODY) if record.get(key)}
    return {**normalised_fields(record), **kept}
