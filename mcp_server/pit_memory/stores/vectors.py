"""The vectors that are searched locally: an exact scan over the cached ones.

The table in memory follows two logs: the catalogue's generation (chunks come and go) and the
cache's mark (chunks get their vector). Large stores share a published file, see `vector_file`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import numpy as np

from pit_memory.core.legs import SearchFilters, SemanticRankings
from pit_memory.core.vectors import Coverage
from pit_memory.stores import vector_file
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.vector_cache import VectorCache
from pit_memory.stores.vector_file import Missing, VectorFile
from pit_memory.stores.vector_table import Floats, Mask, Rows, VectorTable

PUBLISHED_ABOVE: Final = 20_000
"""Chunks above which processes share one file: 30 MB each, and 0.1 s to read from the cache."""
_SCATTERED_ROWS: Final = 1_024
_SCATTERED_SHARE: Final = 0.125
"""A table with more rows than both of these outside its base gets a new base."""
_PUBLISHED_SHARE: Final = 0.05
"""A filler publishes again before that, so that the others need no base of their own."""
_READ_AT_ONCE: Final = 4_096
"""Vectors taken from the cache at once: more would be in memory three times for a moment."""
_MASKS_KEPT: Final = 16


class _Chunk(NamedTuple):
    document: int
    chunk: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class _State:
    """What is in memory; replaced whole, so that a search never sees half a change."""

    generation: int
    mark: str
    table: VectorTable
    missing: tuple[_Chunk, ...]
    """Chunks without a vector."""
    file: str
    """Name of the published file under the table; empty where its base is this process's own."""
    masks: dict[SearchFilters, Mask] = field(default_factory=dict)


