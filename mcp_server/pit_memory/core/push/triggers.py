"""Gotchas at the moment they matter: which triggers a tool call is about.

Light, because a hook asks it before every call of a tool that some trigger names.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from pit_memory.core.records import NamedTuple


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


def tool_names(triggers: Iterable[Trigger]) -> tuple[str, ...]:
    """Name the tools that triggers are about, each once, sorted; `*` stands for any characters."""
    return tuple(sorted({name for trigger in triggers for name in trigger.tool.split("|")}))


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
