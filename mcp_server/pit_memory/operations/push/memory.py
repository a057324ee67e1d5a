"""Push memory as its owner sees it: what a session gets, what that costs, what is wrong with it."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.push.memory_entries import EntryProblem, MemoryEntry, entry_text
from pit_memory.core.push.session_block import Part
from pit_memory.core.push.trigger_patterns import needed_text
from pit_memory.core.source import Source
from pit_memory.core.tokens import estimate
from pit_memory.errors import NotFoundError, PathError, RefError
from pit_memory.operations.reading.read import BUDGET_BOUNDS, read
from pit_memory.workspace.cpu_limit import CpuLimit, OutOfTimeError
from pit_memory.workspace.files import read_bytes
from pit_memory.workspace.memory_files import MOST_BYTES
from pit_memory.workspace.places import Places
from pit_memory.workspace.push_memory import PushMemory, gather_push_memory

_REFERENCE = re.compile(
    r"""
    (?<![\w/.:@%+~$*<{-])
    (?P<path>(?:[\w.%+~-]+/)*[\w.%+-]+\.(?:md|markdown|mdx))
    (?P<rest>(?:\#[\w%-]+|:L\d+(?:-L\d+)?)?(?:@[0-9a-f]{8})?)
    (?![\w/*>}])
    """,
    re.VERBOSE,
)
_NAMED = 5
"""Entries named in one message."""
_PROBE_LENGTH = 3_000
"""Signs of a text that a pattern is tried on; a line of code is seldom longer."""
_PROBE_SIGNS = "a0 /-"
_PROBE_SECONDS = 0.02
"""Of computing: what all patterns of a call share."""


@dataclass(frozen=True, slots=True)
class MemoryShown:
    """What a session gets."""

    text: str
    """Exactly what the hook prints."""
    subagent: str
    """The same for a subagent."""
    tokens: int
    subagent_tokens: int
    budget: int
    parts: tuple[Part, ...]
    """Every entry with its cost, in the order shown."""


@dataclass(frozen=True, slots=True)
class MemoryLint:
    """What is wrong with the entries of a project and of the person."""

    entries: int
    problems: tuple[EntryProblem, ...]


def show_memory(
    root: Path, where: Places, environ: Mapping[str, str], plugin: Path | None
) -> MemoryShown:
    """Return what a session of a project starts with.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        environ: settings come from it.
        plugin: the plugin's own folder; without it the entries that ship are missing.
    """
    push = gather_push_memory(root, where, environ, plugin)
    session, subagent = push.session(), push.subagent()
    return MemoryShown(
        text=session.text,
        subagent=subagent.text,
        tokens=estimate(session.text),
        subagent_tokens=estimate(subagent.text),
        budget=push.budget,
        parts=session.parts,
    )


def lint_memory(
    root: Path, where: Places, environ: Mapping[str, str], plugin: Path | None
) -> MemoryLint:
    """Find what keeps entries from doing their work. The main thread only: patterns are tried.

    Args:
        root: the project, symlinks resolved.
        where: the folders of this person.
        environ: settings come from it.
        plugin: the plugin's own folder.
    """
    push = gather_push_memory(root, where, environ, plugin)
    entries = push.memory.entries
    own = [entry for entry in entries if not Path(entry.place).is_absolute()]
    problems = [
        *push.memory.problems,
        *_over_budget(push),
        *_said_twice(entries),
        *(problem for entry in own for problem in _dead_refs(root, entry)),
        *(problem for entry in entries for problem in _slow_pattern(entry)),
    ]
    return MemoryLint(
        len(entries), tuple(sorted(problems, key=lambda problem: (problem.place, problem.line)))
    )


def _over_budget(push: PushMemory) -> Iterator[EntryProblem]:
    left_out = [part for part in push.session().parts if not part.is_shown]
    if left_out:
        names = [f"{part.entry.kind} {part.entry.slug}" for part in left_out]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        message = (
            f"push.budget is {push.budget:,} tokens, and {sum(part.tokens for part in left_out):,} "
            f"more are left out: {', '.join(names[:_NAMED])}{more}; shorten entries, or make "
            "references of them"
        )
        home = push.folders.project.relative_to(push.folders.root).as_posix()
        yield EntryProblem(home, 0, "over-budget", message)


def _said_twice(entries: tuple[MemoryEntry, ...]) -> Iterator[EntryProblem]:
    first: dict[str, MemoryEntry] = {}
    for entry in entries:
        words = " ".join(re.findall(r"\w+", entry_text(entry).casefold()))
        other = first.setdefault(words, entry)
        if other is not entry:
            message = f"it says what {other.place} says; keep one of them"
            yield EntryProblem(entry.place, 0, "duplicate", message)


def _dead_refs(root: Path, entry: MemoryEntry) -> Iterator[EntryProblem]:
    """Documents that an entry cites and that are not there."""
    text = read_bytes(root / entry.place, MOST_BYTES).decode("utf-8", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        for found in _REFERENCE.finditer(line):
            path, rest = found["path"], found["rest"]
            if "/" not in path and not rest:
                continue  # the name of a file, not a place
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(entry.place), path))
            why = _why_dead(root, path + rest)
            if why and _why_dead(root, beside + rest):
                yield EntryProblem(entry.place, number, "dead-ref", why)


def _why_dead(root: Path, ref: str) -> str:
    try:
        read(ref, [Source("", str(root))], budget=BUDGET_BOUNDS[0])
    except (NotFoundError, RefError, PathError) as error:
        return str(error)
    return ""


def _slow_pattern(entry: MemoryEntry) -> Iterator[EntryProblem]:
    """Try a pattern on the texts that are hardest for it: one sign again and again."""
    pattern = entry.trigger_pattern
    if not pattern:
        return
    compiled = re.compile(pattern, re.MULTILINE)
    needed = needed_text(pattern)
    signs = dict.fromkeys(_PROBE_SIGNS + needed + "".join(filter(str.isalnum, pattern)))
    try:
        with CpuLimit(_PROBE_SECONDS * len(signs)):
            for sign in signs:
                compiled.search(needed + sign * _PROBE_LENGTH)
    except OutOfTimeError:
        message = (
            f"the pattern {pattern!r} is slow on long texts; use fewer `.*`, begin with a word"
        )
        yield EntryProblem(entry.place, 0, "slow-pattern", message)
