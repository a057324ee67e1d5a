"""Anchors of headings, exactly as GitHub gives them.

Lower case; letters, marks, decimal digits, letter numbers, circled letters, connector
punctuation and hyphens stay, a space becomes a hyphen, all else goes. Checked against anchors
recorded from GitHub's own rendering.
"""

import re
import unicodedata

_CIRCLED_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
"""Symbols that Ruby's `\\p{Word}`, which GitHub uses, takes for letters."""
_NOT_KEPT_ASCII = re.compile(r"[^a-z0-9_ -]")
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

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def number(self, slug: str) -> str:
        """The slug itself the first time, then `slug-1`, `slug-2` and so on, as GitHub numbers."""
        anchor = slug
        while anchor in self._taken:
            self._taken[slug] += 1
            anchor = f"{slug}-{self._taken[slug]}"
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
