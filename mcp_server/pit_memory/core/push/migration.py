"""From the client's own notes to push memory and drafts, and the new home of every line.

A note keeps its text as it is: only lines are added, in its front matter and for a title. So the
proof that nothing is lost is a comparison of lines.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pit_memory.core.front_matter.scalars import Scalars, quote_scalar, read_scalars
from pit_memory.core.push.memory_entries import FILE_PREFIXES, HOST_TYPES, PREAMBLE
from pit_memory.core.text.slugs import slug_of

Home = Literal["project", "person", "drafts"]

_HOMES: Mapping[str, Home] = {"gotcha": "project", "rule": "project", "preference": "person"}
_DRAFT_PREFIXES = ("reference", "project")
"""What the client calls notes that somebody would look up."""
_NOTES = "memory-notes"
"""Slug of the draft that takes the lines of the client's index that stand nowhere else."""
_POINTER = re.compile(r"\s*[-*+]\s*\[(?P<title>[^\]]*)\]\((?P<file>[^)\s]+)\)(?P<rest>.*)")
_LINK = re.compile(r"\]\([^)\s]*\)")
_H1 = re.compile(r"#\s+\S")


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be made."""

    source: str
    """Name of the note it comes from."""
    home: Home
    name: str
    text: str
    lines: Mapping[int, int]
    """Line of the note to line of this file, both 1-based, for every line that was copied."""


@dataclass(frozen=True, slots=True)
class SaidThere:
    """A line of the client's index whose every word stands in a new file already."""

    line: int
    file: NewFile


@dataclass(frozen=True, slots=True)
class Migration:
    """What becomes of a folder of notes."""

    files: tuple[NewFile, ...]
    said_there: tuple[SaidThere, ...]
    """Lines of `MEMORY.md` that only point at a note."""


def plan_migration(notes: Mapping[str, str]) -> Migration:
    """Sort notes by their type and give every line a home.

    Args:
        notes: name to text (LF) of each, `MEMORY.md` among them.
    """
    files: list[NewFile] = []
    for name in sorted(notes):
        if name != PREAMBLE:
            files.append(_new_file(name, notes[name].split("\n"), files))
    index = notes.get(PREAMBLE, "").split("\n")
    said = tuple(_said_there(index, {file.source: file for file in files}))
    elsewhere = {each.line for each in said}
    rest = [at for at, line in enumerate(index, 1) if line.strip() and at not in elsewhere]
    if rest:
        files.append(_notes_draft(index, rest, files))
    return Migration(tuple(files), said)


def homeless_lines(notes: Mapping[str, str], migration: Migration) -> Iterator[tuple[str, int]]:
    """Compare every line of the notes with what became of it; yields those that are lost."""
    copied = {(file.source, line): file for file in migration.files for line in file.lines}
    said = {each.line: each.file for each in migration.said_there}
    for name, text in notes.items():
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            file = copied.get((name, number))
            if file is not None:
                is_there = file.text.split("\n")[file.lines[number] - 1] == line
            else:
                pointed_at = said.get(number) if name == PREAMBLE else None
                is_there = pointed_at is not None and _says(pointed_at.text, line)
            if not is_there:
                yield name, number


def _new_file(name: str, lines: list[str], others: Sequence[NewFile]) -> NewFile:
    front = read_scalars(lines)
    prefix, _, rest = name.removesuffix(".md").partition("_")
    named = prefix if rest and prefix in (*FILE_PREFIXES, *_DRAFT_PREFIXES) else ""
    said = front.values.get("metadata.type") or front.values.get("type") or named
    kind = front.values.get("metadata.kind") or FILE_PREFIXES.get(said, "")
    slug = slug_of(rest if named else name.removesuffix(".md")) or "note"
    if kind in HOST_TYPES:
        file = f"{kind}_{_free(slug, _HOMES[kind], others, f'{kind}_')}.md"
        made = _entry_lines(lines, front, kind, slug)
        return _file(name, _HOMES[kind], file, made)
    file = f"{_free(slug, 'drafts', others)}.md"
    return _file(name, "drafts", file, _draft_lines(lines, front, slug))


