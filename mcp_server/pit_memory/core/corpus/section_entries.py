"""The entries of the section index, and the bytes of its file; what the edit hook needs of it."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from pit_memory.core.records import NamedTuple

INDEXED_LEVELS = (2, 3)

_quoted = json.JSONEncoder(ensure_ascii=False).encode
_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\bfnrt]|u00[01][0-9a-f])[^"\\\x00-\x1f]*+)*+"'
_ENTRY = rf'    {_STRING}: \{{\n      "summary": {_STRING},\n      "anchor": {_STRING}\n    \}}'
_FILE = rf"  {_STRING}: \{{(?:\}}|\n{_ENTRY}(?:,\n{_ENTRY})*+\n  \}})"
_INDEX = rf"\{{\n{_FILE}(?:,\n{_FILE})*+\n\}}\n".encode()
"""The bytes of an index as `serialise` writes them."""
_OPENING, _BETWEEN_FILES, _CLOSING = b'{\n  "', b',\n  "', b"\n}\n"
"""Around the files of an index; what is inside a file stands further to the right."""


class Entry(NamedTuple):
    """One section in the index."""

    summary: str
    anchor: str


FileEntries = Mapping[str, Entry]
"""Heading to entry, in the order of the file; a repeated heading is `Heading (2)`."""
SectionIndex = Mapping[str, FileEntries]
"""Path, relative to the corpus, to the file's entries; in code-point order of the paths."""


def file_entries(text: str) -> FileEntries:
    """Make the entries of one file.

    Args:
        text: LF line ends (`core.text.decoding.decode`).
    """
    # Here, because nothing else needs the parser, and often all entries are known.
    from pit_memory.core.corpus.summaries import summarise
    from pit_memory.core.documents.outline import outline

    outlined = outline(text)
    pairs = [
        (section, summary)
        for section, summary in zip(outlined.sections, summarise(outlined), strict=True)
        if section.level in INDEXED_LEVELS
    ]
    names = _distinct([section.heading for section, _ in pairs])
    return {
        name: Entry(summary, section.anchor)
        for name, (section, summary) in zip(names, pairs, strict=True)
    }


def serialise(index: SectionIndex) -> bytes:
    """Write an index as the bytes of its file: UTF-8, two spaces, LF, a final newline."""
    # As json.dumps(..., ensure_ascii=False, indent=2), whose indentation is ten times slower.
    files = (_file_text(path, entries) for path, entries in index.items())
    return (_braced(files, "") + "\n").encode()


def lists_file(stored: bytes, path: str) -> bool:
    """Tell whether the bytes of an index, as `serialise` writes them, list a file."""
    return f"\n  {_quoted(path)}: {{".encode("utf-8", "surrogatepass") in stored


def replaced(stored: bytes, path: str, entries: FileEntries | None) -> bytes | None:
    """Replace the entries of one file in the bytes of an index, without reading the others.

    Args:
        stored: the index file.
        path: the file, as the index has it.
        entries: the new ones; None takes the file out.

    Returns:
        What `serialise` would write; None where the bytes are not such as it writes, or a path is
        not plain: then the index must be read.
    """
    try:
        name = path.encode()
        stored.decode()
    except UnicodeError:
        return None
    if _quoted(path) != f'"{path}"' or not re.fullmatch(_INDEX, stored):
        return None
    files = stored.removeprefix(_OPENING).removesuffix(_CLOSING).split(_BETWEEN_FILES)
    names = [file.partition(b'": {')[0] for file in files]
    # The order of UTF-8 is that of code points.
    if any(b"\\" in known for known in names) or names != sorted(set(names)):
        return None
    place = bisect_left(names, name)
    end = place + (names[place : place + 1] == [name])
    made = [] if entries is None else [_file_text(path, entries).encode().removeprefix(b'  "')]
    files[place:end] = made
    return _OPENING + _BETWEEN_FILES.join(files) + _CLOSING if files else serialise({})


def _file_text(path: str, entries: FileEntries) -> str:
    return f"  {_quoted(path)}: " + _braced(map(_entry_text, entries.items()), "  ")


def _braced(members: Iterable[str], indent: str) -> str:
    inside = ",\n".join(members)
    return f"{{\n{inside}\n{indent}}}" if inside else "{}"


def _entry_text(item: tuple[str, Entry]) -> str:
    heading, entry = item
    return (
        f"    {_quoted(heading)}: {{\n"
        f'      "summary": {_quoted(entry.summary)},\n'
        f'      "anchor": {_quoted(entry.anchor)}\n'
        "    }"
    )


def _distinct(headings: Sequence[str]) -> list[str]:
    """Name repeated headings `Heading (2)`, and so on, by the next number that no heading bears."""
    taken = set(headings)
    seen: set[str] = set()
    names: list[str] = []
    for heading in headings:
        name, number = heading, 1
        while name in seen or (number > 1 and name in taken):
            number += 1
            name = f"{heading} ({number})"
        seen.add(name)
        names.append(name)
    return names
