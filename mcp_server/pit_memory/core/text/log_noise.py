"""What logs, traces and alerts hold that never comes back: times, ids, addresses, counters."""

import re
from functools import cache

from pit_memory.core.text.dates import without_dates

_HEX = r"[0-9a-fA-F]"


def without_noise(text: str) -> str:
    """Return a text without times, ids, addresses and counters; what it says stays in order."""
    for pattern, left in _noise():
        text = pattern.sub(left, text)
    return " ".join(without_dates(text).split())


@cache
def _noise() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Patterns, what is written instead of each, in the order they are applied."""
    uuid = rf"{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}"
    named_id = (
        r"(?:trace|span|request|req|correlation|session|user|tenant|transaction|txn?|thread|process"
        r"|message|msg|event|order|account|customer|container|instance)[_ -]?id"
        r"|pid|tid|trace|span|fingerprint|endsAt|startsAt|generatorURL"
    )
    return tuple(
        (re.compile(pattern), left)
        for pattern, left in (
            (r"\x1b\[[0-9;]*[A-Za-z]", ""),  # colours of a terminal
            (r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|%\([a-z_]+\)[sd]|<no value>", " "),  # templates
            (rf"(?i)[\"']?\b(?:{named_id})[\"']?\s*[=:]\s*[\"']?[^\s,;\"'}}\])]+[\"']?", " "),
            (r"(?<=\w)://", " "),
            (r"(?<=\S)\?[\w.%-]+=\S*", " "),  # what a URL asks for
            (rf"\b{uuid}\b", " "),
            (rf"\b(?:{_HEX}{{2}}:){{5}}{_HEX}{{2}}\b", " "),  # MAC
            (r"\b\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?\b", " "),  # IPv4
            (rf"(?<![\w:])(?:{_HEX}{{1,4}}:+){{3,7}}{_HEX}{{0,4}}(?![\w:])", " "),  # IPv6
            (r"\bsha(?:1|256|512):\w+", " "),
            (rf"\b0x{_HEX}+\b|@{_HEX}{{6,}}\b", " "),
            # What a deployment adds to the names of its pods and replicas.
            (r"(?<=[a-z0-9])-[a-f0-9]{6,10}-[a-z0-9]{5}\b", " "),
            (rf"\b(?=\w*\d)(?=\w*[a-fA-F]){_HEX}{{8,}}\b", " "),
            (r"\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_]{24,}={0,2}\b", " "),  # tokens, digests
            (r"\b\d{5,}\b|\b\d+\.\d{2,}(?:e[+-]?\d+)?\b", " "),
            (r"\[\s*[\w./-]*[-#]\d+[\w./-]*\s*\]", " "),  # threads
        )
    )
