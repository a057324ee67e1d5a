"""The vectors that are searched locally: an exact scan over the cached ones.

The table in memory follows two logs: the catalogue's generation (chunks come and go) and the
cache's mark (chunks get their vector). Large stores share a published file, see `vector_file`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Final, NamedTuple

import numpy as np

from pit_memory.core.indexing.vectors import Coverage, check_question
from pit_memory.core.search.legs import SearchFilters, SemanticRankings
from pit_memory.stores import vector_file
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache
from pit_memory.stores.vector_file import Missing, VectorFile
from pit_memory.stores.vector_table import Floats, Ids, Rows, VectorTable
from pit_memory.workspace.side_thread import SideThread

PUBLISHED_ABOVE: Final = 20_000
"""Chunks above which processes share one file: 30 MB each, and 0.1 s to read from the cache."""
_SCATTERED_ROWS: Final = 1_024
_SCATTERED_SHARE: Final = 0.125
"""A table with more rows than both of these outside its base gets a new base."""
_PUBLISHED_SHARE: Final = 0.05
"""A filler publishes again before that, so that the others need no base of their own."""
_READ_AT_ONCE: Final = 4_096
"""Vectors taken from the cache at once: more would be in memory three times for a moment."""
_ROWS_KEPT: Final = 8
"""Filters whose rows are remembered: 8 bytes a row that passes."""


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
    catalogue: Catalogue
    """What it follows; another object where the store began anew after damage."""
    file: str = ""
    """Name of the published file under the table; empty where its base is this process's own."""
    base_generation: int = 0
    """The generation that the table's base stands at."""
    rows: dict[SearchFilters, Ids] = field(default_factory=dict)
    """What passes the filters that were asked for lately."""


class LocalVectors:
    """One store's vectors of one model (`core.indexing.vectors.VectorStore`)."""

    def __init__(
        self,
        store: Store,
        cache: VectorCache,
        *,
        fingerprint: str,
        dimension: int,
        beside: SideThread | None = None,
    ) -> None:
        """Name the parts; nothing is read before the first search.

        Args:
            store: its catalogue says which chunks there are and what passes the filters; a
                published file lies in its folder.
            cache: the person's vectors.
            fingerprint: of the model; vectors of another one are never read.
            dimension: length of its vectors.
            beside: does half of a large scan.
        """
        self._store = store
        self._cache = cache
        self._fingerprint = fingerprint
        self._dimension = dimension
        self._folder = store.folder / "vectors"
        self._follower = f"vectors {fingerprint}"
        self._beside = beside
        self._changing = Lock()
        self._state = self._empty()

    def search(self, question: Floats, filters: SearchFilters, limit: int) -> SemanticRankings:
        """Rank chunks by cosine with a question; see `core.indexing.vectors.VectorStore`."""
        check_question(question, self._dimension)
        state = self._present()
        rows = self._rows_passing(state, filters)
        ranked = state.table.rank(question, rows, limit, self._beside)
        coverage = self._coverage(state)
        return SemanticRankings(
            ranked.chunks,
            ranked.pages,
            coverage.share,
            coverage.seconds_left,
            waiting=frozenset(chunk.chunk for chunk in state.missing),
        )

    def bring_up(self) -> None:
        """Read what catalogue and cache hold now; a tenth of a second for the first 10,000."""
        self._present()

    def coverage(self) -> Coverage:
        """How much of the store has a vector now."""
        return self._coverage(self._present())

    def follow(self) -> None:
        """Publish the file that others share, where the store is large and enough has changed.

        Raises:
            StorageFullError: no room for it.
        """
        if self._store.catalogue.counts().chunks <= PUBLISHED_ABOVE:
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
            state.catalogue.set_follower(self._follower, state.generation, name)

        if vector_file.publish(self._folder, self._fingerprint, content, record):
            with self._changing:
                self._state = self._with_newest_file(self._state)

    # ---- bringing in -------------------------------------------------------------------------

    def _present(self) -> _State:
        """The state with everything brought in that catalogue and cache hold now."""
        with self._changing:
            state = self._state
            if state.catalogue is not self._store.catalogue:
                state = self._empty()
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
        catalogue = state.catalogue
        if catalogue.generation() == state.generation:
            return state
        changes = catalogue.changes_since(state.generation)
        all_new = state.generation == 0
        chunks = [
            _Chunk(document, chunk, text_hash)
            for chunk, document, text_hash in catalogue.embed_hashes(
                None if all_new else changes.changed
            )
        ]
        mark = state.mark or self._cache.written_since(self._fingerprint, "").mark
        rows, missing = self._rows(chunks, state.table.dimension)
        replaced = {*changes.changed, *changes.removed}
        still_missing = tuple(chunk for chunk in state.missing if chunk.document not in replaced)
        return replace(
            state,
            generation=changes.generation,
            mark=mark,
            table=state.table.changed(replaced, rows),
            missing=(*still_missing, *missing),
            rows={},
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
        table = state.table.changed((), rows)
        return replace(state, mark=written.mark, table=table, missing=missing, rows={})

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

    def _empty(self) -> _State:
        return _State(0, "", VectorTable.empty(self._dimension), (), self._store.catalogue)

    def _coverage(self, state: _State) -> Coverage:
        built, missing = len(state.table), len(state.missing)
        rate = self._cache.rate(self._fingerprint) if missing else None
        return Coverage(built, built + missing, missing / rate if rate else None)

    # ---- the base ----------------------------------------------------------------------------

    def _with_new_base(self, state: _State) -> _State:
        newer = self._with_newest_file(state)
        if newer is not state:
            return self._with_new_vectors(self._with_changes(newer))
        return replace(
            state,
            table=state.table.compact(),
            file="",
            base_generation=state.generation,
            rows={},
        )

    def _with_newest_file(self, state: _State) -> _State:
        """The state of the newest published file; the one at hand where there is none newer."""
        generation, name = state.catalogue.follower(self._follower)
        if name in ("", state.file) or generation < state.base_generation:
            return state
        content = vector_file.read(self._folder / name, self._fingerprint)
        if content is None:
            return state  # damaged or just replaced; the cache has it all
        return _State(
            content.generation,
            content.mark,
            VectorTable.with_base(content.rows, content.lengths),
            _unpacked(content.missing),
            state.catalogue,
            name,
            content.generation,
        )

    def _rows_passing(self, state: _State, filters: SearchFilters) -> Ids:
        rows = state.rows.get(filters)
        if rows is None:
            rows = state.table.allowed(state.catalogue.matching_documents(filters))
            if len(state.rows) >= _ROWS_KEPT:
                state.rows.clear()
            state.rows[filters] = rows
        return rows


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
