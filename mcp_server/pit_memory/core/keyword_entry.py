"""What the keyword index holds of a document: one entry a chunk and one for the whole page."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeywordEntry:
    """The words of one chunk or page, ready to index. A token weighs as often as it is repeated."""

    chunk: int | None
    """Index into `Document.chunks`; None for the entry of the whole page."""
    exact: Sequence[str]
    """Tokens as a question's exact tokens must equal them; none empty, none with white space."""
    prose: Sequence[str]
    """Tokens that the index stems itself (English; others stay as they are); same rules as `exact`."""
