"""How far the index of a source is a moment after it was added."""

from dataclasses import dataclass

from pit_memory.sources.census import Census


@dataclass(frozen=True, slots=True)
class BegunSource:
    """What the first look at a source did; the rest goes on behind."""

    indexed: int
    """Documents that the index has now."""
    pending: int
    """Files that wait."""
    notes: tuple[str, ...]
    """One line each: what was refused, damaged or busy."""

    def left(self, census: Census) -> int:
        """How many of the files that were counted are not indexed, and don't wait to be."""
        return 0 if self.pending else max(0, census.documents - self.indexed)

    def words(self, census: Census) -> str:
        """What people read: `8 of 11 documents indexed`; the count alone where all of them are."""
        if self.pending:
            return f"{census.words()}, {self.indexed:,} indexed so far"
        if self.left(census):
            return f"{self.indexed:,} of {census.words()} indexed"
        return census.words()
