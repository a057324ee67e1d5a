"""Front matter that holds scalars only, in plain Python: for hooks, which can't afford YAML.

A subset of YAML: `key: value` lines, one level of mapping below a key, values on one line, plain or
quoted. What it reads without a problem, PyYAML reads the same; anything else is a problem, and the
value is what a person would take it for.
"""

import re
from functools import cache

from pit_memory.core.records import NamedTuple

_LINE = re.compile(r"( *)([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*)|)")
_NO_KEYS = frozenset({"true", "false", "yes", "no", "on", "off", "null"})
"""YAML reads them as something else than text, as keys and as values."""
_CLOSERS = ("---", "...")
_QUOTED = {
    "'": re.compile(r"'((?:[^']|'')*)'(?: +#.*| *)"),
    '"': re.compile(r'"((?:[^"\\]|\\.)*)"(?: +#.*| *)'),
}
_PLAIN_START = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:][^ ]")
_PLAIN_END = re.compile(r":(?: |$)| #")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_SHORT_ESCAPES = dict(
    zip('0abtnvfre "\\/N_LP', '\0\a\b\t\n\v\f\r\x1b "\\/\x85\xa0\u2028\u2029', strict=True)
)
_LAST_CODE_POINT = 0x10FFFF
_ONE_BYTE, _TWO_BYTES = 0x100, 0x10000


class Scalars(NamedTuple):
    """What a front matter says."""

    values: dict[str, str]
    """By key; those below another key as `metadata.type`. Text without its quotes."""
    body_line: int
    """1-based line after the closing delimiter; 1 where there is no front matter."""
    problems: tuple[tuple[int, str], ...]
    """1-based line and what is wrong there."""


def read_scalars(lines: list[str]) -> Scalars:
    """Read the front matter at the top of some lines; without one there are no values."""
    if not lines or lines[0].rstrip(" ") != "---":
        return Scalars({}, 1, ())
    for index in range(1, len(lines)):
        if lines[index].rstrip(" ") in _CLOSERS:
            reader = _Reader()
            for number, line in enumerate(lines[1:index], 2):
                reader.take(number, line)
            return Scalars(reader.values, index + 2, tuple(reader.problems))
    return Scalars({}, 1, ((1, "the front matter is not closed; end it with a line `---`"),))


def quote_scalar(value: str) -> str:
    """Write one line of text as a YAML scalar: plain where that is safe, else in quotes."""
    if _is_odd(value):
        return '"' + "".join(map(_escaped, value)) + '"'
    is_plain = (
        value[:1].isalpha()
        and value.lower() not in _NO_KEYS
        and not value.endswith(" ")
        and not _PLAIN_END.search(value)
    )
    return value if is_plain else "'" + value.replace("'", "''") + "'"


class _Reader:
    """Takes the lines between the delimiters, one after the other."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.problems: list[tuple[int, str]] = []
        self._parent = ""
        self._may_nest = False
        self._depth = 0
        """Spaces before the keys of the mapping below `_parent`; 0 before its first."""

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        if _is_odd(line):
            self.problems.append((number, "it holds a tab or a sign that can't be printed"))
        if _is_blank(line):
            return
        found = _LINE.fullmatch(line)
        if found is None or found[2].lower() in _NO_KEYS:
            self.problems.append((number, "it is not read: write `key: value` on one line"))
            return
        depth = len(found[1])
        if depth and not (self._may_nest and self._depth in {0, depth}):
            self.problems.append((number, "it is not read: it belongs to no key above it"))
            return
        written = found[3] or ""
        value, problem = _value(written.strip(" "))
        key = f"{self._parent}.{found[2]}" if depth else found[2]
        if problem:
            self.problems.append((number, problem))
        if key in self.values:
            self.problems.append((number, f"it repeats the key {found[2]}; the last one counts"))
        self.values[key] = value
        self._depth = depth
        if not depth:
            self._parent, self._may_nest = key, _is_blank(written)


def _is_blank(text: str) -> bool:
    text = text.lstrip(" ")
    return not text or text[0] == "#"


def _value(written: str) -> tuple[str, str]:
    """What stands behind a key's colon, and what is wrong with it."""
    if _is_blank(written):
        return "", ""
    if quoted := _QUOTED.get(written[0]):
        found = quoted.fullmatch(written)
        if found is None:
            return written.strip("'\""), "the quotes are not closed, or something follows them"
        if written[0] == "'":
            return found[1].replace("''", "'"), ""
        return _unescaped(found[1])
    if not _PLAIN_START.match(written):
        return written, f"a value that begins with {written[0]!r} needs quotes around it"
    end = _PLAIN_END.search(written)
    if end is None:
        return written, ""
    if end[0] == " #":
        return written[: end.start()].rstrip(" "), ""
    return written, "a value that holds `: ` needs quotes around it"


def _unescaped(text: str) -> tuple[str, str]:
    wrong: list[str] = []

    def sign(found: re.Match[str]) -> str:
        if digits := found[1] or found[2] or found[3]:
            code = int(digits, 16)
            if code <= _LAST_CODE_POINT:
                return chr(code)
        elif found[4] in _SHORT_ESCAPES:
            return _SHORT_ESCAPES[found[4]]
        wrong.append(found[0])
        return found[0]

    value = _ESCAPE.sub(sign, text)
    return value, f"{wrong[0]} is no escape; write \\\\ for one backslash" if wrong else ""


def _is_odd(text: str) -> bool:
    """Whether YAML refuses a sign of a text or takes it for the end of a line; so is a tab."""
    return not text.isprintable() and _odd_signs().search(text) is not None


@cache
def _odd_signs() -> re.Pattern[str]:
    # Made when it is needed: as much work as all the rest of an import.
    return re.compile(
        r"[^ -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
    )


def _escaped(sign: str) -> str:
    if sign in {'"', "\\"}:
        return "\\" + sign
    if not _is_odd(sign):
        return sign
    code = ord(sign)
    if code < _ONE_BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < _TWO_BYTES else f"\\U{code:08x}"
