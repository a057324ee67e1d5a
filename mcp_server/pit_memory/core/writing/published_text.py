"""A draft's text as it is published: without its flag, and with where it came from.

A page that took a draft in says so, too: a citation of the draft leads there.
"""

import re
from collections.abc import Sequence

from pit_memory.core.front_matter.block import key_line, locate_front_matter
from pit_memory.core.front_matter.scalars import quote_scalar


def published_lines(lines: Sequence[str], moved_from: str) -> list[str]:
    """The lines of a document that is no draft any more.

    Args:
        lines: of the draft, without line ends; its front matter can be read.
        moved_from: its path as a draft.
    """
    block = locate_front_matter(lines)
    if block is None or not block.has_keys:
        return lines_with_origin(lines, moved_from)
    kept = _without(lines[1 : block.line_end - 1], "draft")
    return lines_with_origin([lines[0], *kept, *lines[block.line_end - 1 :]], moved_from)


def lines_with_origin(lines: Sequence[str], moved_from: str) -> list[str]:
    """The lines of a document that says where it, or a section of it, came from.

    Args:
        lines: without line ends; its front matter can be read.
        moved_from: path of a draft; with `#anchor` that of the section that took the draft in.
    """
    block = locate_front_matter(lines)
    if block is None:
        return ["---", f"moved_from: {quote_scalar(moved_from)}", "---", "", *lines]
    kept = list(lines[1 : block.line_end - 1])
    return [lines[0], *_with_origin(kept, moved_from, block.format), *lines[block.line_end - 1 :]]


def _without(lines: Sequence[str], key: str) -> list[str]:
    """Lines of a front matter without a top-level key that is written on one line."""
    pattern = re.compile(key_line(key))
    return [line for line in lines if not pattern.match(line)]


def _with_origin(lines: list[str], moved_from: str, form: str) -> list[str]:
    """Lines of a front matter that say where the document came from, above all else it did."""
    sign = " = " if form == "toml" else ": "
    path = f'"{moved_from}"' if form == "toml" else quote_scalar(moved_from)
    pattern = re.compile(key_line("moved_from") + r"[ \t]*(?P<value>.+?)[ \t]*$")
    for at, line in enumerate(lines):
        if found := pattern.match(line):
            earlier = found["value"].strip("[]").strip()
            return [*lines[:at], f"moved_from{sign}[{path}, {earlier}]", *lines[at + 1 :]]
    first_table = next((at for at, line in enumerate(lines) if line.startswith("[")), len(lines))
    at = first_table if form == "toml" else len(lines)
    return [*lines[:at], f"moved_from{sign}{path}", *lines[at:]]
