"""Vectors in rows, ranked by an exact scan: values and arithmetic, no file and no lock.

A table never changes; bringing something in makes another one that shares the large arrays.
"""

from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Final, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from pit_memory.workspace.side_thread import SideThread

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]
_Value = TypeVar("_Value", bound=np.generic)

_GATHERED_SHARE: Final = 0.1
"""Above this part of the rows it is cheaper to score every row and mask than to copy those asked
for (gathering a third of 100,000 rows moves 50 MB)."""
_ROWS_SUMMED_AT_ONCE: Final = 4_096
_ROWS_SHARED: Final = 4_096
"""Of a base that is scored by two threads: fewer take no longer than handing half of them over."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Vectors, each with the chunk it stands for and that chunk's document."""

    chunks: Ids
    documents: Ids
    """Ascending: the rows of a document stand together."""
    vectors: Floats
    """Shape (rows, dimension), rows of unit length; may be a read-only map of a file."""

    @classmethod
    def of(cls, chunks: Ids, documents: Ids, vectors: Floats) -> Self:
        """Rows in the order they need to have."""
        order = np.argsort(documents, kind="stable")
        return cls(chunks[order], documents[order], vectors[order])

    @classmethod
    def none(cls, dimension: int) -> Self:
        """No rows."""
        ids = np.empty(0, dtype=np.int64)
        return cls(ids, ids, np.empty((0, dimension), dtype=np.float32))

    def __len__(self) -> int:
        return len(self.chunks)

    def where(self, mask: Mask) -> "Rows":
        """Some of the rows."""
        return Rows(self.chunks[mask], self.documents[mask], self.vectors[mask])

    def with_rows(self, more: "Rows") -> "Rows":
        """These rows and others."""
        if not len(self) or not len(more):
            return self if len(self) else more
        return Rows.of(
            np.concatenate([self.chunks, more.chunks]),
            np.concatenate([self.documents, more.documents]),
            np.concatenate([self.vectors, more.vectors]),
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best rows of a scan."""

    chunks: list[tuple[int, float]]
    """(chunk id, cosine), best first; equal ones by id."""
    pages: dict[int, float]
    """Document id to cosine of its page vector, for the documents of these chunks."""


class VectorTable:
    """A large base, a small tail of what came later, and which rows of the base still count."""

    def __init__(
        self, base: Rows, tail: Rows, live: Mask, known_lengths: tuple[Ids, Floats] | None = None
    ) -> None:
        """Join base and tail.

        Args:
            base: rows that are shared with earlier and later tables.
            tail: rows that came later; all of them count.
            live: for each row of the base, whether it still counts.
            known_lengths: documents (ascending) and the lengths of their pages' summed vectors,
                where they are known from an earlier table; the others are worked out.
        """
        self.base = base
        self.tail = tail
        self.live = np.concatenate([live, np.ones(len(tail), dtype=np.bool_)])
        self._chunks = np.concatenate([base.chunks, tail.chunks])
        documents = np.concatenate([base.documents, tail.documents])
        self.documents, page = np.unique(documents, return_inverse=True)
        self._page = page.astype(np.int32)
        self.lengths = self._page_lengths(known_lengths)

    @classmethod
    def empty(cls, dimension: int) -> "VectorTable":
        """A table without rows."""
        return cls.with_base(Rows.none(dimension))

    @classmethod
    def with_base(
        cls, base: Rows, known_lengths: tuple[Ids, Floats] | None = None
    ) -> "VectorTable":
        """A table that is all base."""
        none = Rows.none(base.vectors.shape[1])
        return cls(base, none, np.ones(len(base), dtype=np.bool_), known_lengths)

    def __len__(self) -> int:
        return int(np.count_nonzero(self.live))

    @property
    def scattered(self) -> int:
        """Rows that aren't in the base or no longer count there: what a new base would tidy up."""
        return len(self.tail) + len(self.base) - int(np.count_nonzero(self.live[: len(self.base)]))

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.base.vectors.shape[1])

    def changed(self, replaced: Collection[int], more: Rows) -> "VectorTable":
        """The table after some documents changed or went and rows came.

        Args:
            replaced: documents whose present rows no longer count.
            more: rows to bring in, of these and of other documents.
        """
        gone = np.fromiter(replaced, dtype=np.int64, count=len(replaced))
        live = self.live[: len(self.base)] & ~np.isin(self.base.documents, gone)
        tail = self.tail.where(~np.isin(self.tail.documents, gone)).with_rows(more)
        touched = np.isin(self.documents, np.concatenate([gone, more.documents]))
        known = (self.documents[~touched], self.lengths[~touched])
        return VectorTable(self.base, tail, live, known)

    def compact(self) -> "VectorTable":
        """The same rows as a base of their own."""
        live = self.live[: len(self.base)]
        alive = (self.base if live.all() else self.base.where(live)).with_rows(self.tail)
        return VectorTable.with_base(alive, (self.documents, self.lengths))

    def allowed(self, documents: Collection[int] | None) -> Ids:
        """The rows that count for a search among some documents, ascending; None means all."""
        if documents is None:
            return np.flatnonzero(self.live)
        wanted = np.sort(np.fromiter(documents, dtype=np.int64, count=len(documents)))
        in_tail = _rows_of(self.tail, wanted) + len(self.base)
        found: Ids = np.concatenate([_rows_of(self.base, wanted), in_tail])
        live: Ids = found[self.live[found]]
        return live

    def rank(
        self, question: Floats, rows: Ids, limit: int, beside: SideThread | None = None
    ) -> Ranked:
        """The rows nearest to a question among some, and their pages.

        Args:
            question: unit vector.
            rows: as `allowed` made them.
            limit: rows at most.
            beside: scores half of a large table; None where nobody does.
        """
        if not len(rows) or limit < 1:
            return Ranked([], {})
        if len(rows) <= _GATHERED_SHARE * len(self.live):
            scores = np.vecdot(self._vectors(rows), question)
        else:
            scores = _taken(self._scores(question, beside), rows)
        best = _best(scores, _taken(self._chunks, rows), limit)
        chunks = list(zip(self._chunks[rows[best]].tolist(), scores[best].tolist(), strict=True))
        return Ranked(chunks, self._page_scores(rows, scores, best))

    def _scores(self, question: Floats, beside: SideThread | None) -> Floats:
        """Of every row, one by one.

        That takes half the time of a product of matrix and vector, and equal rows have equal scores
        wherever they stand.
        """
        half = len(self.base) // 2 if len(self.base) >= _ROWS_SHARED else 0
        work = partial(np.vecdot, self.base.vectors[:half], question)
        with beside.doing(work) if beside and half else nullcontext(work) as first:
            rest = (self.base.vectors[half:], self.tail.vectors)
            others = [np.vecdot(part, question) for part in rest]
            return np.concatenate([first(), *others])

    def _page_scores(self, rows: Ids, scores: Floats, best: Ids) -> dict[int, float]:
        """Cosine of the pages of the best rows: the mean vector's is the sum of its rows' scores.

        A filter lets a page through whole or not at all, so all its rows are among those scored.
        """
        page = _taken(self._page, rows)
        first = page.min()
        page = page - first  # a folder's pages lie close together among those of all others
        wanted = np.zeros(page.max() + 1, dtype=np.bool_)
        wanted[page[best]] = True
        members = np.flatnonzero(wanted[page])
        sums = np.bincount(page[members], scores[members], minlength=len(wanted))
        pages = np.flatnonzero(wanted)
        lengths = self.lengths[pages + first]
        cosines = sums[pages] / np.maximum(lengths, np.finfo(np.float32).tiny)
        return dict(zip(self.documents[pages + first].tolist(), cosines.tolist(), strict=True))

    def _page_lengths(self, known: tuple[Ids, Floats] | None) -> Floats:
        """Length of the sum of each document's live rows; 0 where none is left."""
        lengths = np.full(len(self.documents), np.nan, dtype=np.float32)
        if known is not None:
            here = np.isin(known[0], self.documents)
            lengths[np.searchsorted(self.documents, known[0][here])] = known[1][here]
        unknown = np.isnan(lengths)
        lengths[unknown] = 0
        rows = np.flatnonzero(unknown[self._page] & self.live)
        rows = rows[np.argsort(self._page[rows], kind="stable")]
        pages, starts = np.unique(self._page[rows], return_index=True)
        ends = np.append(starts[1:], len(rows))
        first = 0
        while first < len(pages):  # in blocks: a copy of a whole large table would not be small
            last = int(np.searchsorted(ends, starts[first] + _ROWS_SUMMED_AT_ONCE))
            last = min(max(last, first + 1), len(pages))
            block = self._vectors(rows[starts[first] : ends[last - 1]])
            sums = np.add.reduceat(block, starts[first:last] - starts[first], axis=0)
            lengths[pages[first:last]] = np.linalg.norm(sums, axis=1)
            first = last
        return lengths

    def _vectors(self, rows: Ids) -> Floats:
        """A copy of some rows, in ascending order of row or not."""
        split = len(self.base)
        if not len(self.tail):
            return self.base.vectors[rows]
        vectors = np.empty((len(rows), self.dimension), dtype=np.float32)
        in_base = rows < split
        vectors[in_base] = self.base.vectors[rows[in_base]]
        vectors[~in_base] = self.tail.vectors[rows[~in_base] - split]
        return vectors


def _rows_of(rows: Rows, documents: Ids) -> Ids:
    """The rows of some documents, ascending as these are."""
    first = np.searchsorted(rows.documents, documents, side="left")
    count = np.searchsorted(rows.documents, documents, side="right") - first
    before = np.cumsum(count) - count
    found: Ids = np.arange(count.sum()) + np.repeat(first - before, count)
    return found


def _taken(values: NDArray[_Value], rows: Ids) -> NDArray[_Value]:
    """The values of some ascending rows; no copy where they are all rows."""
    return values if len(rows) == len(values) else values[rows]


def _best(scores: Floats, chunks: Ids, limit: int) -> Ids:
    """Places of the highest scores, best first; among equal ones the lowest chunk id."""
    if limit < len(scores):
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    order = np.lexsort((chunks[places], -scores[places]))
    return places[order[:limit]]
