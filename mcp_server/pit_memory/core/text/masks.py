"""Take parts of a text out without moving anything else."""

import re

_NOT_LINE_END = re.compile(r"[^\n]")
_BLANKS = re.compile(r"\s+")
GAP = "…"
"""What a reader sees in place of what was taken out of a line."""


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """The text with what a pattern matches as blanks; every line stays on its line."""
    return pattern.sub(lambda found: _NOT_LINE_END.sub(" ", found[0]), text)


def with_gaps(text: str, blank: str) -> str:
    """A text as it is shown: each part of a line that was blanked is an ellipsis.

    Args:
        text: the whole of it, LF.
        blank: the same with parts as blanks, each line as long as before or empty.

    Returns:
        As many lines; those of which nothing is left are blank.
    """
    if text == blank:
        return text
    pairs = zip(text.split("\n"), blank.split("\n"), strict=True)
    return "\n".join(
        left if line == left or not left.strip() else _with_gaps(line, left) for line, left in pairs
    )


def _with_gaps(line: str, left: str) -> str:
    parts, end = [], 0
    for blanks in _BLANKS.finditer(left):
        taken = [at for at in range(*blanks.span()) if line[at] != left[at]]
        if taken:
            parts += [line[end : taken[0]], GAP]
            end = taken[-1] + 1
    return "".join((*parts, line[end:]))
