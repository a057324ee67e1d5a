"""Names that other renderers than GitHub give to headings: MkDocs, Hugo and their like."""

import re
import unicodedata

from pit_memory.core.documents.anchors import AnchorNumberer

_NOT_WORD = re.compile(r"[^\w\s-]")
_SPACE = re.compile(r"\s")
_HYPHENS = re.compile(r"-{2,}")
_HYPHENS_AND_SPACE = re.compile(r"[-\s]+")
_COUNTED = re.compile(r"(.*)_([0-9]{1,9})")
_ORDINARY = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
"""A heading that every renderer slugs alike."""


class OtherNames:
    """Names that other renderers give a document's headings; each numbers repeats in its way."""

    def __init__(self) -> None:
        self._python_markdown = TocNumberer()
        self._unicode_toc = TocNumberer()
        self._hugo = AnchorNumberer()
        self._collapsed = AnchorNumberer()

    def of_next(self, text: str) -> tuple[str, ...]:
        """Names of the next heading, possibly with repeats and empty ones.

        Args:
            text: the heading without markup and attribute list.
        """
        low = text.strip().lower()
        if _ORDINARY.fullmatch(low):
            ascii_slug = word_slug = collapsed = low.replace(" ", "-")
        else:
            ascii_slug = _python_markdown_slug(text)
            word_slug = _SPACE.sub("-", _NOT_WORD.sub("", low))
            collapsed = _HYPHENS.sub("-", word_slug).strip("-")
        return (
            self._python_markdown.number(ascii_slug),
            self._unicode_toc.number(word_slug),
            self._hugo.number(word_slug),
            self._collapsed.number(collapsed),
        )


class TocNumberer:
    """Numbers repeats as Python-Markdown does: `x`, `x_1`, `x_2`; `x_1` is followed by `x_2`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def number(self, slug: str) -> str:
        """The slug itself the first time, then `slug_1`, `slug_2` and so on; never empty."""
        if not slug or slug in self._taken:
            counted = _COUNTED.fullmatch(slug)
            base, count = (counted[1], int(counted[2])) if counted else (slug, 0)
            count = max(count, self._last.get(base, 0)) + 1
            while f"{base}_{count}" in self._taken:
                count += 1
            self._last[base] = count
            slug = f"{base}_{count}"
        self._taken.add(slug)
        return slug


def _python_markdown_slug(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _HYPHENS_AND_SPACE.sub("-", _NOT_WORD.sub("", ascii_text).strip().lower())
