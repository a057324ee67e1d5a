"""Forget the index of a source that was removed, and the vectors that nothing else uses."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.errors import StoreError
from pit_memory.operations.indexing.sync import follow_to_the_end
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.store import Store, newest_catalogue

if TYPE_CHECKING:
    from pit_memory.stores.vector_cache import VectorCache


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten."""

    documents: int
    vectors: int
    """Those that no other source of this person uses."""


def forget_source(
    store: Store, name: str, cache: "VectorCache | None", all_stores: Path
) -> Forgotten | None:
    """Forget everything a store knows of a source; its files are not touched.

    Args:
        store: that holds the source.
        name: of the source.
        cache: the person's vectors; None where there are none.
        all_stores: folder of all stores: their texts keep their vectors.

    Returns:
        None where the store knows no such source.

    Raises:
        StoreError, StorageFullError: the index can't be changed now.
    """
    catalogue = store.catalogue
    documents = [*catalogue.paths(name)]
    if not documents and catalogue.source(name) is None:
        return None
    hashes = {text_hash for _, _, text_hash in catalogue.embed_hashes(documents)}
    with catalogue.write() as writer:
        writer.remove_source(name)
    follow_to_the_end(store)
    for other in _catalogues(all_stores):
        hashes -= other.used_hashes(hashes)
    vectors = cache.forget(hashes) if cache is not None and hashes else 0
    return Forgotten(len(documents), vectors)


def _catalogues(all_stores: Path) -> Iterator[Catalogue]:
    for folder in sorted(all_stores.iterdir()):
        if (file := newest_catalogue(folder)) is None:
            continue
        try:
            catalogue = Catalogue.open(file, must_exist=True)
        except StoreError:
            continue  # its texts are embedded again where it is built again
        try:
            yield catalogue
        finally:
            catalogue.close()
