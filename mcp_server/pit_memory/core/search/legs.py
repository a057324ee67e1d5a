"""What a search asks of its two legs, one store at a time.

The keyword leg is a store's keyword index, the semantic leg its vectors with an embedder. Both
apply the filters inside the engine, before they rank, and never raise for the words of a query.
Ids are the catalogue's row ids: of chunks, and of documents for the page rankings; unique within
one store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pit_memory.errors import UsageError

Ranking = Sequence[tuple[int, float]]
"""(row id, score), best first, each id once; the score is in the leg's own unit."""


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What a hit must be. Every field narrows; an empty one lets everything through."""

    collections: tuple[str, ...] = ()
    """Any of these collections."""
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    audiences: tuple[str, ...] = ()
    assignment: str | None = None
    """Exactly this scope; None stands for documents that have no scope, never for "any"."""
    sources: tuple[str, ...] = ()
    """Any of these sources by name; the project's own documents have the empty name."""
    paths: tuple[str, ...] = ()
    """Any of these: a folder or file (`docs/howto`), or a glob (`docs/**/api.md`)."""
    left_out: tuple[str, ...] = ()
    """None of these paths, each the same form as in `paths`."""
    tags: tuple[str, ...] = ()
    """All of these tags, compared without case."""
    services: tuple[str, ...] = ()
    """Any of these services of incidents, compared as `folded_service` folds."""
    since: str = ""
    """ISO date: only incidents of that day or later; what has no date is not among them."""

    def __post_init__(self) -> None:
        """Raises UsageError for what no text can hold, such as a byte that is no UTF-8."""
        asked = {"path": self.paths, "tag": self.tags, "service": self.services}
        for name, value in ((name, value) for name, values in asked.items() for value in values):
            if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
                shown = ascii(value)
                message = f"{name} {shown} holds what is no text; write it in UTF-8"
                raise UsageError(message)


@dataclass(frozen=True, slots=True)
class KeywordTerms:
    """A question, ready for the keyword index: bare tokens of `core.text.words`, each once."""

    exact: tuple[str, ...]
    """For the field of whole identifiers, their parts and words as they are written."""
    stems: tuple[str, ...]
    """For the field of word stems."""


@dataclass(frozen=True, slots=True)
class SemanticRankings:
    """What the vectors answer."""

    chunks: Ranking
    """Chunk ids by cosine with the question, in [-1, 1]."""
    pages: Mapping[int, float]
    """Document id to cosine of its page vector (normalised mean of its chunks' vectors).

    Holds at least the pages of the ranked chunks.
    """
    built: float = 1.0
    """Share of the store's chunks that have a vector, in [0, 1]; below 1 the answer says so."""
    seconds_left: float | None = None
    """Estimated time until all are built; None where nothing is left or was ever measured."""
    waiting: frozenset[int] = frozenset()
    """Chunks that have no vector yet: meaning can't speak for or against them."""


class KeywordLeg(Protocol):
    """One store's keyword index."""

    def rank(self, terms: KeywordTerms, filters: SearchFilters, limit: int) -> Ranking:
        """Rank chunks by BM25 over both fields, at most `limit`; any of the terms may match."""

    def rank_pages(self, terms: KeywordTerms, filters: SearchFilters, limit: int) -> Ranking:
        """Rank whole incident records by BM25, at most `limit`; ids are those of first chunks."""

    def chunk_frequencies(self, stems: Sequence[str]) -> Sequence[int]:
        """In how many chunk entries each stem occurs, in the order given, whatever the filters."""

    def chunk_count(self) -> int:
        """How many chunk entries the index holds."""

    def languages(self) -> Mapping[str, int]:
        """How many chunk entries are in each language (ISO 639-1) that any is in."""

    def holding(self, literal: str, filters: SearchFilters, limit: int) -> Sequence[int] | None:
        """Ids of the chunks that may hold a literal; None where there are more than `limit`.

        The caller checks the text of each candidate, so a few too many do no harm and many are of
        no use. Candidates hold the rarest three-character grams of the literal (six are enough:
        0.2 ms among 10,000 chunks); a scan of the term dictionary takes 16 ms there.

        Args:
            literal: folded (`core.text.words.folded`), at least three characters, no line ends. It
                may stand inside longer words.
            filters: as for `rank`.
            limit: candidates at most.
        """


class SemanticLeg(Protocol):
    """One store's vectors, together with the embedder that made them."""

    def reads(self, language: str) -> bool:
        """Whether the model knows a language (ISO 639-1); elsewhere words decide alone."""

    def prepare(self, question: str) -> None:
        """Make the question's vector and keep it for `rank`, which is soon asked for it.

        Raises:
            EmbedderError: as `rank` will.
        """

    def bring_up(self) -> None:
        """Bring in what changed in the store, as `rank` would first; another thread may `prepare`.

        Raises:
            StoreError: as `rank` will.
        """

    def rank(self, question: str, filters: SearchFilters, limit: int) -> SemanticRankings:
        """Rank chunks by meaning, at most `limit`.

        Raises:
            EmbedderError: the model can't run; the search goes on by words and says why.
        """
