"""Pasted error text: alerts, stack traces and logs, reduced to what a past incident can match."""

import re
from functools import cache

from pit_memory.core.incidents.error_logs import log_text, trace_text
from pit_memory.core.incidents.error_message import ErrorText, has_word
from pit_memory.core.incidents.error_payloads import alert_lines_text, payload_text
from pit_memory.core.text.log_noise import without_noise

_MAX_TEXT = 200_000
"""Characters that are looked at; the rest of a log is more of the same."""
_FENCE = re.compile(r"^\s*```[\w-]*\n(.*?)\n?\s*```\s*$", re.DOTALL)


def read_error_text(text: str) -> ErrorText:
    """Find what a pasted text says; a plain question stays as it was asked."""
    text = text[:_MAX_TEXT].strip()
    if fenced := _FENCE.match(text):
        text = fenced[1].strip()
    if not any(map(str.isspace, text)):
        return ErrorText("question", text)
    found = payload_text(text) or alert_lines_text(text) or trace_text(text) or log_text(text)
    if found and has_word(found.message):
        return found
    return ErrorText("question", without_noise(text) or text)


def is_alert_name(text: str) -> bool:
    """Whether a text is the bare name of an alert: `KubePodCrashLooping`, `disk_full_alert`."""
    return _alert_name().fullmatch(text.strip()) is not None


@cache
def _alert_name() -> re.Pattern[str]:
    return re.compile(r"(?:[A-Za-z]+[a-z0-9]*)(?:[A-Z][A-Za-z0-9]*){2,}|\w+_alerts?")
