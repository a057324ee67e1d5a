"""Sources, documents and stores in one line each, for tests of the index."""

from collections.abc import Mapping
from pathlib import Path

from pit_memory.core.documents.documents import Document
from pit_memory.core.documents.incident_record import Incident
from pit_memory.core.search.legs import KeywordTerms, SearchFilters
from pit_memory.core.source import Source
from pit_memory.core.text.words import field_texts
from pit_memory.operations.indexing.look import LookedStore, LookReport, look
from pit_memory.sources.formats import RawFile, read_contents
from pit_memory.stores.catalogue import Catalogue
from pit_memory.stores.rows import KnownFile
from pit_memory.stores.store import Store
from tests.builders import write_files

EVERYTHING = SearchFilters()


def markdown(path: str, text: str | bytes) -> Document:
    """A document as it is read from a file."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_contents(RawFile(path, data)).document


def put(catalogue: Catalogue, *documents: Document, source: str = "", stamp: int = 1) -> None:
    """Write documents in one transaction."""
    with catalogue.write() as writer:
        for one in documents:
            writer.put_document(source, one, KnownFile(one.path, 1, stamp, stamp, one.content_hash))


def terms(question: str) -> KeywordTerms:
    """The tokens of a question, each once."""
    fields = field_texts(question)
    return KeywordTerms(
        tuple(dict.fromkeys(fields.exact.split())), tuple(dict.fromkeys(fields.stems.split()))
    )


def found(store: Store, question: str, filters: SearchFilters = EVERYTHING) -> list[str]:
    """Paths of the chunks that answer by words, best first, each once."""
    ranked = store.keywords.rank(terms(question), filters, 1000)
    rows = store.catalogue.chunks([row_id for row_id, _ in ranked])
    paths = [rows[row_id].document.path for row_id, _ in ranked if row_id in rows]
    return list(dict.fromkeys(paths))


def tree(root: Path, files: Mapping[str, str | bytes]) -> Source:
    """A folder of files as the project's own source."""
    return Source("", str(write_files(root, files)))


def look_at(store: Store, *sources: Source) -> LookReport:
    """Look at sources of one store."""
    return look([LookedStore(store, sources)])


def disagreement(store: Store) -> list[str]:
    """In what the keyword index differs from the catalogue; empty where they agree."""
    held = store.keywords.held()
    expected = {row[0] for row in store.catalogue.embed_hashes()}
    return [f"chunks {sorted(held ^ expected)}"] if held != expected else []


def incident(path: str, text: str) -> Incident:
    """What an incident record says."""
    raw = RawFile(path, text.encode(), kind="incident", collection="incidents")
    read = read_contents(raw).document.incident
    assert read
    return read
