"""Globs as .gitignore writes them, for include, exclude, boost and path filters.

`*`, `?` and `[...]` stay within one name, `**` crosses folders, a backslash takes the next sign
literally. A pattern without a slash (but at its end) matches at any depth, another one from the
root. A pattern that matches a folder covers everything in it; one that ends in `/` matches folders
only. There is no `!`.

Patterns come from files of strangers, so none may be slow: each `*` and `**` takes the first place
that fits and never goes back (atomic groups), which is as good as any, since what follows is fixed.
"""

import re
from collections.abc import Iterator, Sequence

from pit_memory.errors import UsageError

_ANY_FOLDERS = "**"
_NAME_END = r"(?=/|\Z)"
_NOTHING = r"(?!)"


class Globs:
    """A set of patterns; a path matches if any pattern does.

    Checked at once, compiled when first asked: hooks ask few of the globs they read.
    """

    __slots__ = ("_covers", "_covers_written", "_leads", "_leads_written", "patterns")

    def __init__(self, patterns: Sequence[str]) -> None:
        """Read the patterns.

        Raises:
            UsageError: a pattern is empty, unclosed, negated or leads out of the root.
        """
        self.patterns = tuple(patterns)
        parsed = [_Pattern(pattern) for pattern in self.patterns]
        self._covers_written = "|".join(pattern.covers() for pattern in parsed)
        self._leads_written = "|".join(lead for pattern in parsed for lead in pattern.leads())
        self._covers: re.Pattern[str] | None = None
        self._leads: re.Pattern[str] | None = None

    def __bool__(self) -> bool:
        """Tell whether there is any pattern."""
        return bool(self.patterns)

    def match(self, path: str) -> bool:
        """Tell whether a pattern covers a path, relative to the root, in POSIX form.

        A folder is asked for with `/` at its end.
        """
        if self._covers is None:
            self._covers = _compiled(self._covers_written)
        return self._covers.match(path) is not None

    def leads_to(self, folder: str) -> bool:
        """Tell whether a pattern that starts at the root covers something below a folder `a/b/`."""
        if self._leads is None:
            self._leads = _compiled(self._leads_written)
        return self._leads.match(folder) is not None


class _Pattern:
    """One pattern, cut into the expressions of its names; `**` stands for itself."""

    def __init__(self, pattern: str) -> None:
        self._folders_only = pattern.endswith("/")
        names = [name for name in pattern.removeprefix("./").split("/") if name]
        if not names:
            message = f"the glob {pattern!r} is empty; `**` matches everything"
            raise UsageError(message)
        if pattern.startswith("!"):
            message = f"the glob {pattern!r} begins with `!`; list what you want instead"
            raise UsageError(message)
        if ".." in names or "\0" in pattern:
            message = f"the glob {pattern!r} leads out of its root; write it relative to the root"
            raise UsageError(message)
        if "/" not in pattern.rstrip("/"):
            names.insert(0, _ANY_FOLDERS)
        self._names = [
            name if name == _ANY_FOLDERS else _name_expression(name, pattern) for name in names
        ]

    def covers(self) -> str:
        """Expression of every path that the pattern matches or that lies in a folder it matches."""
        fixed_runs = _runs(self._names)
        first = "/".join(fixed_runs[0])
        written = first + _NAME_END if first else ""
        for run in filter(None, fixed_runs[1:]):
            names = "/".join(run) + _NAME_END
            if len(fixed_runs) == 2 and not written:  # the usual case, and quicker from the end
                written = f"(?:.*/)?{names}"
            else:
                written += f"{'/' if written else ''}(?>(?:[^/]+/)*?{names})"
        if self._names[-1] == _ANY_FOLDERS:
            inside = "[^/]+/.*" if self._folders_only else ".*"
            return f"{written}/{inside}" if written else inside
        return f"{written}/.*" if self._folders_only else f"{written}(?:/.*)?"

    def leads(self) -> Iterator[str]:
        """Expressions of the folders above what the pattern matches, if it starts at the root."""
        for depth, name in enumerate(self._names):
            above = "/".join(self._names[:depth])
            if name == _ANY_FOLDERS:
                if above:
                    yield f"{above}/.*"
                return
            if above:
                yield f"{above}/"


def _runs(names: Sequence[str]) -> list[list[str]]:
    """Cut names at each `**`: the first run starts at the root, the others anywhere below."""
    runs: list[list[str]] = [[]]
    for name in names:
        if name == _ANY_FOLDERS:
            runs.append([])
        else:
            runs[-1].append(name)
    return runs


def _compiled(expressions: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{expressions or _NOTHING})\Z", re.DOTALL)


def _name_expression(name: str, pattern: str) -> str:
    """Translate one name: the text between two stars is fixed in length and found leftmost."""
    fixed = [""]
    position = 0
    while position < len(name):
        sign = name[position]
        position += 1
        if sign == "*":
            fixed.append("")
        elif sign == "?":
            fixed[-1] += "[^/]"
        elif sign == "[":
            expression, position = _sign_class(name, position, pattern)
            fixed[-1] += expression
        elif sign == "\\":
            if position == len(name):
                message = f"the glob {pattern!r} has a backslash at the end of a name; remove it"
                raise UsageError(message)
            fixed[-1] += re.escape(name[position])
            position += 1
        else:
            fixed[-1] += re.escape(sign)
    if len(fixed) == 1:
        return fixed[0]
    not_empty = "(?=[^/])"
    middle = "".join(f"(?>[^/]*?{text})" for text in fixed[1:-1] if text)
    return f"{not_empty}{fixed[0]}{middle}[^/]*{fixed[-1]}"


def _sign_class(name: str, start: int, pattern: str) -> tuple[str, int]:
    """Translate `[...]`; returns the expression and the position after the bracket."""
    negated = name[start : start + 1] in ("!", "^")
    first = start + negated
    end = name.find("]", first + 1)
    if end < 0:
        message = f"the glob {pattern!r} has a `[` that is not closed; close it or write `\\[`"
        raise UsageError(message)
    inside = re.sub(r"([\\\[\]^&~|])", r"\\\1", name[first:end])
    expression = f"(?!/)[{'^' if negated else ''}{inside}]"
    try:
        re.compile(expression)
    except re.error as error:
        message = f"the glob {pattern!r} has a range that can't be read ({error.msg}); correct it"
        raise UsageError(message) from error
    return expression, end + 1
