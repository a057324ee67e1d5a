"""Anchors of headings: GitHub's exactly, and the names that other renderers give.

GitHub: lower case; letters, marks, decimal digits, letter numbers, circled letters, connector
punctuation and hyphens stay, a space becomes a hyphen, all else goes. Checked against anchors
recorded from GitHub's own rendering.
"""

import re
import unicodedata

_CIRCLED_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
"""Symbols that Ruby's `\\p{Word}`, which GitHub uses, takes for letters."""
_NOT_KEPT_ASCII = re.compile(r"[^a-z0-9_ -]")
_NOT_WORD = re.compile(r"[^\w\s-]")
_SPACE = re.compile(r"\s")
_HYPHENS = re.compile(r"-{2,}")
_HYPHENS_AND_SPACE = re.compile(r"[-\s]+")
_COUNTED = re.compile(r"(.*)_([0-9]{1,9})")
_ORDINARY = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
"""A heading that every renderer slugs alike."""
_ATTRIBUTE = r"""(?:[#.][\w:.+-]+|[\w-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'}]+))"""
_ATTRIBUTE_LIST = re.compile(
    rf"\{{(?::?\s*({_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*)\s*|/\*\s*(#[^\s*]+)\s*\*/)\}}"
)
"""`{#id}`, `{: #id .class key=value }`, `{ id="x" }` or `{/* #id */}`, which end a heading."""
_ATTRIBUTE_ID = re.compile(r"""(?:^|\s)(?:#|id\s*=\s*["']?)([^\s"'#]+)""")


class _KeptByGitHub(dict[int, str]):
    """Translation table of slugs, filled as characters are met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        kept = (
            category[0] in "LM"
            or category in ("Nd", "Nl", "Pc")
            or any(first <= code <= last for first, last in _CIRCLED_LETTERS)
        )
        self[code] = slug = char if kept else ""
        return slug


_GITHUB = _KeptByGitHub({ord(" "): "-", ord("-"): "-"})


def github_slug(text: str) -> str:
    """GitHub's anchor for a heading's rendered text, before repeats are numbered."""
    text = text.lower()
    if text.isascii():
        return _NOT_KEPT_ASCII.sub("", text).replace(" ", "-")
    return text.translate(_GITHUB)


class AnchorNumberer:
    """Numbers repeats over all headings of one document in order.

    A number that is taken is skipped: after `x` and a heading `x-1`, the next `x` is `x-2`. Every
    anchor is taken once and skipped by one name alone, so a document costs linear time.
    """

    def __init__(self, separator: str = "-") -> None:
        self._separator = separator
        self._taken: dict[str, int] = {}

    def number(self, slug: str) -> str:
        """The slug itself the first time, then `slug-1`, `slug-2` and so on, as GitHub numbers."""
        anchor = slug
        while anchor in self._taken:
            self._taken[slug] += 1
            anchor = f"{slug}{self._separator}{self._taken[slug]}"
        self._taken[anchor] = 0
        return anchor


def split_attributes(text: str) -> tuple[str, tuple[str, ...]]:
    """A heading's text without a trailing attribute list, and the ids that the list gives."""
    text = text.rstrip()
    start = text.rfind("{")
    apart = start == 0 or text[start - 1 : start].isspace() or text.startswith(("{#", "{/*"), start)
    match = _ATTRIBUTE_LIST.fullmatch(text, start) if start >= 0 and apart else None
    if match is None:
        return text, ()
    return text[:start].rstrip(), tuple(_ATTRIBUTE_ID.findall(match[1] or match[2]))


class OtherNames:
    """Names that other renderers give a document's headings; each numbers repeats in its way."""

    def __init__(self) -> None:
        self._python_markdown = _TocNumberer()
        self._unicode_toc = _TocNumberer()
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


class _TocNumberer:
    """Numbers repeats as Python-Markdown does: `x`, `x_1`, `x_2`; `x_1` is followed by `x_2`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def number(self, slug: str) -> str:
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
