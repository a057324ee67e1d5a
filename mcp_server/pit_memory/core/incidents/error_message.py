"""What tells of a pasted text: its message, cut to what a search can use."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pit_memory.core.text.log_noise import without_noise

TextKind = Literal["question", "alert", "trace", "log"]

MAX_MESSAGE = 1_500
"""Characters kept: a model reads fewer, and what follows repeats what was said."""
MAX_LINES = 25
"""Different lines of a log or trace that are kept."""
_DIGITS = re.compile(r"\d+")
"""Counters: lines that differ in nothing else say the same."""
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class ErrorText:
    """A question, or what tells of a pasted text."""

    kind: TextKind
    message: str
    """What to search for; never empty where the text had a word."""
    names: tuple[str, ...] = ()
    """Of alerts, or of error classes: the thing itself, for what is called so."""


def has_word(text: str) -> bool:
    """Tell whether there is anything to search for."""
    return _WORD.search(text) is not None


def different_lines(lines: Iterable[str]) -> list[str]:
    """The lines without noise, each once, at most `MAX_LINES`."""
    kept: dict[str, str] = {}
    for line in lines:
        quiet = without_noise(line)
        if has_word(quiet):
            kept.setdefault(_DIGITS.sub("", quiet), quiet)
        if len(kept) >= MAX_LINES:
            break
    return list(kept.values())


def message_of(parts: Sequence[str]) -> str:
    """What was said, as one message of at most `MAX_MESSAGE` characters."""
    return " ".join("\n".join(parts)[:MAX_MESSAGE].split(" "))
