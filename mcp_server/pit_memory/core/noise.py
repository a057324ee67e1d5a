"""Files that speak of everything and answer little: change logs, archives, blogs."""

import re

from pit_memory.core.pdf_text import REFERENCES

_LOGS = r"(?:change[-_ ]?logs?|changes|history|release[-_ ]?notes?|news)"
_FOLDERS = r"(?:_?archives?|_?archived|blog|posts)"
_NOISE = re.compile(
    rf"(?:^|/)(?:{_LOGS}(?:[-_. ]?v?[0-9][^/]*)?(?:\.[a-z]+)?(?:/|$)|{_FOLDERS}/)", re.IGNORECASE
)


def is_noise_section(path: str, heading: str) -> bool:
    """Whether a section is a list of references of a PDF."""
    return heading == REFERENCES and path.lower().endswith(".pdf")


def is_noise(path: str) -> bool:
    """Whether a path, relative to its root, is or lies in a change log, an archive or a blog."""
    return _NOISE.search(path) is not None
