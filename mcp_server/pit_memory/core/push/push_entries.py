"""Push memory from what somebody writes down: its entry, checked."""

from collections.abc import Iterator, Mapping

from pit_memory.core.push.memory_entries import OUR_KEYS, MemoryEntry, render_entry
from pit_memory.core.push.trigger_patterns import tools_of, why_trigger_refused
from pit_memory.core.writing.writings import Writing
from pit_memory.errors import UsageError

_HOST_KEYS = ("name", "title", "description", "metadata")
_HOST_METADATA = ("type", *OUR_KEYS)


def check_entry(writing: Writing) -> None:
    """Refuse what an entry can't hold.

    Raises:
        UsageError: a trigger that can't be used, or front matter that would be lost.
    """
    for wrong in _unknown(writing.fields):
        known = ", ".join(("title", "description", *OUR_KEYS[1:]))
        message = f"front matter: {wrong} has no place in a {writing.kind}; there are {known}"
        raise UsageError(message)
    said = _said(writing)
    if refused := why_trigger_refused(said["trigger_tool"], said["trigger_pattern"]):
        raise UsageError(refused)


def render_push_entry(writing: Writing, slug: str) -> str:
    """The text of an entry's file; the description says in one line what the text is about."""
    said = _said(writing)
    tool, pattern = said["trigger_tool"], said["trigger_pattern"]
    entry = MemoryEntry(
        kind=writing.kind,
        slug=slug,
        description=str(writing.fields.get("description") or writing.title),
        body=writing.body,
        trigger_tool=tools_of(tool, pattern),
        trigger_pattern=pattern,
        repeat=said["repeat"].lower() == "true",
    )
    return render_entry(entry)


def _said(writing: Writing) -> dict[str, str]:
    """Our keys: given by themselves, or below `metadata` as in the host's own files."""
    below = writing.fields.get("metadata")
    metadata: Mapping[str, object] = below if isinstance(below, dict) else {}
    return {key: str(writing.fields.get(key) or metadata.get(key) or "") for key in OUR_KEYS}


def _unknown(fields: Mapping[str, object]) -> Iterator[str]:
    yield from (key for key in fields if key not in (*_HOST_KEYS, *OUR_KEYS))
    metadata = fields.get("metadata")
    if isinstance(metadata, dict):
        yield from (f"metadata.{key}" for key in metadata if key not in _HOST_METADATA)
