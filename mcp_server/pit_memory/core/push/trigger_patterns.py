"""What a trigger says: which tools and which pattern, and which patterns are refused."""

import re

from pit_memory.core.records import NamedTuple

ANY_TOOL = "*"
MOST_CHARACTERS = 300
"""A longer pattern is nobody's to read."""
_FEW = 10
"""A group that repeats no more often than this ends soon, whatever is in it."""
_TOOLS = re.compile(r"[\w*.:-]+(?:\|[\w*.:-]+)*")
_TOKEN = re.compile(
    r"""
    (?P<comment>\(\?\#[^)]*\))
    | (?P<open>\((?:\?(?:P<\w+>|P=\w+|<?[=!]|[:>|]|\(\w+\)|[a-zA-Z-]+:?))?)
    | (?P<close>\))
    | (?P<choice>\|)
    | (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])
    | \\(?P<escaped>.)
    | (?P<repeat>[*+?]|\{\d+,?\d*\}|\{,\d*\})[?+]?
    | (?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING_FLAGS = re.compile(r"\(\?[aiLmsux]")
"""They change what the signs of the whole pattern mean."""
_COUNTS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def why_trigger_refused(tool: str, pattern: str) -> str | None:
    """Why a tool and a pattern are no trigger, one line; None where they are, or there is none."""
    return _why_tool_refused(tool) or (why_refused(pattern) if pattern else None)


def tools_of(tool: str, pattern: str) -> str:
    """The tools that a trigger is about: any where only a pattern is given, none without either."""
    return tool or (ANY_TOOL if pattern else "")


def why_refused(pattern: str) -> str | None:
    """Why a pattern can't be a trigger's, one line; None where it can.

    Refused are patterns that are no regular expression, too long to read, or that may take for
    ever: a group that repeats while its own text can vary, as in `(a+)+` or `(a|ab)*`.
    """
    if len(pattern) > MOST_CHARACTERS:
        return f"the pattern has {len(pattern):,} characters; {MOST_CHARACTERS} are enough"
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"the pattern {pattern!r} is no regular expression: {error}"
    group = _read(pattern).repeated_choice
    if not group:
        return None
    return (
        f"the pattern {pattern!r} may take for ever, as {group!r} repeats a group that holds "
        "`*`, `+`, `?`, `{}` or `|`; write it without the outer repeat"
    )


def needed_text(pattern: str) -> str:
    """A part that every text matched by a pattern holds; empty where none is known.

    To look for it is far cheaper than to compile the pattern.
    """
    return _read(pattern).needed


def _why_tool_refused(tool: str) -> str | None:
    """Why some text names no tools, one line; None where it does, and for none at all."""
    if not tool or _TOOLS.fullmatch(tool):
        return None
    return f"trigger_tool is {tool!r}; name tools as the host does, such as Bash or Edit|Write"


class _Reading(NamedTuple):
    repeated_choice: str
    """The first part of the pattern that repeats what can vary; empty where there is none."""
    needed: str
    """The longest text that every match holds; empty where none is known."""


class _Group:
    """An open group, or the whole pattern."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.has_choice = False
        self.varies = False
        """One text may be matched by it in several ways, as far as its signs tell."""
        self.last_start = start
        self.last_varies = False
        """The same of its last part, which a repeat would be about."""


def _read(pattern: str) -> _Reading:
    """Go through a valid pattern once."""
    groups = [_Group(0)]
    repeated_choice = ""
    runs = [""]
    for token in _TOKEN.finditer(pattern):
        group, kind = groups[-1], token.lastgroup
        literal = _literal(token) if len(groups) == 1 else ""
        if literal:
            runs[-1] += literal
        elif kind != "repeat":
            runs.append("")
        if kind == "repeat":
            least, most = _counts(token["repeat"])
            if group.last_varies and (most is None or most > _FEW):
                repeated_choice = repeated_choice or pattern[group.last_start : token.end()]
            group.varies |= least != most
            runs += [runs.pop() if least else runs.pop()[:-1], ""]
        elif kind == "open":
            groups.append(_Group(token.start()))
        elif kind == "close" and len(groups) > 1:
            closed = groups.pop()
            group = groups[-1]
            group.varies |= closed.varies
            group.last_start, group.last_varies = closed.start, closed.varies
        elif kind == "choice":
            group.has_choice = group.varies = True
        elif kind != "comment":
            group.last_start, group.last_varies = token.start(), False
    is_plain = not (groups[0].has_choice or _OPENING_FLAGS.match(pattern))
    return _Reading(repeated_choice, max(runs, key=len) if is_plain else "")


def _literal(token: re.Match[str]) -> str:
    """The sign that a token stands for; empty where it stands for several or for none."""
    sign, escaped = token["sign"], token["escaped"]
    if sign is not None:
        return "" if sign in ".^$" else sign
    return escaped if escaped is not None and not escaped.isalnum() else ""


def _counts(repeat: str) -> tuple[int, int | None]:
    """How often a repeat repeats, at least and at most; None is without end."""
    if repeat[0] != "{":
        return _COUNTS[repeat[0]]
    least, comma, most = repeat[1 : repeat.index("}")].partition(",")
    return int(least or 0), (int(most) if most else None) if comma else int(least)
