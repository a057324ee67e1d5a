"""Fill in meaning behind: embed what has no vector yet, newest documents first, each text once.

Any number of processes may fill at the same time: one of them embeds at a time, under a lock that
the kernel frees, and looks into the cache again before it does. What a batch embedded is kept at
once, so a kill costs one batch.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pit_memory.core.indexing.embedding import Embedder
from pit_memory.core.indexing.vectors import Coverage, VectorStore
from pit_memory.core.progress import Progress
from pit_memory.errors import EmbedderError
from pit_memory.operations.indexing.texts_to_embed import TextsToEmbed
from pit_memory.stores.store import Store
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.priority import lower_process_priority, lower_thread_priority

if TYPE_CHECKING:
    from pit_memory.stores.vector_cache import VectorCache


BATCH_TEXTS: Final = 16
"""Texts embedded between two looks at the cache: about 0.3 s on two cores, lost by a kill."""
_TURN_SECONDS: Final = 2.0
"""How long a filler embeds before it lets another one have its turn."""
_HAND_OVER_SECONDS: Final = 0.025
"""Longer than the longest pause between two tries for a lock: whoever waits gets its turn."""
_FOLLOW_SECONDS: Final = 60.0
"""How often the searched vectors are brought up during a long fill."""
_PAUSE_SHARE: Final = 1.0
"""Idle time for each second of work, where a thread can't be given a low priority."""
_MEASURED_TEXTS: Final = 32
"""Fewer texts say little about the rate."""
_SECONDS_A_DAY: Final = 86_400
_PROBE: Final = "The model can read a plain sentence."


@dataclass(frozen=True, slots=True)
class FillReport:
    """What a fill did."""

    computed: int
    """Texts embedded by this call, not those that others embedded meanwhile."""
    refused: tuple[str, ...]
    """One line for each text that the model gave no vector for; the others are embedded."""
    complete: bool
    """False where it was stopped."""
    generation: int
    """The generation of the store up to which every text was seen; the next fill's `since`."""


def fill(
    store: Store,
    cache: "VectorCache",
    embedder: Embedder,
    vectors: VectorStore,
    *,
    since: int = 0,
    progress: Progress | None = None,
    stop: Callable[[], bool] = lambda: False,
    pause_share: float = 0.0,
) -> FillReport:
    """Embed what has no vector yet, to the end.

    Args:
        store: its texts, those that come in meanwhile too.
        cache: the person's vectors.
        embedder: the model; loaded only where something is missing.
        vectors: the store's searched vectors, brought up at the end and now and then.
        since: generation that an earlier fill has completed; only what changed later is looked at.
        progress: called after each batch.
        stop: asked before each batch.
        pause_share: idle time after each batch, as a multiple of the time it took.

    Raises:
        EmbedderError: the model can't run.
        StoreError, StorageFullError: catalogue or cache can't be used now.
    """
    waiting = TextsToEmbed(store, cache, embedder.fingerprint, since)
    one_at_a_time = FileLock(_embedding_lock(cache))
    filler = _Filler(store, cache, embedder)
    followed = rated = time.monotonic()
    while waiting.look(cache_day()) and not stop():
        if not one_at_a_time.try_acquire():
            time.sleep(_HAND_OVER_SECONDS)
            continue
        left_before = len(waiting)
        try:
            turn_ends = time.monotonic() + _TURN_SECONDS
            while waiting and not stop():
                begun = time.monotonic()
                filler.embed(waiting.take(BATCH_TEXTS))
                if progress is not None:
                    progress(waiting.total - len(waiting), waiting.total)
                time.sleep(pause_share * (time.monotonic() - begun))
                if time.monotonic() > turn_ends:
                    break
        finally:
            one_at_a_time.release()
        filler.measured(left_before - len(waiting), time.monotonic() - rated)
        rated = time.monotonic()
        if rated - followed > _FOLLOW_SECONDS:
            vectors.follow()
            followed = rated
        time.sleep(_HAND_OVER_SECONDS if waiting else 0)
    complete = not waiting
    if complete:
        if not since and one_at_a_time.try_acquire():
            try:
                cache.trim(cache_day())
            finally:
                one_at_a_time.release()
        vectors.follow()
    return FillReport(filler.computed, tuple(filler.refused), complete, waiting.generation)


