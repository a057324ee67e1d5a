"""Gotchas at the moment they matter: which entries a tool call is about."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from pit_memory.core.memory_entries import MemoryEntry, entry_text
from pit_memory.core.records import NamedTuple
from pit_memory.core.trigger_patterns import needed_text


class Trigger(NamedTuple):
    """An entry as a hook needs it: ready to be matched and shown."""

    slug: str
    tool: str
    """As `MemoryEntry.trigger_tool`."""
    pattern: str
    """As `MemoryEntry.trigger_pattern`."""
    needed: str
    """A text without it can't match; empty where that is not known."""
    repeat: bool
    text: str
    """What is shown."""


def triggers_of(entries: Iterable[MemoryEntry]) -> tuple[Trigger, ...]:
    """Make the triggers of those entries that have one."""
    return tuple(
        Trigger(
            slug=entry.slug,
            tool=entry.trigger_tool,
            pattern=entry.trigger_pattern,
            needed=needed_text(entry.trigger_pattern),
            repeat=entry.repeat,
            text=entry_text(entry),
        )
        for entry in entries
        if entry.has_trigger
    )


def tool_names(triggers: Iterable[Trigger]) -> tuple[str, ...]:
    """Name the tools that triggers are about, each once, sorted; `*` stands for any characters."""
    return tuple(sorted({name for trigger in triggers for name in trigger.tool.split("|")}))


def dump(triggers: Iterable[Trigger]) -> str:
    """Write triggers as one line of text."""
    return json.dumps([list(trigger) for trigger in triggers])


def load(text: str) -> tuple[Trigger, ...]:
    """Read what `dump` wrote. Raises ValueError or TypeError where it is something else."""
    return tuple(Trigger(*row) for row in json.loads(text))


def matching(triggers: Iterable[Trigger], tool: str, texts: Sequence[str]) -> Iterator[Trigger]:
    """Find the triggers that a call is about, one after the other: a pattern may take long.

    Args:
        triggers: to try, in order.
        tool: of the call.
        texts: what the call is given: command, path, content, ...
    """
    for trigger in triggers:
        if not _names(trigger.tool, tool):
            continue
        holding = [text for text in texts if trigger.needed in text]
        if not trigger.pattern or (holding and _matches(trigger.pattern, holding)):
            yield trigger


def _names(tools: str, tool: str) -> bool:
    for name in tools.split("|"):
        if name == tool:
            return True
        if "*" in name and re.fullmatch(re.escape(name).replace(r"\*", ".*"), tool):
            return True
    return False


def _matches(pattern: str, texts: Iterable[str]) -> bool:
    """Tell whether a pattern is in one of the texts; `^` and `$` also mean the ends of a line."""
    compiled = re.compile(pattern, re.MULTILINE)
    return any(compiled.search(text) for text in texts)
