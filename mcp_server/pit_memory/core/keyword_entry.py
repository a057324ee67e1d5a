"""What the keyword index holds of a document: one entry a chunk and one for the whole page."""

from dataclasses import dataclass

from pit_memory.core.documents import Document


@dataclass(frozen=True, slots=True)
class KeywordEntry:
    """The words of one chunk or page, ready to index. A token weighs as often as it is repeated.

    Both fields are tokens separated by single spaces, already folded and stemmed: the index splits
    them at the spaces and does nothing else to them.
    """

    chunk: int | None
    """Index into `Document.chunks`; None for the entry of the whole page."""
    exact: str
    """Whole identifiers, their parts and words as they are written."""
    stems: str
    """Word stems."""


def entries_for(document: Document) -> tuple[KeywordEntry, ...]:
    """The entries of a document: one for each chunk in order, then the page's."""
    raise NotImplementedError
