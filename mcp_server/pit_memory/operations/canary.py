"""The canary: a document of a server's own, asked for on the path that every search takes.

It shows that answers can be found now, which no process list and no port does.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.kinds import CANARY
from pit_memory.core.source import Source
from pit_memory.errors import PitMemoryError
from pit_memory.operations.indexing.meaning import cache_day
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.workspace.files import make_data_folder, write_atomic

if TYPE_CHECKING:
    from pit_memory.operations.searching.opened_store import Meaning
    from pit_memory.operations.services import Services
    from pit_memory.stores.store import Store

NAME: Final = "pit-memory-canary"
"""Of the source; no source of a user is called so."""
_FILE: Final = "canary.md"
_WORD: Final = "pitmemorycanary"
_TAG: Final = "pit-memory-canary"
_TEXT: Final = f"""\
---
audience: ai_internal
tags: [{_TAG}]
---
# Canary of pit-memory

By this page, {_WORD}, a server checks that it finds what it should.

## The bird below ground

Miners carried a small yellow bird down the shaft; its silence warned them of bad air.
"""
_BY_WORDS: Final = _WORD
_BY_MEANING: Final = "animal that told coal workers about poisonous gas"


@dataclass(frozen=True, slots=True)
class CanaryReport:
    """What was found of the canary."""

    words: bool
    meaning: bool | None
    """None where there is no search by meaning, by choice."""
    filters: bool
    """Whether filters let it through, and keep it out, as they should."""
    reasons: tuple[str, ...]
    """Why something isn't found, one line each."""

    @property
    def is_ready(self) -> bool:
        """Whether answers can be given: by words at least, with filters that hold."""
        return self.words and self.filters


def canary_source(folder: Path) -> Source:
    """The canary as a source, its file made where it is missing.

    Raises:
        StorageFullError: it can't be made.
    """
    file, text = folder / _FILE, _TEXT.encode()
    make_data_folder(folder)
    if not file.is_file() or file.read_bytes() != text:
        write_atomic(file, text)
    return Source(NAME, str(folder), collection=CANARY)


def check_canary(
    search: Callable[[SearchRequest], SearchAnswer], *, with_meaning: bool
) -> CanaryReport:
    """Ask for the canary by words, by meaning and through filters.

    Args:
        search: the search of the services; they know the canary's source.
        with_meaning: whether there should be a search by meaning.
    """
    check = _Check(search)
    words = check.finds(SearchRequest(_BY_WORDS, collection=CANARY, mode="keyword"))
    meaning = None
    if with_meaning:
        meaning = check.finds(SearchRequest(_BY_MEANING, collection=CANARY, mode="semantic"))
    through = SearchRequest(
        _BY_WORDS, collection=CANARY, source=NAME, path=_FILE, tags=(_TAG,), mode="keyword"
    )
    kept_out = [
        SearchRequest(_BY_WORDS, collection=CANARY, tags=("no such tag",), mode="keyword"),
        SearchRequest(_BY_WORDS, collection=CANARY, audiences=("customer",), mode="keyword"),
        SearchRequest(_BY_WORDS, collection=CANARY, assignment="nobody's", mode="keyword"),
    ]
    filters = check.finds(through) and not any(check.hits(request) for request in kept_out)
    if words and not filters:
        check.reasons.append("filters do not let through what they should, or nothing else")
    return CanaryReport(words, meaning, filters, tuple(dict.fromkeys(check.reasons)))


def embed_canary(store: "Store", meaning: "Meaning") -> None:
    """Give the canary its vectors at once: the filler begins with what is newest.

    Raises:
        EmbedderError: the model can't run.
        StoreError: the cache can't be written.
    """
    document = store.catalogue.document(NAME, _FILE)
    if document is None:
        return
    fingerprint = meaning.embedder.fingerprint
    hashes = [key for _, _, key in store.catalogue.embed_hashes([document.id])]
    missing = meaning.cache.missing(fingerprint, hashes)
    texts = store.catalogue.texts_to_embed(missing) if missing else {}
    if texts:
        vectors = meaning.embedder.embed_documents([*texts.values()])
        meaning.cache.write(fingerprint, [*texts], vectors, cache_day())


def check_deletion(services: "Services") -> str:
    """Make a document, find it, delete it and find it no more; returns what went wrong."""
    word = f"{_WORD}{secrets.token_hex(6)}"
    canary = next(source for source in services.sources if source.name == NAME)
    file = Path(canary.root) / f"{word}.md"
    request = SearchRequest(word, collection=CANARY, mode="keyword")

    def is_found() -> bool:
        services.looker.forget()
        return any(file.name in hit.ref for hit in services.search(request).hits)

    try:
        write_atomic(file, f"# Deleted soon\n\n{word}\n".encode())
        if not is_found():
            return "a document that was just made is not found"
        file.unlink()
        if is_found():
            return "a document that was deleted is still found"
    except PitMemoryError as error:
        return str(error)
    finally:
        file.unlink(missing_ok=True)
    return ""


class _Check:
    """Asks, and remembers why something isn't found."""

    def __init__(self, search: Callable[[SearchRequest], SearchAnswer]) -> None:
        self._search = search
        self.reasons: list[str] = []

    def finds(self, request: SearchRequest) -> bool:
        answer = self._answer(request)
        if answer is None:
            return False
        leg = answer.semantic if request.mode == "semantic" else answer.keyword
        if request.mode == "semantic" and answer.mode == "keyword":
            self.reasons.append(f"by words only: {leg.reason}")
            return False
        if not _shows_canary(answer):
            name = "meaning" if request.mode == "semantic" else "words"
            self.reasons.append(leg.reason or f"the canary is not found by {name}")
            return False
        return True

    def hits(self, request: SearchRequest) -> bool:
        answer = self._answer(request)
        return answer is not None and _shows_canary(answer)

    def _answer(self, request: SearchRequest) -> SearchAnswer | None:
        try:
            return self._search(request)
        except PitMemoryError as error:
            self.reasons.append(str(error))
            return None


def _shows_canary(answer: SearchAnswer) -> bool:
    """Whether it was found; that a search names it as nearest, and no more, is enough here."""
    place = f"{NAME}::{_FILE}"
    return any(ref.startswith(place) for ref in (*answer.nearest, *(h.ref for h in answer.hits)))
