"""Which texts of a store have no vector yet, newest documents first."""

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from pit_memory.stores.store import Store

if TYPE_CHECKING:
    from pit_memory.stores.vector_cache import VectorCache

_BLOCK_CHUNKS: Final = 100
"""A document's chunks in front of the next document's: a log of 10 MB must not hold up all notes,
so its later blocks wait until every document has had its first."""


class TextsToEmbed:
    """A queue of text hashes, newest documents first; it follows the store while worked off."""

    def __init__(
        self, store: Store, cache: "VectorCache", fingerprint: str, since: int = 0
    ) -> None:
        """Name the parts; `look` asks them.

        Args:
            store: whose texts.
            cache: says which of them have a vector.
            fingerprint: of the model.
            since: generation of the store from which on to look.
        """
        self._store = store
        self._cache = cache
        self._fingerprint = fingerprint
        self._catalogue = store.catalogue
        self._hashes: list[bytes] = []  # the next one last
        self.generation = since
        """Generation of the store up to which texts were seen."""
        self.total = 0
        """Texts seen, with and without a vector."""

    def __len__(self) -> int:
        return len(self._hashes)

    def look(self, day: int) -> bool:
        """Bring in what changed in the store; True where something is to be embedded.

        Args:
            day: days since the epoch: what is in use today isn't trimmed from the cache.
        """
        if self._catalogue is not self._store.catalogue:  # begun anew after damage
            self._catalogue, self.generation = self._store.catalogue, 0
        if self._catalogue.generation() != self.generation:
            changes = self._catalogue.changes_since(self.generation)
            self._bring_in(changes.changed if self.generation else None, day)
            self.generation = changes.generation
        return bool(self._hashes)

    def take(self, count: int) -> list[bytes]:
        """Remove the next texts from the queue and return their hashes."""
        taken = self._hashes[-count:][::-1]
        del self._hashes[-count:]
        return taken

    def _bring_in(self, documents: Collection[int] | None, day: int) -> None:
        """Put the texts of some documents, or of all, in front as far as they have no vector."""
        chunks = self._catalogue.embed_hashes(documents)
        hashes = list(dict.fromkeys(text_hash for _, _, text_hash in chunks))
        self._cache.touch(self._fingerprint, hashes, day)
        missing = set(self._cache.missing(self._fingerprint, hashes))
        self.total += len(hashes)
        written = {
            row.id: row.mtime_ns
            for row in self._catalogue.documents(
                {document for _, document, text_hash in chunks if text_hash in missing}
            ).values()
        }
        position: Counter[int] = Counter()
        order = []
        for chunk, document, text_hash in chunks:
            if text_hash in missing:
                block = position[document] // _BLOCK_CHUNKS
                position[document] += 1
                order.append((block, -written.get(document, 0), chunk, text_hash))
        queued = set(self._hashes)
        fresh = dict.fromkeys(key for *_, key in sorted(order) if key not in queued)
        self._hashes += reversed(fresh)
