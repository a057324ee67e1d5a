"""Front matter that holds scalars only, in plain Python: for hooks, which can't afford YAML.

A subset of YAML: `key: value` lines, one level of mapping below a key, values on one line, plain or
quoted. What it reads without a problem, PyYAML reads the same; anything else is a problem.
"""

from pit_memory.core.records import NamedTuple


class Scalars(NamedTuple):
    """What a front matter says."""

    values: dict[str, str]
    """By key; those below another key as `metadata.type`. Text as written, quotes removed."""
    lines: dict[str, int]
    """1-based line of each key."""
    body_line: int
    """1-based line after the closing delimiter; 1 where there is no front matter."""
    problems: tuple[tuple[int, str], ...]
    """1-based line and what is wrong there."""


def read_scalars(text: str) -> Scalars:
    """Read the front matter of a text (LF); a text without one has no values."""
    raise NotImplementedError


def quote_scalar(value: str) -> str:
    """Write one line of text as a YAML scalar: plain where that is safe, else in quotes."""
    raise NotImplementedError
