"""Citations: `[source::]path[#anchor | :La-Lb | #pN][@hash]`, parsed from the right.

One pasteable token: `% # @ :`, white space and what can't be seen are percent-encoded. A name in
decomposed Unicode is encoded whole, since pasting may compose it and so name its twin.
"""

import re
import unicodedata
from dataclasses import dataclass

from pit_memory.core.text.identity import SECTION_HASH_DIGITS
from pit_memory.core.text.percent import percent_decode, percent_encode
from pit_memory.errors import RefError

_RESERVED = frozenset("%#@: ")
"""What a citation itself is made of, and the one printable white space."""
_PLAIN = re.compile(r"[\w./-]*", re.ASCII)
"""Most paths and anchors: nothing in them needs a look at each character."""
_HASH = re.compile(r"@([0-9A-Fa-f]+)$")
_LINES = re.compile(r"[:#]L([0-9]+)(?:-L?([0-9]+))?$")
"""Also `#L40-L58`, as GitHub writes it."""
_PAGE = re.compile(r"#p([0-9]+)$")
_LOOKS_LIKE_LINES = re.compile(r"L[0-9]+(?:-L?[0-9]+)?")
_LOOKS_LIKE_A_PAGE = re.compile(r"p[0-9]+")
_MAX_NUMBER_DIGITS = 9
_LONGEST_HASH = 64
LONGEST_ANCHOR = 240
"""Characters; a section whose heading is a whole text is cited by its lines."""
_PAGED = ".pdf"
"""`#p4` is a page in these files alone: elsewhere a heading may be called P4."""


@dataclass(frozen=True, slots=True)
class Ref:
    """What a citation names. At most one of `anchor`, `lines` and `page` is set."""

    path: str
    """POSIX path relative to the root of its source, as the file system spells it, not encoded."""
    source: str | None = None
    """Name of the source; None for the project itself."""
    anchor: str | None = None
    lines: tuple[int, int] | None = None
    """1-based, inclusive, first <= last."""
    page: int | None = None
    """1-based page of a PDF."""
    hash: str | None = None
    """First 8 hex digits of the hash of the lines that are cited."""


def parse_ref(text: str) -> Ref:
    """Read a citation; characters that need not be encoded may be written either way.

    Raises:
        RefError: it names nothing: empty, no path, lines backwards, half a hash.
    """
    rest, cited_hash = _take_hash(text.strip())
    rest, lines = _take_lines(rest, text)
    rest, page = _take_page(rest, text)
    anchor = None
    if "#" in rest:
        rest, _, anchor = rest.rpartition("#")
    if anchor and (lines or page):
        raise RefError(
            f"ref {text!r} names a heading and {'lines' if lines else 'a page'}: give one of them"
        )
    source, separator, path = rest.partition("::")
    if not separator:
        source, path = "", rest
    if not path:
        raise RefError(f"ref {text!r} has no path: write path#anchor, path:L10-L20 or path")
    return Ref(
        path=percent_decode(path),
        source=percent_decode(source) or None,
        anchor=percent_decode(anchor) or None if anchor else None,
        lines=lines,
        page=page,
        hash=cited_hash,
    )


def format_ref(ref: Ref) -> str:
    """Write a citation as one token without white space; `parse_ref` gives the same Ref back."""
    source = f"{_encode(ref.source)}::" if ref.source else ""
    return f"{source}{_encode(ref.path)}{_place(ref)}{f'@{ref.hash}' if ref.hash else ''}"


def section_ref(
    path: str, anchor: str, lines: tuple[int, int], hash_: str, source: str | None = None
) -> Ref:
    """The citation of a section: a page of a PDF, a heading, else its lines."""
    if not anchor or len(anchor) > LONGEST_ANCHOR:
        return Ref(path, source, lines=lines, hash=hash_)
    if path.lower().endswith(_PAGED) and (page := _PAGE.fullmatch(f"#{anchor}")):
        return Ref(path, source, page=int(page[1]), hash=hash_)
    return Ref(path, source, anchor=anchor, hash=hash_)


def _take_hash(text: str) -> tuple[str, str | None]:
    match = _HASH.search(text)
    if match is None:
        return text, None
    digits = match[1].lower()
    if not SECTION_HASH_DIGITS <= len(digits) <= _LONGEST_HASH:
        raise RefError(
            f"ref {text!r} ends in a hash of {len(digits)} digits: give its first "
            f"{SECTION_HASH_DIGITS}, leave it out, or write an @ of a file name as %40"
        )
    return text[: match.start()], digits[:SECTION_HASH_DIGITS]


def _take_lines(rest: str, text: str) -> tuple[str, tuple[int, int] | None]:
    match = _LINES.search(rest)
    if match is None:
        return rest, None
    first = _number(match[1], text)
    last = _number(match[2], text) if match[2] else first
    if last < first:
        raise RefError(f"ref {text!r} names lines backwards: write :L{last}-L{first}")
    return rest[: match.start()], (first, last)


def _take_page(rest: str, text: str) -> tuple[str, int | None]:
    match = _PAGE.search(rest)
    if match is None or not rest[: match.start()].lower().endswith(_PAGED):
        return rest, None
    return rest[: match.start()], _number(match[1], text)


def _number(digits: str, text: str) -> int:
    if len(digits) > _MAX_NUMBER_DIGITS or int(digits) < 1:
        raise RefError(f"ref {text!r} names line or page {digits[:20]}: they count from 1")
    return int(digits)


def _place(ref: Ref) -> str:
    if ref.lines is not None:
        first, last = ref.lines
        return f":L{first}" if first == last else f":L{first}-L{last}"
    if ref.page is not None:
        return f"#p{ref.page}"
    if not ref.anchor:
        return ""
    looks_otherwise = _LOOKS_LIKE_LINES.fullmatch(ref.anchor) or (
        ref.path.lower().endswith(_PAGED) and _LOOKS_LIKE_A_PAGE.fullmatch(ref.anchor)
    )
    if looks_otherwise:
        return f"#{percent_encode(ref.anchor[0])}{ref.anchor[1:]}"
    return f"#{_encode(ref.anchor)}"


def _encode(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    composed = name.isascii() or unicodedata.is_normalized("NFC", name)
    return "".join(
        char
        if char not in _RESERVED and char.isprintable() and (composed or char.isascii())
        else percent_encode(char)
        for char in name
    )
