"""The vectors of a store on a Qdrant server, filled from the cache: nothing is embedded again.

The server follows two logs, like the local table: the catalogue's generation (chunks come and go)
and the cache's mark (chunks get their vector). Points are named by where their text stands, so any
number of replicas fill and search the same ones. What a search finds counts only where this
replica's catalogue has that text at that place, and lets it through the filters: a point that is
behind can hide something for a moment, and never show it to somebody else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final

import numpy as np

from pit_memory.core.indexing.vector_server import PointPlace, document_key, point_id
from pit_memory.core.indexing.vectors import Coverage, check_question
from pit_memory.core.search.legs import SearchFilters, SemanticRankings
from pit_memory.errors import StoreError
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.keyword_filters import FILE_MARK, Condition, conditions_of, terms_of
from pit_memory.stores.qdrant_points import (
    DOCUMENT,
    NAMESPACE,
    PLACE,
    Point,
    QdrantPoints,
    Term,
)
from pit_memory.stores.rows import WholeDocument
from pit_memory.stores.store import Store
from pit_memory.stores.vector_cache import VectorCache
from pit_memory.stores.vector_table import Floats
from pit_memory.workspace.locks import FileLock

_DOCUMENTS_AT_ONCE: Final = 200
_LITTLE_DOCUMENTS: Final = 50
"""A search brings in so many changed documents by itself; more are left to the filler."""
_LITTLE_TEXTS: Final = 500
_SPARE_POINTS: Final = 20
"""Asked for beside the limit: some may be of texts that this catalogue no longer has."""
_WAIT_SECONDS: Final = 600.0
"""For another process that fills the same server from the same store."""


@dataclass(frozen=True, slots=True)
class _State:
    """What is known of the store's chunks; replaced whole."""

    catalogue: Catalogue
    generation: int = 0
    mark: str = ""
    total: int = 0
    missing: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """Chunk to its document and hash, where it has no vector yet."""
    documents: dict[int, str] = field(default_factory=dict)
    """Document to what it is called on the server; also of some that are gone."""


