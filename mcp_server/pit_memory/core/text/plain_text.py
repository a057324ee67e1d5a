"""Inline markdown to what a reader sees, by pattern: for text that the parser gives whole."""

import re

_WIKILINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"()]*\")?\)")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")


def without_wikilinks(text: str) -> str:
    """`[[page]]` and `[[page#heading|label]]` as their page or label."""
    return _WIKILINK.sub(r"\1", text)


def without_inline_markup(text: str) -> str:
    """Text without link targets and emphasis; backticks stay."""
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub("", text)
    return without_wikilinks(text) if "[[" in text else text