def embed_few(
    store: Store,
    cache: "VectorCache",
    embedder: Embedder,
    hashes: Sequence[bytes],
    *,
    most: int,
) -> int:
    """Embed some texts that a question is about, newest first, before it is answered.

    Args:
        store: its texts.
        cache: the person's vectors.
        embedder: the model.
        hashes: of the texts, oldest first; those that have a vector cost nothing.
        most: texts to embed; nothing is done where more lack a vector.

    Returns:
        How many still lack one.

    Raises:
        EmbedderError: the model can't run.
        StoreError, StorageFullError: catalogue or cache can't be used now.
    """
    missing = cache.missing(embedder.fingerprint, hashes)
    if len(missing) > most:
        return len(missing)
    filler = _Filler(store, cache, embedder)
    for begin in range(0, len(missing), BATCH_TEXTS):
        filler.embed(missing[begin : begin + BATCH_TEXTS])
    return len(missing) - filler.computed


def fill_behind(
    store: Store,
    cache: "VectorCache",
    embedder: Embedder,
    vectors: VectorStore,
    *,
    since: int = 0,
    stop: Callable[[], bool] = lambda: False,
    own_process: bool = False,
) -> FillReport | None:
    """Like `fill`, but out of everyone's way: None, at once, where another is filling this store.

    The calling thread keeps the lowest priority; where a thread has none of its own, it pauses.

    Args:
        store: its texts.
        cache: the person's vectors.
        embedder: the model.
        vectors: the store's searched vectors.
        since: generation that an earlier fill has completed.
        stop: asked before each batch.
        own_process: the process does nothing else, so all of it gets the lowest priority.

    Raises:
        EmbedderError, StoreError, StorageFullError: as `fill`.
    """
    only_one = FileLock(store.folder / "meaning.lock")
    if not only_one.try_acquire():
        return None
    try:
        if own_process:
            lower_process_priority()
        gentle = own_process or lower_thread_priority()
        return fill(
            store,
            cache,
            embedder,
            vectors,
            since=since,
            stop=stop,
            pause_share=0.0 if gentle else _PAUSE_SHARE,
        )
    finally:
        only_one.release()


def coverage(
    store: Store, cache: "VectorCache", fingerprint: str, source: str | None = None
) -> Coverage:
    """How far a store's meaning, or one source's, is built, without loading vectors.

    Raises:
        StoreError: catalogue or cache can't be used now.
    """
    documents = None if source is None else [*store.catalogue.paths(source)]
    hashes = [text_hash for _, _, text_hash in store.catalogue.embed_hashes(documents)]
    missing = set(cache.missing(fingerprint, hashes))
    left = sum(text_hash in missing for text_hash in hashes)
    rate = cache.rate(fingerprint) if left else None
    return Coverage(len(hashes) - left, len(hashes), left / rate if rate else None)


class _Filler:
    """Embeds batches and counts what comes of it."""

    def __init__(self, store: Store, cache: "VectorCache", embedder: Embedder) -> None:
        self._store = store
        self._cache = cache
        self._embedder = embedder
        self._rate = cache.rate(embedder.fingerprint)
        self._texts, self._seconds = 0, 0.0
        self.computed = 0
        self.refused: list[str] = []

    def embed(self, hashes: Sequence[bytes]) -> None:
        """Embed and keep those of some texts that still have no vector."""
        fingerprint = self._embedder.fingerprint
        missing = self._cache.missing(fingerprint, hashes)
        found = self._store.catalogue.texts_to_embed(missing)
        texts = {text_hash: found[text_hash] for text_hash in missing if text_hash in found}
        if not texts:
            return  # others embedded them, or their documents changed
        try:
            vectors = self._embedder.embed_documents([*texts.values()])
        except EmbedderError as error:
            if len(texts) > 1:
                for text_hash in texts:
                    self.embed([text_hash])
                return
            self._embedder.embed_documents([_PROBE])  # raises where the model can't run at all
            self.refused.append(str(error))
            return
        self.computed += self._cache.write(fingerprint, [*texts], vectors, cache_day())

    def measured(self, texts: int, seconds: float) -> None:
        """Record the rate for whoever estimates the time left; a smooth one."""
        self._texts += texts
        self._seconds += seconds
        if self._texts < _MEASURED_TEXTS or not self._seconds:
            return
        rate = self._texts / self._seconds
        self._rate = rate if self._rate is None else (self._rate + rate) / 2
        self._cache.set_rate(self._embedder.fingerprint, self._rate)
        self._texts, self._seconds = 0, 0.0


def _embedding_lock(cache: "VectorCache") -> Path:
    return cache.path.with_name(f"{cache.path.name}.embedding")


def cache_day() -> int:
    """Today, as the cache counts uses: in days since the epoch."""
    return int(time.time() // _SECONDS_A_DAY)
