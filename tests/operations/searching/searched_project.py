"""A folder of documents with its store, to search in; and semantic legs without a model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.search.legs import SearchFilters, SemanticRankings
from pit_memory.core.source import Source
from pit_memory.errors import EmbedderError
from pit_memory.operations.indexing.sync import sync
from pit_memory.operations.searching.search import SearchedStore, SearchRequest, search
from pit_memory.stores.store import Store
from tests.builders import write_files

DOCS = {
    "docs/keys.md": """\
---
tags: [ops, keys]
description: Everything about signing keys
---
# Signing keys

## Rotation

Rotate the signing key every quarter with `keyctl rotate --grace 24h`.
Old tokens stay valid for a day.

## Backup

The vault keeps three encrypted copies of the signing key.
""",
    "docs/net.md": """\
# Networking

## Timeouts

Set `MAX_IDLE_SECONDS` on docker01.lan:8080, or see ERR_CONNECTION_RESET_BY_PEER.

## 文書検索

全文検索の設定を説明します。
""",
    "docs/_drafts/region.md": """\
---
draft: true
---
# Rotation in the new region

The signing key of the new region is rotated by hand.
""",
    "notes/plain.md": "Before any heading there is a hippopotamus.\n",
}


@dataclass
class Project:
    """A folder of documents with its store."""

    root: Path
    store: Store
    searched: SearchedStore

    def sync(self) -> None:
        sync(self.store, [Source("", str(self.root))])

    def ask(self, question: str, **asked: object) -> SearchAnswer:
        request = replace(SearchRequest(question), **asked)  # type: ignore[arg-type]
        return search([self.searched], request)


def project_of(folder: Path, files: Mapping[str, str]) -> Project:
    root = write_files(folder / "a project", files)
    store = Store.open(folder / "store")
    project = Project(root, store, SearchedStore(store))
    project.sync()
    return project


def paths(answer: SearchAnswer) -> list[str]:
    return [hit.path for hit in answer.hits]


class Vectors:
    """A semantic leg whose cosines are given by the test: no model, but the real contract."""

    def __init__(self, store: Store, cosines: Mapping[str, float], built: float = 1.0) -> None:
        self._store = store
        self._cosines = cosines
        self._built = built

    def reads(self, language: str) -> bool:
        return language == "en"

    def prepare(self, question: str) -> None:
        self.rank(question, SearchFilters(), 1)

    def bring_up(self) -> None:
        """Nothing is behind."""

    def rank(self, question: str, filters: SearchFilters, limit: int) -> SemanticRankings:
        assert question
        allowed = self._store.catalogue.matching_documents(filters)
        ranking = []
        for chunk, document, _ in self._store.catalogue.embed_hashes():
            if allowed is None or document in allowed:
                path = self._store.catalogue.documents([document])[document].path
                ranking.append((chunk, document, self._cosines.get(path, 0.0)))
        ranking.sort(key=lambda row: -row[2])
        pages = {document: cosine for _, document, cosine in ranking}
        return SemanticRankings(
            [(chunk, cosine) for chunk, _, cosine in ranking[:limit]], pages, self._built
        )


class Broken:
    """A semantic leg whose model is missing."""

    def reads(self, language: str) -> bool:
        return language == "en"

    def prepare(self, question: str) -> None:
        self.rank(question, SearchFilters(), 1)

    def bring_up(self) -> None:
        """Nothing is behind."""

    def rank(self, question: str, filters: SearchFilters, limit: int) -> SemanticRankings:
        message = f"the model file is missing ({len(question)}, {limit}, {filters.sources})"
        raise EmbedderError(message)
