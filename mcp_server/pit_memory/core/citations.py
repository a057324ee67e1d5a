"""Citations: `[source::]path[#anchor | :La-Lb | #pN][@hash]`, one pasteable token, parsed from the right."""

from dataclasses import dataclass
from typing import Literal

from pit_memory.core.identity import section_hash

__all__ = ["CitationState", "Ref", "format_ref", "parse_ref", "section_hash"]

CitationState = Literal["same", "moved", "changed", "gone"]
"""same: the hash is there; moved: it is elsewhere; changed: the place holds another hash; gone: neither."""


@dataclass(frozen=True, slots=True)
class Ref:
    """What a citation names. At most one of `anchor`, `lines` and `page` is set."""

    path: str
    """POSIX path relative to the root of its source, as the file system spells it (not percent-encoded)."""
    source: str | None = None
    """Name of the source; None for the project itself."""
    anchor: str | None = None
    lines: tuple[int, int] | None = None
    """1-based, inclusive, first <= last."""
    page: int | None = None
    """1-based page of a PDF."""
    hash: str | None = None
    """First 8 hex digits of the section's hash."""


def parse_ref(text: str) -> Ref:
    """Read a citation.

    Raises:
        RefError: it names nothing: empty, no path, a line range backwards.
    """
    raise NotImplementedError


def format_ref(ref: Ref) -> str:
    """Write a citation as one token without white space; `parse_ref` gives the same Ref back."""
    raise NotImplementedError
