"""Stack traces and lines of logs: what they say."""

import re
from functools import cache

from pit_memory.core.incidents.error_message import ErrorText, different_lines, message_of
from pit_memory.core.incidents.stack_traces import read_trace


def trace_text(text: str) -> ErrorText | None:
    """What a stack trace says; None where a text is none."""
    trace = read_trace(text.splitlines())
    if trace is None:
        return None
    said = different_lines(_unmarked(line) for line in trace.said)
    return ErrorText("trace", message_of((*said, *trace.functions)), trace.errors)


def log_text(text: str) -> ErrorText | None:
    """What the lines of a log say, the severe ones first; None where a text is none."""
    lines = [line for line in text.splitlines() if line.strip()]
    marked = sum(1 for line in lines if _log_mark().search(line) or _level().match(line))
    if not marked or marked * 4 < len(lines):
        return None
    errors = [line for line in lines if _severe().search(line)]
    return ErrorText("log", message_of(different_lines(map(_unmarked, (*errors, *lines)))))


def _unmarked(line: str) -> str:
    """A line of a log without what stands before its message."""
    return _level().sub("", _log_mark().sub(" ", line).strip())


@cache
def _log_mark() -> re.Pattern[str]:
    """What only logs have: a time at the start, named fields, klog's and syslog's beginnings."""
    return re.compile(
        r"^\s*[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?"
        r"(?:Z|[+-]\d\d:?\d\d)?[\])]?"
        r"|^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [\w./-]+:\d+\]"
        r"|^[A-Z][a-z]{2}\s+\d{1,2} \d\d:\d\d:\d\d \S+(?= [\w./-]+(?:\[\d+\])?:)"
        r"|\blevel=\w+|\b(?:ts|time|caller)=\S+"
    )


@cache
def _level() -> re.Pattern[str]:
    """A level at the start of a line; in the middle it may be the message."""
    return re.compile(
        r"^[\s\[(<|-]*(?:ERROR|FATAL|CRITICAL|CRIT|SEVERE|EMERG|WARN(?:ING)?|INFO|DEBUG|TRACE|NOTICE)"
        r"\b[\])>|:]*\s"
    )


@cache
def _severe() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:ERROR|FATAL|CRITICAL|CRIT|SEVERE|EMERG|PANIC)\b|^E\d{4} |^F\d{4} "
        r"|level=(?:error|fatal|crit|panic)|\b(?:[Pp]anic|[Ee]xception|OOMKilled)\b"
    )
