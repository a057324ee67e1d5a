"""Stack traces of common languages: which lines are frames, and what the others say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

_FEWEST_FRAMES = 2
"""Lines like frames that make a text a trace."""
_OWN_FRAMES = 3
"""Names of functions kept: a record may quote the same trace, and the innermost ones tell most."""
_MAX_LINE = 400
"""Characters of a line that are looked at."""


@dataclass(frozen=True, slots=True)
class StackTrace:
    """A trace, taken apart."""

    said: tuple[str, ...]
    """Lines that aren't frames, those that name an error first, each once."""
    errors: tuple[str, ...]
    """Names of error classes, without packages, the innermost first."""
    functions: tuple[str, ...]
    """Names of a few functions that were called, of the program's own code."""


def read_trace(lines: Sequence[str]) -> StackTrace | None:
    """Take a trace apart; None for a text that holds none."""
    said: list[str] = []
    functions: list[str] = []
    frames = 0
    follows_python_frame = False
    for raw in lines:
        line = raw[:_MAX_LINE]
        frame = _frame().match(line)
        if frame:
            frames += 1
            called = frame["called"] or frame["python"] or ""
            if called and not _library().search(line):
                functions.append(called.rsplit("/", 1)[-1])
            follows_python_frame = frame["python"] is not None
        elif _marks().match(line):
            follows_python_frame = False
        elif follows_python_frame and line.startswith("    "):
            follows_python_frame = False  # the line of code that Python quotes
        elif line.strip():
            said.append(line.strip())
    if frames < _FEWEST_FRAMES:
        return None
    named = [line for line in said if _error().search(line)]
    causes = [line for line in reversed(named) if line.lower().startswith("caused by")]
    ordered = dict.fromkeys((*causes, *reversed(named), *said))
    found = (match["name"] for line in ordered for match in _error().finditer(line))
    errors = [name for name in found if name]
    return StackTrace(
        tuple(ordered), tuple(dict.fromkeys(errors)), tuple(dict.fromkeys(functions))[:_OWN_FRAMES]
    )


@cache
def _frame() -> re.Pattern[str]:
    forms = (
        r"\s*File \"[^\"]+\", line \d+(?:, in (?P<python>\S+))?",
        # Java, Kotlin, JavaScript, .NET: at com.shop.Cart.add(Cart.java:12), at f (file.js:1:2)
        r"\s*at (?:async |new )?(?P<called>[\w$.<>/[\]`]+)\s*(?:[([].*[)\]])?(?: in .+)?\s*$",
        r"\s*at \S+:\d+(?::\d+)?\s*$",
        r"\s*from \S+:\d+:in [`'].*",  # Ruby
        r"\s*#\d+\s+.*(?:\(\d+\)|\bin\b|\bat\b).*",  # PHP, C
        r"\s*\d+:\s+(?:0x[0-9a-f]+ - )?[\w:<>{}$]+(?:::[\w<>{}]+)+\s*$",  # Rust
        r"\s+\S+\.(?:go|rs|c|cc|cpp|h):\d+(?:\s\+0x[0-9a-f]+)?\s*$",  # Go, the place
        r"[\w./*()]+\.[\w.*()]+\((?:0x[0-9a-f]+|\.\.\.|\{|[,\s?])*[^)]*\)\s*$",  # Go, the call
        r"\S+\.(?:py|rb|js|ts|php):\d+:\s*in\b.*",
    )
    return re.compile("|".join(f"(?:{form})" for form in forms))


@cache
def _marks() -> re.Pattern[str]:
    """Lines of a trace that are neither frame nor message."""
    return re.compile(
        r"\s*(?:\.\.\. \d+ (?:more|common frames).*|Traceback \(most recent call last\):?"
        r"|goroutine \d+ \[.*\]:|created by .*|stack backtrace:|stack trace:?|Call stack:"
        r"|During handling of the above exception.*|The above exception was the direct cause.*"
        r"|note: run with .*|\[signal .*\]|Suppressed:\s*|[\^~\s]+|-+|=+)\s*$",
        re.IGNORECASE,
    )


@cache
def _error() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:[\w$]+[.:\\/]+)*(?P<name>[A-Z]\w*(?:Error|Exception|Failure|Fault|Panic|Timeout"
        r"|Refused|Interrupt|Overflow|Exhausted|Killed)\w*)\b|\b(?:panic|fatal error)(?=:)"
    )


@cache
def _library() -> re.Pattern[str]:
    """Frames of runtimes and libraries, which stand in traces of every cause."""
    return re.compile(
        r"site-packages|dist-packages|node_modules|node:internal|/lib/python|/usr/lib|/go/pkg/mod"
        r"|/usr/local/go"
        r"|\b(?:java|javax|jdk|sun|kotlin|scala"
        r"|org\.(?:springframework|apache|hibernate|eclipse|junit)"
        r"|io\.(?:netty|grpc|vertx)|com\.(?:sun|google\.common|fasterxml|zaxxer)|reactor|System"
        r"|Microsoft)\."
        r"|\b(?:std|core|alloc|tokio|runtime|net/http)(?:::|\.)"
    )
