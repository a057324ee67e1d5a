"""Files that answer little: change logs, archives and blogs, and what is only proposed."""

import re

from pit_memory.core.text.pdf_text import REFERENCES

_LOGS = r"(?:change[-_ ]?logs?|changes|history|release[-_ ]?notes?|news)"
_FOLDERS = r"(?:_?archives?|_?archived|blog|posts|proposals?|rfcs?|keps?)"
_NOISE = re.compile(
    rf"(?:^|/)(?:{_LOGS}(?:[-_. ]?v?[0-9][^/]*)?(?:\.[a-z]+)?(?:/|$)|{_FOLDERS}/)", re.IGNORECASE
)


def is_noise_section(path: str, heading: str) -> bool:
    """Whether a section is a list of references of a PDF."""
    return heading == REFERENCES and path.lower().endswith(".pdf")


def is_noise(path: str) -> bool:
    """Whether a path, relative to its root, is or lies in a log, archive, blog or proposals."""
    return _NOISE.search(path) is not None
