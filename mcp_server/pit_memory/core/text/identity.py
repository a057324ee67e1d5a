"""The identity of bytes: what makes two files, or two sections, the same."""

import hashlib
from collections.abc import Sequence

SECTION_HASH_DIGITS = 8
"""32 bits: enough to tell the versions of one section apart; a citation also names the place."""


def content_hash(data: bytes) -> str:
    """SHA-256 of a file's bytes as they are on disk, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def section_hash(lines: Sequence[str]) -> str:
    """First 8 hex digits of SHA-256 of a section's own lines, joined and ended by LF, as UTF-8.

    Args:
        lines: from the heading line to the line before the next heading, without line ends.
    """
    text = "\n".join(lines) + "\n"
    return hashlib.sha256(text.encode()).hexdigest()[:SECTION_HASH_DIGITS]
