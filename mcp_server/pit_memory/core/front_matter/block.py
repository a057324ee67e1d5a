"""Where a document's front matter is: found by lines, not parsed."""

import re
from collections.abc import Sequence

from pit_memory.core.records import NamedTuple

TYPE_CHECKING = False  # `typing` itself costs a hook more than it may
if TYPE_CHECKING:
    from typing import Literal

_CLOSERS = {"---": ("---", "..."), "+++": ("+++",)}
_KEY = re.compile(r"[^\s:=#][^:=]{0,60}[:=](?:\s|$)")
"""A line that opens with a key, as metadata does."""
_MAX_LINES_TO_KEY = 20
"""A `---` rule followed by prose is a rule: metadata names a key within its first lines."""


class FrontMatterBlock(NamedTuple):
    """The metadata block at the top of a document."""

    format: "Literal['yaml', 'toml']"
    line_end: int
    """1-based line of the closing delimiter; the opening one is line 1."""
    text: str
    """Between the delimiters, LF."""
    has_keys: bool
    """False where it is something else, such as a template's placeholder or a sentence."""


def locate_front_matter(lines: Sequence[str]) -> FrontMatterBlock | None:
    """Find the front matter of a document; None where it has none.

    It opens on line 1 with `---` (YAML) or `+++` (TOML), alone or followed by a language name, and
    must be closed. Without any key it is front matter only if no line of it is blank: else it is
    text between two rules.
    """
    if not lines:
        return None
    opener = lines[0].rstrip()
    mark = opener[:3]
    if mark not in _CLOSERS or not (opener == mark or opener[3:].strip().isalpha()):
        return None
    for index in range(1, len(lines)):
        if lines[index].rstrip() in _CLOSERS[mark]:
            inner = lines[1:index]
            written = [line for line in inner if line.strip()]
            has_keys = any(_KEY.match(line) for line in written[:_MAX_LINES_TO_KEY])
            if written and not has_keys and len(written) < len(inner):
                return None
            form: Literal["yaml", "toml"] = "yaml" if mark == "---" else "toml"
            return FrontMatterBlock(form, index + 1, "\n".join(inner), has_keys or not written)
    return None


def key_line(key: str) -> str:
    """Expression of what begins the line of a top-level key, in YAML and TOML."""
    return rf"[\"']?{key}[\"']?[ \t]*[:=]"
