"""The model and the vectors that the settings name, or why there are none."""

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.settings.engine_settings import EmbeddingSettings, VectorsSettings
from pit_memory.core.settings.settings import Settings
from pit_memory.errors import EmbedderError, StorageFullError, StoreError
from pit_memory.operations.upkeep.installed_parts import why_no_qdrant_client
from pit_memory.wiring.project import project_root
from pit_memory.workspace.installation import installation, model_is_pending
from pit_memory.workspace.places import Places, model_cards, model_verdict, places, vector_cache
from pit_memory.workspace.settings_files import load

if TYPE_CHECKING:
    from pit_memory.core.indexing.embedding import Embedder
    from pit_memory.core.indexing.vectors import VectorStore
    from pit_memory.embedders.builtin import BuiltinEmbedder
    from pit_memory.embedders.ollama import OllamaEmbedder
    from pit_memory.operations.searching.opened_store import Meaning
    from pit_memory.stores.qdrant_points import QdrantPoints
    from pit_memory.stores.store import Store
    from pit_memory.stores.vector_cache import VectorCache
    from pit_memory.workspace.side_thread import SideThread


class SharedMeaning:
    """The model and the person's vectors, which every store shares, or why there are none."""

    def __init__(
        self,
        embedder: "Embedder | None",
        cache: "VectorCache | None",
        without: str = "",
        points: "QdrantPoints | None" = None,
        beside: "SideThread | None" = None,
    ) -> None:
        self._embedder = embedder
        self._cache = cache
        self._points = points
        self.without = without
        """Empty where there is a model, and where none was wanted."""
        self.beside = beside
        """Takes work off a search; None where nothing does."""

    def of(self, store: "Store", server: VectorsSettings | None) -> "Meaning | None":
        """The parts that search a store by meaning; on a server only where settings are given."""
        if self._embedder is None or self._cache is None:
            return None
        from pit_memory.operations.searching.opened_store import Meaning
        from pit_memory.stores.semantic_leg import StoreMeaning

        embedder, cache = self._embedder, self._cache
        vectors = self._vectors(store, cache, embedder, server)
        return Meaning(embedder, cache, vectors, StoreMeaning(embedder, vectors))

    def _vectors(
        self,
        store: "Store",
        cache: "VectorCache",
        embedder: "Embedder",
        server: VectorsSettings | None,
    ) -> "VectorStore":
        fingerprint, dimension = embedder.fingerprint, embedder.dimension
        if server is None or self._points is None:
            from pit_memory.stores.vectors import LocalVectors

            return LocalVectors(
                store, cache, fingerprint=fingerprint, dimension=dimension, beside=self.beside
            )
        from pit_memory.stores.qdrant_vectors import QdrantVectors

        return QdrantVectors(
            store,
            cache,
            self._points,
            fingerprint=fingerprint,
            dimension=dimension,
            namespace=server.namespace or store.folder.name,
            alias=server.prefix,
        )


def shared_meaning(
    stack: ExitStack, settings: Settings, where: Places, *, for_many: bool = False
) -> SharedMeaning:
    """Make ready what the settings name, until the stack closes.

    Args:
        stack: closes it.
        settings: name the model and the place of the vectors.
        where: the folders of this person.
        for_many: many readers ask at once, and keep every core busy: a search has no second thread.
    """
    if settings.embedding.provider == "none":
        return SharedMeaning(None, None)
    embedder = _embedder(settings.embedding, where)
    try:
        embedder.check()
    except EmbedderError as error:
        builtin = settings.embedding.provider == "builtin"
        return SharedMeaning(None, None, _why_no_model(error) if builtin else str(error))
    on_server = settings.vectors.backend == "qdrant"
    if on_server and (missing := why_no_qdrant_client(Path(sys.prefix))):
        return SharedMeaning(None, None, missing)
    from pit_memory.stores.vector_cache import VectorCache
    from pit_memory.workspace.side_thread import SideThread

    try:
        cache = VectorCache.open(vector_cache(where))
    except (StoreError, StorageFullError) as error:
        return SharedMeaning(None, None, str(error))
    stack.callback(cache.close)
    points = _points(stack, settings.vectors, embedder) if on_server else None
    beside = None if for_many else SideThread()
    if beside:
        stack.callback(beside.close)
    return SharedMeaning(embedder, cache, points=points, beside=beside)


def _points(stack: ExitStack, settings: VectorsSettings, embedder: "Embedder") -> "QdrantPoints":
    from pit_memory.core.indexing.vector_server import ServerOptions, collection_name
    from pit_memory.stores.qdrant_points import QdrantPoints, qdrant_client

    points = QdrantPoints(
        qdrant_client(settings.url, settings.api_key),
        settings.url,
        collection_name(settings.prefix, embedder.fingerprint),
        embedder.fingerprint,
        embedder.dimension,
        ServerOptions(settings.quantization, settings.on_disk, settings.shards, settings.replicas),
    )
    stack.callback(points.close)
    return points


def _embedder(settings: EmbeddingSettings, where: Places) -> "BuiltinEmbedder | OllamaEmbedder":
    if settings.provider == "ollama":
        from pit_memory.embedders.ollama import OllamaEmbedder, OllamaModel

        model = OllamaModel(
            settings.url,
            settings.model,
            settings.keep_alive,
            settings.query_prefix,
            settings.document_prefix,
        )
        return OllamaEmbedder(model, model_cards(where))
    from pit_memory.embedders.builtin import BuiltinEmbedder

    return BuiltinEmbedder(model_verdict(where))


def _why_no_model(error: EmbedderError) -> str:
    """Say why there is no model; in an environment of the launcher it may be on its way."""
    if not model_is_pending(Path(sys.prefix)):
        return str(error)
    built = installation(Path(sys.prefix))
    failure = built.model_failure if built else ""
    return failure or "the model is still being installed; meaning follows by itself"


def meaning_is_pending(root: Path | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether search by meaning, where there is none now, may come by itself.

    The builtin model may still be on its way, or a model server was never in reach so far.
    """
    where = places(environ)
    settings = load(project_root(root), where, environ, lenient=True).settings.embedding
    if settings.provider != "ollama":
        return settings.provider == "builtin" and model_is_pending(Path(sys.prefix))
    try:
        _embedder(settings, where).check()
    except EmbedderError:
        return True
    return False
