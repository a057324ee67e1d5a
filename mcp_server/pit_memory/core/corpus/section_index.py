"""The section index: a small JSON file, checked in, that leads to one section of a corpus file.

`{path: {heading: {"summary", "anchor"}}}` for headings of level 2 and 3. It holds nothing that the
files do not say (no time, no version), so the same files give the same bytes everywhere.
"""

import json
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pit_memory.core.corpus.section_entries import (
    Entry,
    FileEntries,
    SectionIndex,
    file_entries,
    serialise,
)
from pit_memory.core.documents.documents import Problem
from pit_memory.core.text.decoding import decode
from pit_memory.core.text.identity import content_hash
from pit_memory.core.text.plurals import counted
from pit_memory.core.tokens import estimate

LARGE_FILE_TOKENS = 20_000
"""An index file above this is too dear to be read whole; each plugin can have one of its own."""
SHOWN_DRIFTS = 5
"""Lines of a short diff; a repair rewrites everything anyway."""

_CONFLICT_MARKS = ("<<<<<<< ", ">>>>>>> ")


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """What an index file holds, as far as it can be read."""

    index: SectionIndex
    problem: str
    """Why nothing of it can be read; else empty."""


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference between the files and the index."""

    kind: Literal["added", "removed", "changed", "format"]
    """`added`: in the files only; `removed`: in the index only; `format`: the same entries in other
    bytes, or an index file that can't be read.
    """
    path: str
    """File of the corpus; empty where the index file itself is meant."""
    heading: str
    """Empty where a whole file is meant."""
    detail: str


EntriesByContent = MutableMapping[str, FileEntries]
"""Content hash of a file to its entries: what was parsed once need not be parsed again."""


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """An index made from files."""

    index: SectionIndex
    problems: tuple[Problem, ...]
    """Files whose bytes are no clean text; they are indexed as far as they can be read."""


def build(files: Mapping[str, bytes], known: EntriesByContent | None = None) -> BuiltIndex:
    """Make the index of a corpus.

    Args:
        files: content by path relative to the corpus.
        known: entries of contents; what is missing is parsed and added.
    """
    known = {} if known is None else known
    index: dict[str, FileEntries] = {}
    problems: list[Problem] = []
    for path in sorted(files):
        if any("\ud800" <= char <= "\udfff" for char in path):
            message = "not indexed: its name is not UTF-8; rename it"
            problems.append(Problem(ascii(path)[1:-1], 0, "name", message))
            continue
        decoded = decode(files[path])
        identity = content_hash(files[path])
        if identity not in known:
            known[identity] = file_entries(decoded.text)
        index[path] = known[identity]
        if decoded.problem:
            problems.append(Problem(path, 0, "encoding", decoded.problem))
    return BuiltIndex(index, tuple(problems))


def with_file(index: SectionIndex, path: str, entries: FileEntries | None) -> SectionIndex:
    """Replace the entries of one file; None takes the file out."""
    changed = dict(index)
    changed.pop(path, None)
    if entries is not None:
        changed[path] = entries
    return {known: changed[known] for known in sorted(changed)}


def parse_index(data: bytes) -> StoredIndex:
    """Read an index file; what is not an entry in it is left out."""
    text = data.decode(errors="replace")
    if any(f"\n{mark}" in f"\n{text}" for mark in _CONFLICT_MARKS):
        return StoredIndex({}, "holds conflict markers of a merge")
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        return StoredIndex({}, f"is not JSON ({error})")
    if not isinstance(plain, dict):
        return StoredIndex({}, "is not a JSON object")
    index = {path: _entries(value) for path, value in plain.items() if isinstance(value, dict)}
    return StoredIndex(index, "")


def is_foreign(data: bytes) -> bool:
    """Tell whether a file is something else than a section index, and so not ours to rewrite.

    A damaged index is one still: cut off, or with the conflict markers of a merge.
    """
    if not data.strip() or (b'"summary"' in data and b'"anchor"' in data):
        return False
    if any(b"\n" + mark.encode() in b"\n" + data for mark in _CONFLICT_MARKS):
        return False
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        return True
    if not isinstance(plain, dict):
        return True
    files_without_sections = (path for path, entries in plain.items() if entries == {})
    return bool(plain) and not any("." in path for path in files_without_sections)


def drifts_from(fresh: SectionIndex, stored: bytes) -> tuple[Drift, ...]:
    """Tell how an index file differs from what the files say; nothing where it is fresh."""
    # Git may check the file out with CRLF; its content is the same.
    if serialise(fresh) == stored.replace(b"\r\n", b"\n"):
        return ()
    return _compare(fresh, parse_index(stored))


def _compare(fresh: SectionIndex, stored: StoredIndex) -> tuple[Drift, ...]:
    if stored.problem:
        return (Drift("format", "", "", stored.problem),)
    found = [
        drift for path in sorted({*fresh, *stored.index}) for drift in _file(path, fresh, stored)
    ]
    if not found and list(fresh) != list(stored.index):
        found.append(Drift("format", "", "", "lists its files in another order"))
    if not found:
        found.append(Drift("format", "", "", "was edited by hand or written by another tool"))
    return tuple(found)


def short_diff(drifts: Sequence[Drift], index_path: str) -> tuple[str, ...]:
    """Say in a few lines what is stale: `+` is missing in the index, `-` is gone from the files."""
    lines = [_line(drift, index_path) for drift in drifts[:SHOWN_DRIFTS]]
    if len(drifts) > SHOWN_DRIFTS:
        lines.append(f"  ... and {len(drifts) - SHOWN_DRIFTS} more")
    return tuple(lines)


def is_large(data: bytes) -> bool:
    """Tell whether an index file is too dear to be read whole."""
    # A token is never shorter than a byte, so most files need no count.
    return len(data) > LARGE_FILE_TOKENS and estimate(data.decode()) > LARGE_FILE_TOKENS


def _entries(value: dict[str, object]) -> FileEntries:
    return {
        heading: Entry(str(entry["summary"]), str(entry["anchor"]))
        for heading, entry in value.items()
        if isinstance(entry, dict) and "summary" in entry and "anchor" in entry
    }


def _file(path: str, fresh: SectionIndex, stored: StoredIndex) -> Iterator[Drift]:
    ours, theirs = fresh.get(path), stored.index.get(path)
    if theirs is None:
        yield Drift("added", path, "", _count(ours or {}))
    elif ours is None:
        yield Drift("removed", path, "", _count(theirs))
    elif list(ours.items()) != list(theirs.items()):
        yield from _sections(path, ours, theirs)


def _sections(path: str, ours: FileEntries, theirs: FileEntries) -> Iterator[Drift]:
    changed = False
    for heading in [*ours, *(heading for heading in theirs if heading not in ours)]:
        new, old = ours.get(heading), theirs.get(heading)
        if new == old:
            continue
        changed = True
        if old is None:
            yield Drift("added", path, heading, "")
        elif new is None:
            yield Drift("removed", path, heading, "")
        elif new.anchor != old.anchor:
            yield Drift("changed", path, heading, f"anchor {old.anchor} is now {new.anchor}")
        else:
            yield Drift("changed", path, heading, "its first sentence changed")
    if not changed:
        yield Drift("changed", path, "", "its sections stand in another order")


def _count(entries: FileEntries) -> str:
    return counted(len(entries), "section")


def _line(drift: Drift, index_path: str) -> str:
    sign = {"added": "+", "removed": "-", "changed": "~", "format": "!"}[drift.kind]
    place = " > ".join(filter(None, (drift.path or index_path, drift.heading)))
    return f"  {sign} {place}" + (f": {drift.detail}" if drift.detail else "")
