"""Slugs: what names a file and identifies what is in it."""

import re
import unicodedata

MAX_SLUG_CHARACTERS = 60
"""A longer slug is cut at a word; four bytes a sign, and the file's name still fits everywhere."""

_DEVICES = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9¹²³]")
"""Files of these names can't be checked out on Windows, and so nor can the repository."""
_WORD = re.compile(r"[^\W_]+")


def slug_of(text: str) -> str:
    """Lower-case words of a text joined by `-`; empty where it has no letter or digit.

    Nothing but letters, digits and `-` is left, so no slug leads out of a folder; none is the name
    of a device of Windows.
    """
    slug = "-".join(_WORD.findall(unicodedata.normalize("NFC", text).lower()))
    if len(slug) > MAX_SLUG_CHARACTERS:
        slug = slug[:MAX_SLUG_CHARACTERS].rpartition("-")[0] or slug[:MAX_SLUG_CHARACTERS]
    return f"{slug}-note" if _DEVICES.fullmatch(slug) else slug
