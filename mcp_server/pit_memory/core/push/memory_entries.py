"""Entries of push memory: what is always in context because nobody would search for it.

An entry is one file `<kind>_<slug>.md` in the host's own memory format, with our keys as scalars
beside the host's under `metadata`. Hooks read it: standard library alone.
"""

import re
from collections.abc import Iterable, Mapping

from pit_memory.core.front_matter.scalars import quote_scalar, read_scalars
from pit_memory.core.push.trigger_patterns import needed_text, tools_of, why_trigger_refused
from pit_memory.core.push.triggers import Trigger
from pit_memory.core.records import NamedTuple
from pit_memory.core.text.safe_text import safe_line

HOST_TYPES = {"rule": "feedback", "gotcha": "feedback", "preference": "user"}
"""The kinds of push memory in the order a session shows them, and what the host calls them."""
FILE_PREFIXES = {"feedback": "gotcha", "user": "preference"} | {kind: kind for kind in HOST_TYPES}
"""What stands before the `_` of a file's name, and the kind it means."""
DEFAULT_HOME = "memory"
"""Folder of a project's entries, relative to its root."""
PREAMBLE = "MEMORY.md"
"""People's own words at the top of a memory folder: shown, and never edited by a tool."""
OUR_KEYS = ("kind", "trigger_tool", "trigger_pattern", "repeat")
"""Below `metadata`, beside the host's own."""
NO_PATTERNS: Mapping[str, str] = {}
_SENTENCE_ENDS = ".!?:"
_BLOCK = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]|```|~~~)")
"""A line that can't go on after other words: an item, a table, a fence, ..."""
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"", "false", "no", "off"})


class MemoryEntry(NamedTuple):
    """One rule, gotcha or preference."""

    kind: str
    """A key of `HOST_TYPES`."""
    slug: str
    """Lower case words joined by `-`: what identifies an entry across folders."""
    description: str
    """One line."""
    body: str
    """Markdown, LF, no blank lines around it; empty where the description says it all."""
    trigger_tool: str = ""
    """Tools whose calls it is about, as the host names them, joined by `|`; `*` stands for any
    characters. Empty where it has no trigger."""
    trigger_pattern: str = ""
    """Regular expression searched in each text of the call; empty: every call of the tool."""
    repeat: bool = False
    """Shown at every matching call, not only at the first of a session."""
    place: str = ""
    """Its file, as people are told; empty where it has none yet."""

    @property
    def has_trigger(self) -> bool:
        """Whether it is about certain calls."""
        return bool(self.trigger_tool)


class EntryProblem(NamedTuple):
    """Something wrong in an entry's file, as a value."""

    place: str
    """The file, as people are told."""
    line: int
    """1-based; 0 where the whole file is meant."""
    rule: str
    """Short stable name: `front-matter`, `pattern`, `unreadable`, ..."""
    message: str
    """What is wrong and what to do, one line."""


def kind_and_slug(name: str) -> tuple[str, str] | None:
    """What a file's name says; None where it is no entry's."""
    prefix, underscore, rest = name.partition("_")
    kind = FILE_PREFIXES.get(prefix)
    slug = rest.removesuffix(".md")
    if kind is None or not underscore or slug == rest or not slug:
        return None
    return kind, slug


def parse_entry(
    name: str, text: str, place: str, known: Mapping[str, str] = NO_PATTERNS
) -> tuple[MemoryEntry | None, tuple[EntryProblem, ...]]:
    """Read an entry; what is wrong in it becomes a problem, and what can be understood counts.

    Args:
        name: of the file; it must be an entry's.
        text: of the file, LF.
        place: the file, as people are told.
        known: patterns that need no look, see `workspace.compiled_push.known_patterns`.

    Returns:
        The entry, None where it says nothing; a trigger that can't be used is left out of it.
    """
    kind, slug = kind_and_slug(name) or ("", "")
    lines = text.split("\n")
    front = read_scalars(lines)
    problems = [
        EntryProblem(place, line, "front-matter", message) for line, message in front.problems
    ]

    def report(rule: str, message: str) -> None:
        problems.append(EntryProblem(place, 0, rule, message))

    said = {key: front.values.get(f"metadata.{key}", "") for key in OUR_KEYS}
    for key in front.values:
        if key.startswith("metadata.trig") and key.removeprefix("metadata.") not in OUR_KEYS:
            report("unknown-key", f"{key} is none of ours; there are {', '.join(OUR_KEYS)}")
    if said["kind"] and FILE_PREFIXES.get(said["kind"]) != kind:
        report("kind", f"its kind is {said['kind']!r} and its name says {kind!r}; the name counts")
    if said["repeat"].lower() not in _TRUE | _FALSE:
        report("repeat", f"repeat is {said['repeat']!r}; write true or false")
    tool, pattern = said["trigger_tool"], said["trigger_pattern"]
    if refused := why_trigger_refused(tool, "" if pattern in known else pattern):
        report("trigger", f"{refused}; until then the entry is always shown")
        tool = pattern = ""
    entry = MemoryEntry(
        kind=kind,
        slug=slug,
        description=" ".join(front.values.get("description", "").split()),
        body="\n".join(lines[front.body_line - 1 :]).strip("\n"),
        trigger_tool=tools_of(tool, pattern),
        trigger_pattern=pattern,
        repeat=said["repeat"].lower() in _TRUE,
        place=place,
    )
    if not entry.description and not entry.body.strip():
        report("empty", "it says nothing; write a description or a text below the front matter")
        return None, tuple(problems)
    return entry, tuple(problems)


def render_entry(entry: MemoryEntry) -> str:
    """The text of an entry's file: front matter as the host writes it, then the body."""
    lines = ["---", f"name: {quote_scalar(entry.slug)}"]
    if entry.description:
        lines.append(f"description: {quote_scalar(entry.description)}")
    lines += ["metadata:", f"  type: {HOST_TYPES[entry.kind]}", f"  kind: {entry.kind}"]
    if entry.has_trigger:
        lines.append(f"  trigger_tool: {quote_scalar(entry.trigger_tool)}")
    if entry.trigger_pattern:
        lines.append(f"  trigger_pattern: {quote_scalar(entry.trigger_pattern)}")
    if entry.repeat:
        lines.append("  repeat: true")
    return "\n".join([*lines, "---", *(["", entry.body] if entry.body else []), ""])


def entry_text(entry: MemoryEntry) -> str:
    """What the agent reads of an entry: one item of a list, nothing in it said twice."""
    description = safe_line(entry.description)
    body = [safe_line(line).rstrip() for line in entry.body.split("\n")] if entry.body else []
    if not description or _is_said(description, " ".join(body)):
        lines = body
    elif _is_said(" ".join(body), description):
        lines = [description]
    elif _BLOCK.match(body[0]):
        lines = [description, *body]
    else:
        joint = " " if description[-1] in _SENTENCE_ENDS else ". "
        lines = [description + joint + body[0], *body[1:]]
    return "- " + "\n".join(f"  {line}" if line else "" for line in lines).strip()


def triggers_of(
    entries: Iterable[MemoryEntry], known: Mapping[str, str] = NO_PATTERNS
) -> tuple[Trigger, ...]:
    """Compile those entries that are about certain calls; `known` as in `parse_entry`."""
    return tuple(
        Trigger(
            slug=entry.slug,
            tool=entry.trigger_tool,
            pattern=entry.trigger_pattern,
            needed=_needed_in(entry.trigger_pattern, known),
            repeat=entry.repeat,
            text=entry_text(entry),
        )
        for entry in entries
        if entry.has_trigger
    )


def _needed_in(pattern: str, known: Mapping[str, str]) -> str:
    return known[pattern] if pattern in known else needed_text(pattern)


def _is_said(text: str, by: str) -> bool:
    return _words(text) in _words(by)


def _words(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(_SENTENCE_ENDS)


def merge(*layers: Iterable[MemoryEntry]) -> tuple[MemoryEntry, ...]:
    """Lay folders over each other, the strongest last: of one slug, the last one counts."""
    by_slug = {entry.slug: entry for layer in layers for entry in layer}
    return tuple(by_slug.values())