_Line = tuple[str, int]
"""A line of a new file and the line of the note it is; 0 for one that was added."""


def _file(source: str, home: Home, name: str, lines: Sequence[_Line]) -> NewFile:
    homes = {old: new for new, (_, old) in enumerate(lines, 1) if old}
    text = "\n".join(line for line, _ in lines).rstrip("\n") + "\n"
    last = text.count("\n")
    return NewFile(source, home, name, text, {o: n for o, n in homes.items() if n <= last})


def _entry_lines(lines: list[str], front: Scalars, kind: str, slug: str) -> list[_Line]:
    ours = [] if "metadata.kind" in front.values else [f"  kind: {kind}"]
    if "metadata.type" not in front.values:
        ours.insert(0, f"  type: {HOST_TYPES[kind]}")
    own = [(line, number) for number, line in enumerate(lines, 1)]
    if front.body_line == 1:
        head = ["---", f"name: {slug}", "metadata:", *ours, "---", ""]
        return [*((line, 0) for line in head), *own]
    if "metadata:" in (block := lines[: front.body_line - 1]):
        at = block.index("metadata:") + 1
        indent = len(lines[at]) - len(lines[at].lstrip(" ")) or 2
        added = [" " * indent + line.lstrip() for line in ours]
    elif "metadata" in front.values:  # on one line: the file's name says the kind
        return own
    else:
        at, added = front.body_line - 2, ["metadata:", *ours]
    return [*own[:at], *((line, 0) for line in added), *own[at:]]


def _draft_lines(lines: list[str], front: Scalars, slug: str) -> list[_Line]:
    title = front.values.get("title") or _title(front.values.get("name") or slug)
    added = [f"title: {quote_scalar(title)}"] if "title" not in front.values else []
    added += ["draft: true"] if front.values.get("draft") != "true" else []
    own = [(line, number) for number, line in enumerate(lines, 1)]
    body = own[front.body_line - 1 :]
    if not any(_H1.match(line) for line, _ in body):
        body = [("", 0), (f"# {title}", 0), *([] if body and not body[0][0] else [("", 0)]), *body]
    if front.body_line == 1:
        head = [("---", 0), *((line, 0) for line in added), ("---", 0), ("", 0)]
        return [*head, *(body[1:] if body[:1] == [("", 0)] else body)]
    return [own[0], *((line, 0) for line in added), *own[1 : front.body_line - 1], *body]


def _notes_draft(index: Sequence[str], rest: Sequence[int], others: Sequence[NewFile]) -> NewFile:
    head = ["---", "title: Notes on this project", "draft: true", "---", ""]
    head += ["# Notes on this project", ""]
    lines = [*((line, 0) for line in head), *((index[number - 1], number) for number in rest)]
    return _file(PREAMBLE, "drafts", f"{_free(_NOTES, 'drafts', others)}.md", lines)


def _said_there(index: Sequence[str], files: Mapping[str, NewFile]) -> Iterator[SaidThere]:
    for number, line in enumerate(index, 1):
        pointer = _POINTER.fullmatch(line)
        file = files.get(pointer["file"].removeprefix("./")) if pointer else None
        if file and _says(file.text, line):
            yield SaidThere(number, file)


def _says(text: str, line: str) -> bool:
    """Whether every word of a line, but for a link's target, stands in a text."""
    return _words(_LINK.sub("]", line)) <= _words(text)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def _title(name: str) -> str:
    words = " ".join(re.split(r"[\s_-]+", name.strip()))
    return words[:1].upper() + words[1:]


def _free(slug: str, home: Home, others: Sequence[NewFile], prefix: str = "") -> str:
    """The slug, with a number where another new file has it."""
    taken = {file.name for file in others if file.home == home}
    number, free = 1, slug
    while f"{prefix}{free}.md" in taken:
        number += 1
        free = f"{slug}-{number}"
    return free
