"""A page added to the explicit `nav` of a MkDocs configuration, as text: every other line stays.

Whether the result means what it should is told by reading both texts again.
"""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pit_memory.core.front_matter.scalars import quote_scalar

_ITEM = re.compile(
    r"(?P<indent> *)- +(?:(?P<title>(?:\"[^\"]*\"|'[^']*'|[^\"'&*!\[{#:][^:#]*?)): +)?"
    r"(?P<path>\"[^\"]*\"|'[^']*'|[^\s\"'&*!\[{#:]\S*?)[ \t]*(?:#.*)?"
)
_TOP_KEY = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class NavEntry:
    """What a page is listed by."""

    title: str
    path: str
    """Relative to the folder of the site's documents."""

    @property
    def line(self) -> str:
        """It as a line of `nav`, without indentation."""
        return f"- {quote_scalar(self.title)}: {quote_scalar(self.path)}"


def with_nav_entry(text: str, entry: NavEntry) -> str | None:
    """The configuration with one more line in its `nav`; None where there is no safe place.

    Below the last page of the same folder, else of the nearest folder above, else at the end.

    Args:
        text: of mkdocs.yml, LF line ends.
        entry: what to add.
    """
    lines = text.split("\n")
    start = next(
        (at for at, line in enumerate(lines) if re.fullmatch(r"nav:[ \t]*(?:#.*)?", line)), None
    )
    if start is None:
        return None
    end = _end_of_block(lines, start)
    at = _place(lines, start, end, entry)
    if at is None:
        return None
    place, indent = at
    return "\n".join([*lines[:place], f"{indent}{entry.line}", *lines[place:]])


def _end_of_block(lines: Sequence[str], start: int) -> int:
    """Index behind the last line of a block; comments below it belong to what follows."""
    last = start
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if _TOP_KEY.match(line) and not line.startswith("-"):
            break
        last = at
    return last + 1


def _place(lines: Sequence[str], start: int, end: int, entry: NavEntry) -> tuple[int, str] | None:
    items = [
        (at, found)
        for at in range(start + 1, end)
        if (found := _ITEM.fullmatch(lines[at]))
        and found["path"].strip("\"'").endswith((".md", "/"))
    ]
    folder = posixpath.dirname(entry.path)
    while folder:
        beside = [
            (at, found)
            for at, found in items
            if posixpath.dirname(found["path"].strip("\"'")) == folder
        ]
        if beside:
            at, found = beside[-1]
            return at + 1, found["indent"]
        folder = posixpath.dirname(folder)
    first = next((at for at in range(start + 1, end) if lines[at].lstrip().startswith("- ")), None)
    if first is None:
        return None
    return end, lines[first][: len(lines[first]) - len(lines[first].lstrip())]
