"""The keyword index: BM25 over chunks and pages. The only file that knows Tantivy."""

from collections.abc import Sequence

from pit_memory.core.legs import KeywordRankings, KeywordTerms, SearchFilters


def stems(words: Sequence[str]) -> list[str]:
    """The stem of each word as the index stems it (English), in the order given.

    Args:
        words: lower-case tokens without white space.
    """
    raise NotImplementedError


class KeywordIndex:
    """A store's keyword leg (`core.legs.KeywordLeg`); safe to use from several threads."""

    def rank(self, terms: KeywordTerms, filters: SearchFilters, limit: int) -> KeywordRankings:
        """Rank chunks and pages by words, at most `limit` each."""
        raise NotImplementedError

    def chunk_frequencies(self, stems: Sequence[str]) -> list[int]:
        """In how many chunk entries each stem occurs, in the order given, whatever the filters."""
        raise NotImplementedError

    def chunk_count(self) -> int:
        """How many chunk entries the index holds."""
        raise NotImplementedError

    def holding(self, literal: str, filters: SearchFilters, limit: int) -> list[int] | None:
        """Ids of the chunks that may hold a literal in any case; None where more than `limit`."""
        raise NotImplementedError