class LocalVectors:
    """One store's vectors of one model (`core.vectors.VectorStore`)."""

    def __init__(
        self,
        catalogue: Catalogue,
        cache: VectorCache,
        *,
        fingerprint: str,
        dimension: int,
        folder: Path,
    ) -> None:
        """Name the parts; nothing is read before the first search.

        Args:
            catalogue: says which chunks there are, and what passes the filters.
            cache: the person's vectors.
            fingerprint: of the model; vectors of another one are never read.
            dimension: length of its vectors.
            folder: where a published file lies, a folder of the store.
        """
        self._catalogue = catalogue
        self._cache = cache
        self._fingerprint = fingerprint
        self._folder = folder
        self._follower = f"vectors {fingerprint}"
        self._changing = Lock()
        self._state = _State(0, "", VectorTable.empty(dimension), (), "")

    def search(self, question: Floats, filters: SearchFilters, limit: int) -> SemanticRankings:
        """Rank chunks by cosine with a question; see `core.vectors.VectorStore`."""
        state = self._present()
        ranked = state.table.rank(question, self._mask(state, filters), limit)
        return SemanticRankings(ranked.chunks, ranked.pages, _coverage(state).share)

    def coverage(self) -> Coverage:
        """How much of the store has a vector now."""
        return _coverage(self._present())

    def follow(self) -> None:
        """Publish the file that others share, where the store is large and enough has changed.

        Raises:
            StorageFullError: no room for it.
        """
        if self._catalogue.counts().chunks <= PUBLISHED_ABOVE:
            return
        state = self._present()
        table = state.table
        few = max(_SCATTERED_ROWS, _PUBLISHED_SHARE * len(table))
        if len(table) <= PUBLISHED_ABOVE or (state.file and table.scattered <= few):
            return
        tidy = table.compact()
        content = VectorFile(
            state.generation,
            state.mark,
            tidy.base,
            (tidy.documents, tidy.lengths),
            _packed(state.missing),
        )

        def record(name: str) -> None:
            self._catalogue.set_follower(self._follower, state.generation, name)

        if vector_file.publish(self._folder, self._fingerprint, content, record):
            with self._changing:
                self._state = self._with_newest_file(self._state)

    # ---- bringing in -------------------------------------------------------------------------

    def _present(self) -> _State:
        """The state with everything brought in that catalogue and cache hold now."""
        with self._changing:
            state = self._state
            if not len(state.table) or (not state.file and len(state.table) > PUBLISHED_ABOVE):
                state = self._with_newest_file(state)
            state = self._with_new_vectors(self._with_changes(state))
            scattered = state.table.scattered
            if scattered > max(_SCATTERED_ROWS, _SCATTERED_SHARE * len(state.table)):
                state = self._with_new_base(state)
            self._state = state
            return state

    def _with_changes(self, state: _State) -> _State:
        """Bring in the documents that changed since the state's generation."""
        if self._catalogue.generation() == state.generation:
            return state
        changes = self._catalogue.changes_since(state.generation)
        all_new = state.generation == 0
        chunks = [
            _Chunk(document, chunk, text_hash)
            for chunk, document, text_hash in self._catalogue.embed_hashes(
                None if all_new else changes.changed
            )
        ]
        mark = state.mark or self._cache.written_since(self._fingerprint, "").mark
        rows, missing = self._rows(chunks, state.table.dimension)
        replaced = {*changes.changed, *changes.removed}
        still_missing = tuple(chunk for chunk in state.missing if chunk.document not in replaced)
        return _State(
            changes.generation,
            mark,
            state.table.changed(replaced, rows),
            (*still_missing, *missing),
            state.file,
        )

    def _with_new_vectors(self, state: _State) -> _State:
        """Bring in the vectors that came into the cache since the state's mark."""
        if not state.missing:
            return state
        written = self._cache.written_since(self._fingerprint, state.mark)
        if written.mark == state.mark:
            return state
        chunks = [
            chunk
            for chunk in state.missing
            if written.hashes is None or chunk.hash in written.hashes
        ]
        rows, _ = self._rows(chunks, state.table.dimension)
        if not len(rows):
            return replace(state, mark=written.mark)
        found = set(rows.chunks.tolist())
        missing = tuple(chunk for chunk in state.missing if chunk.chunk not in found)
        return _State(
            state.generation, written.mark, state.table.changed((), rows), missing, state.file
        )

    def _rows(self, chunks: Iterable[_Chunk], dimension: int) -> tuple[Rows, list[_Chunk]]:
        """The rows of chunks, as far as the cache has their vectors, and the other chunks."""
        ordered = sorted(chunks)
        vectors = np.empty((len(ordered), dimension), dtype=np.float32)
        found: list[_Chunk] = []
        missing: list[_Chunk] = []
        for begin in range(0, len(ordered), _READ_AT_ONCE):
            part = ordered[begin : begin + _READ_AT_ONCE]
            cached = self._cache.read(
                self._fingerprint, list(dict.fromkeys(chunk.hash for chunk in part))
            )
            place = {text_hash: row for row, text_hash in enumerate(cached.hashes)}
            here = [chunk for chunk in part if chunk.hash in place]
            if here:
                end = len(found) + len(here)
                vectors[len(found) : end] = cached.vectors[[place[chunk.hash] for chunk in here]]
            found += here
            missing += [chunk for chunk in part if chunk.hash not in place]
        return Rows(
            np.array([chunk.chunk for chunk in found], dtype=np.int64),
            np.array([chunk.document for chunk in found], dtype=np.int64),
            vectors[: len(found)],
        ), missing

    # ---- the base ----------------------------------------------------------------------------

    def _with_new_base(self, state: _State) -> _State:
        newer = self._with_newest_file(state)
        if newer is not state:
            return self._with_new_vectors(self._with_changes(newer))
        return replace(state, table=state.table.compact(), file="", masks={})

    def _with_newest_file(self, state: _State) -> _State:
        """The state of the newest published file; the one at hand where there is none newer."""
        _, name = self._catalogue.follower(self._follower)
        if name in ("", state.file):
            return state
        content = vector_file.read(self._folder / name, self._fingerprint)
        if content is None:
            return state  # damaged or just replaced; the cache has it all
        table = VectorTable.with_base(content.rows, content.lengths)
        return _State(content.generation, content.mark, table, _unpacked(content.missing), name)

    def _mask(self, state: _State, filters: SearchFilters) -> Mask:
        """Which rows pass the filters."""
        mask = state.masks.get(filters)
        if mask is None:
            mask = state.table.allowed(self._catalogue.matching_documents(filters))
            if len(state.masks) >= _MASKS_KEPT:
                state.masks.clear()
            state.masks[filters] = mask
        return mask


def _coverage(state: _State) -> Coverage:
    built = len(state.table)
    return Coverage(built, built + len(state.missing))


def _packed(missing: Sequence[_Chunk]) -> Missing:
    return Missing(
        np.array([chunk.chunk for chunk in missing], dtype=np.int64),
        np.array([chunk.document for chunk in missing], dtype=np.int64),
        np.frombuffer(b"".join(chunk.hash for chunk in missing), dtype=np.uint8).reshape(-1, 32),
    )


def _unpacked(missing: Missing) -> tuple[_Chunk, ...]:
    return tuple(
        _Chunk(document, chunk, text_hash.tobytes())
        for document, chunk, text_hash in zip(
            missing.documents.tolist(), missing.chunks.tolist(), missing.hashes, strict=True
        )
    )