class QdrantVectors:
    """One store's vectors of one model on a server (`core.indexing.vectors.VectorStore`)."""

    def __init__(
        self,
        store: Store,
        cache: VectorCache,
        points: QdrantPoints,
        *,
        fingerprint: str,
        dimension: int,
        namespace: str,
        alias: str,
    ) -> None:
        """Name the parts; nothing is asked before the first search.

        Args:
            store: its catalogue says which chunks there are and what passes the filters.
            cache: the person's vectors.
            points: the collection.
            fingerprint: of the model.
            dimension: length of its vectors.
            namespace: tells this project's points from those of others in the collection; replicas
                of one project share it.
            alias: names the newest complete collection, for people and their tools.
        """
        self._store = store
        self._cache = cache
        self._points = points
        self._fingerprint = fingerprint
        self._dimension = dimension
        self._namespace = namespace
        self._alias = alias
        self._filling = FileLock(store.folder / f"{points.collection}.lock")
        self._changing = Lock()
        self._state = _State(store.catalogue)

    def search(self, question: Floats, filters: SearchFilters, limit: int) -> SemanticRankings:
        """Rank chunks by cosine with a question; see `core.indexing.vectors.VectorStore`."""
        check_question(question, self._dimension)
        catalogue = self._store.catalogue
        self._bring_in_little(catalogue)
        state = self._present()
        found = self._points.search(
            question, self._terms(catalogue, filters), limit + limit // 4 + _SPARE_POINTS
        )
        allowed = catalogue.matching_documents(filters)
        places = [(_place(each.payload[PLACE]), each.score) for each in found]
        here = catalogue.chunks_at([place for place, _ in places])
        ranked: dict[int, float] = {}
        documents: dict[int, int] = {}
        for place, score in places:
            for document, chunk in here.get(place, ()):
                if allowed is None or document in allowed:
                    ranked[chunk], documents[chunk] = score, document
        best = sorted(ranked.items(), key=lambda item: (-item[1], item[0]))[:limit]
        coverage = self._coverage(state)
        return SemanticRankings(
            best,
            self._pages(catalogue, question, {documents[chunk] for chunk, _ in best}),
            coverage.share,
            coverage.seconds_left,
            waiting=frozenset(state.missing),
        )

    def bring_up(self) -> None:
        """Nothing: the server has them."""

    def coverage(self) -> Coverage:
        """How much of the store has a vector on the server now; nothing while it can't be asked."""
        state = self._present()
        try:
            return self._coverage(state)
        except StoreError:
            return Coverage(0, state.total)

    def follow(self) -> None:
        """Bring in everything that was embedded, changed or removed since the last time.

        Raises:
            StoreError: the server can't be asked now; a later call goes on where this one ended.
        """
        self._filling.acquire(_WAIT_SECONDS)
        try:
            self._fill()
        finally:
            self._filling.release()
        coverage = self.coverage()
        if coverage.total and coverage.built == coverage.total:
            self._points.make_current(self._alias)

    # ---- filling the server ------------------------------------------------------------------

    def _bring_in_little(self, catalogue: Catalogue) -> None:
        """Follow where that is little work and nobody else is at it."""
        name = self._follower()
        generation, mark = catalogue.follower(name)
        written = self._cache.written_since(self._fingerprint, mark)
        if catalogue.generation() == generation and written.mark == mark:
            return
        changes = catalogue.changes_since(generation)
        much = written.hashes is None or len(written.hashes) > _LITTLE_TEXTS
        if changes.count > _LITTLE_DOCUMENTS or much or not self._filling.try_acquire():
            return
        try:
            self._fill()
        finally:
            self._filling.release()

    def _fill(self) -> None:
        catalogue = self._store.catalogue
        name = self._follower()
        generation, mark = catalogue.follower(name)
        written = self._cache.written_since(self._fingerprint, mark)
        if written.hashes is None:
            generation = 0  # the mark says nothing about this cache: everything once more
        elif written.hashes:
            self._upload(catalogue, catalogue.documents_with_hashes(written.hashes))
        if written.mark != mark:
            catalogue.set_follower(name, generation, written.mark)
        while True:
            changes = catalogue.changes_since(generation, limit=_DOCUMENTS_AT_ONCE)
            if changes.generation == generation:
                return
            self._upload(catalogue, changes.changed)
            self._take_out(changes.removed)
            generation = changes.generation
            catalogue.set_follower(name, generation, written.mark)

    def _follower(self) -> str:
        return f"qdrant {self._points.collection} {self._namespace} {self._points.born()}"

    def _upload(self, catalogue: Catalogue, documents: Sequence[int]) -> None:
        for begin in range(0, len(documents), _DOCUMENTS_AT_ONCE):
            some = catalogue.whole_documents(documents[begin : begin + _DOCUMENTS_AT_ONCE])
            points = list(self._points_of(catalogue, some))
            self._points.upsert(points)
            keys = [document_key(whole.source, whole.document.path) for whole in some]
            if keys:
                self._points.delete(self._namespace, keys, but=[point.id for point in points])

    def _points_of(self, catalogue: Catalogue, documents: list[WholeDocument]) -> Iterator[Point]:
        """The points of documents, as far as the cache has their vectors."""
        by_id = {whole.id: whole for whole in documents}
        hashes = {chunk: key for chunk, _, key in catalogue.embed_hashes(by_id)}
        cached = self._cache.read(self._fingerprint, list(dict.fromkeys(hashes.values())))
        rows = {key: row for row, key in enumerate(cached.hashes)}
        for whole in documents:
            payload = self._payload(whole)
            for chunk, row in zip(whole.document.chunks, whole.chunk_ids, strict=True):
                key = hashes.get(row)
                if key not in rows:
                    continue
                path = whole.document.path
                place = PointPlace(whole.source, path, chunk.section, chunk.part, key)
                at = [place.source, place.path, place.section, place.part, place.hash.hex()]
                yield Point(
                    point_id(self._namespace, place),
                    cached.vectors[rows[key]],
                    {**payload, PLACE: at},
                )

    def _payload(self, whole: WholeDocument) -> dict[str, Any]:
        fields: dict[str, list[str]] = {}
        for name, term in terms_of(whole):
            fields.setdefault(name, []).append(term)
        key = document_key(whole.source, whole.document.path)
        return {NAMESPACE: self._namespace, DOCUMENT: key, **fields}

    def _take_out(self, removed: Sequence[int]) -> None:
        """Forget documents; where their names are not known any more, whatever has none here."""
        if not removed:
            return
        known = self._state.documents
        live = self._keys(self._store.catalogue)
        gone = {known[document] for document in removed if document in known}
        if any(document not in known for document in removed):
            gone = self._points.documents(self._namespace)
        stale = sorted(gone - live)
        for begin in range(0, len(stale), _DOCUMENTS_AT_ONCE):
            self._points.delete(self._namespace, stale[begin : begin + _DOCUMENTS_AT_ONCE])

    def _keys(self, catalogue: Catalogue) -> set[str]:
        return {document_key(source, path) for source, path in catalogue.paths().values()}

    # ---- what is built -----------------------------------------------------------------------

    def _present(self) -> _State:
        """The state with everything brought in that catalogue and cache hold now."""
        with self._changing:
            state, catalogue = self._state, self._store.catalogue
            if state.catalogue is not catalogue:
                state = _State(catalogue)
            if catalogue.generation() != state.generation:
                state = self._with_changes(state)
            self._state = state = self._with_new_vectors(state)
            return state

    def _with_changes(self, state: _State) -> _State:
        catalogue = state.catalogue
        changes = catalogue.changes_since(state.generation)
        mark = state.mark or self._cache.written_since(self._fingerprint, "").mark
        all_new = state.generation == 0
        chunks = catalogue.embed_hashes(None if all_new else changes.changed)
        without = set(self._cache.missing(self._fingerprint, (key for _, _, key in chunks)))
        gone = {*changes.changed, *changes.removed}
        missing = {chunk: at for chunk, at in state.missing.items() if at[0] not in gone}
        missing |= {chunk: (document, key) for chunk, document, key in chunks if key in without}
        names = {
            document: document_key(source, path)
            for document, (source, path) in catalogue.paths().items()
        }
        return replace(
            state,
            generation=changes.generation,
            mark=mark,
            total=catalogue.counts().chunks,
            missing=missing,
            documents=state.documents | names,
        )

    def _with_new_vectors(self, state: _State) -> _State:
        if not state.missing:
            return state
        written = self._cache.written_since(self._fingerprint, state.mark)
        if written.mark == state.mark:
            return state
        hashes = [key for _, key in state.missing.values()]
        if written.hashes is None:
            without = set(self._cache.missing(self._fingerprint, hashes))
        else:
            without = set(hashes) - written.hashes
        missing = {chunk: at for chunk, at in state.missing.items() if at[1] in without}
        return replace(state, mark=written.mark, missing=missing)

    def _coverage(self, state: _State) -> Coverage:
        """Chunks count where they have a vector and their document is on the server."""
        behind = 0
        generation, _ = state.catalogue.follower(self._follower())
        if generation != state.generation:
            behind = state.catalogue.chunks_since(generation)
        missing = len(state.missing)
        built = max(0, state.total - max(missing, behind))
        rate = self._cache.rate(self._fingerprint) if missing else None
        return Coverage(built, state.total, missing / rate if rate else None)

    def _pages(
        self, catalogue: Catalogue, question: Floats, documents: set[int]
    ) -> dict[int, float]:
        """Cosine of pages with a question, from the cache: the sum of a page's vectors is its."""
        chunks = catalogue.embed_hashes(documents)
        keys = list(dict.fromkeys(key for _, _, key in chunks))
        cached = self._cache.read(self._fingerprint, keys)
        rows = {key: row for row, key in enumerate(cached.hashes)}
        sums: dict[int, Floats] = {}
        for _, document, key in chunks:
            if key in rows:
                zero = np.zeros(self._dimension, dtype=np.float32)
                sums[document] = sums.get(document, zero) + cached.vectors[rows[key]]
        tiny = np.finfo(np.float32).tiny
        return {
            document: float(total @ question / max(np.linalg.norm(total), tiny))
            for document, total in sums.items()
        }

    # ---- filters -----------------------------------------------------------------------------

    def _terms(self, catalogue: Catalogue, filters: SearchFilters) -> Iterator[Term]:
        yield Term(NAMESPACE, (self._namespace,))
        for condition in conditions_of(filters):
            values = (*condition.terms, *_globbed(catalogue, condition))
            yield Term(condition.field, values, condition.negated)


def _globbed(catalogue: Catalogue, condition: Condition) -> Iterator[str]:
    """The terms of the paths that a condition's globs mean."""
    if condition.globs is not None:
        for _, path in catalogue.paths().values():
            if condition.globs.match_glob(path):
                yield FILE_MARK + path


def _place(at: Sequence[Any]) -> PointPlace:
    source, path, section, part, key = at
    return PointPlace(source, path, section, part, bytes.fromhex(key))
