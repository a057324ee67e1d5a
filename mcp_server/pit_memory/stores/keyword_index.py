"""The keyword index: BM25 over chunks and pages. The only file that knows Tantivy.

Chunks and pages lie in two Tantivy indexes, so that each has document frequencies and lengths of
its own; their commits wait for the disk side by side. User text never reaches Tantivy's query
parser: queries are built from tokens.
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tantivy
from tantivy import Occur, Query

from pit_memory.core.keyword_entry import EntryBuilder, KeywordEntry
from pit_memory.core.legs import KeywordRankings, KeywordTerms, Ranking, SearchFilters
from pit_memory.errors import StorageFullError, StoreBusyError, StoreCorruptError
from pit_memory.stores.keyword_filters import (
    FILE_MARK,
    FILTER_FIELDS,
    Condition,
    conditions_of,
    terms_of,
)
from pit_memory.stores.path_filter import PathFilter
from pit_memory.stores.rows import WholeDocument

KEYWORD_FORMAT = 1
"""Raised when the fields below mean something else: the index is then built anew."""

_HEAP_BYTES = 15_000_000
"""Least that Tantivy takes for a thread; an update of a few documents needs no more."""
_BULK_HEAP_BYTES = 60_000_000
"""For many documents: fewer segments to write and merge."""
_BULK_DOCUMENTS = 200
_MOST_SEGMENTS = 20
"""Above it a commit is followed by one more, whose merge takes the small segments together."""
_NO_SCORE = 0.0
_GRAMS = "grams"
"""Field, and tokenizer, of every three characters of a chunk's folded text."""
_GRAM = 3
_ASKED_GRAMS = 6
"""The rarest grams of a literal leave few texts that don't hold it; more are no quicker."""
_FULL_SIGNS = ("os error 28", "os error 27", "os error 122", "os error 30", "os error 13")
"""No space, file too large, over quota, read-only, permission denied, as Rust words them."""


class KeywordIndex:
    """A store's keyword leg (`core.legs.KeywordLeg`) in one folder; several threads may use it.

    Every method raises StoreCorruptError where Tantivy can't use its files.
    """

    def __init__(self, folder: Path) -> None:
        """Open the index, made first where there is none.

        Raises:
            StoreCorruptError: its files are damaged or have other fields.
            StorageFullError: no room, or a read-only folder.
        """
        self.folder = folder
        self._chunks = _Side(folder / "chunks")
        self._pages = _Side(folder / "pages")

    def reload(self) -> None:
        """See what was committed since, by any process."""
        self._chunks.reload()
        self._pages.reload()

    def apply(
        self,
        removed: Iterable[int],
        changed: Sequence[WholeDocument],
        entries_for: EntryBuilder,
    ) -> None:
        """Forget and index documents in one commit; doing it twice is harmless.

        The caller holds the lock of the index: Tantivy has one writer at a time.

        Raises:
            StorageFullError: no room; the index is as it was before.
        """
        heap = _BULK_HEAP_BYTES if len(changed) >= _BULK_DOCUMENTS else _HEAP_BYTES
        with self._chunks.writing(heap) as chunks, self._pages.writing(heap) as pages:
            for row_id in (*removed, *(whole.id for whole in changed)):
                chunks.forget(row_id)
                pages.forget(row_id)
            for whole in changed:
                filters = tuple(terms_of(whole))
                for entry in entries_for(whole.document):
                    if entry.chunk is None:
                        pages.add(whole.id, whole.id, entry, filters)
                    else:
                        chunks.add(whole.chunk_ids[entry.chunk], whole.id, entry, filters)
            with ThreadPoolExecutor(1) as other:  # a commit waits for the disk most of its time
                committed = other.submit(pages.commit)
                chunks.commit()
                committed.result()
        self.reload()

    def rank(self, terms: KeywordTerms, filters: SearchFilters, limit: int) -> KeywordRankings:
        """Rank chunks and pages by words, at most `limit` each.

        Raises:
            UsageError: a path filter is a glob that can't be compiled.
        """
        conditions = tuple(conditions_of(filters))
        return KeywordRankings(
            self._chunks.rank(terms, conditions, limit), self._pages.rank(terms, conditions, limit)
        )

    def chunk_frequencies(self, stems: Sequence[str]) -> list[int]:
        """In how many chunk entries each stem occurs, in the order given, whatever the filters."""
        return self._chunks.frequencies(stems)

    def chunk_count(self) -> int:
        """How many chunk entries the index holds."""
        return self._chunks.count()

    def page_count(self) -> int:
        """How many page entries the index holds."""
        return self._pages.count()

    def holding(self, literal: str, filters: SearchFilters, limit: int) -> list[int] | None:
        """Ids of the chunks that may hold a literal; None where more than `limit`.

        A chunk may hold it if it has the rarest grams of it.
        """
        return self._chunks.holding(literal, tuple(conditions_of(filters)), limit)

    def held(self) -> tuple[frozenset[int], frozenset[int]]:
        """Ids of all chunks and of all documents in it: for checks against the catalogue."""
        return self._chunks.held(), self._pages.held()

    def remove(self) -> None:
        """Delete the files; whoever has them open can go on reading."""
        shutil.rmtree(self.folder, ignore_errors=True)


class _Side:
    """One Tantivy index: an entry a row id."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._schema = _schema()
        with _own_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(self._schema, path=str(folder))
            self._index.register_tokenizer(_GRAMS, _three_characters())
            self._index.config_reader("manual")
            self._index.reload()
        self._vocabulary = _Vocabulary()

    def reload(self) -> None:
        with _own_errors(self._folder):
            self._index.reload()
        self._vocabulary = _Vocabulary()

    @contextmanager
    def writing(self, heap_bytes: int) -> Iterator["_SideWriter"]:
        with _own_errors(self._folder):
            writer = self._index.writer(heap_bytes, 1)
            try:
                yield _SideWriter(self._index, writer)
            finally:
                # Without it the files of a merge stay behind; after an error it drops the rest.
                writer.wait_merging_threads()

    def rank(self, terms: KeywordTerms, conditions: Sequence[Condition], limit: int) -> Ranking:
        words = [
            (Occur.Should, Query.term_query(self._schema, field, token, "freq"))
            for field, tokens in (("exact", terms.exact), ("stems", terms.stems))
            for token in tokens
        ]
        if not words:
            return []
        return self._search(Query.boolean_query(words), conditions, limit)

    def frequencies(self, stems: Sequence[str]) -> list[int]:
        with _own_errors(self._folder):
            searcher = self._index.searcher()
            return [searcher.doc_freq("stems", stem) for stem in stems]

    def count(self) -> int:
        with _own_errors(self._folder):
            return self._index.searcher().num_docs

    def holding(
        self, literal: str, conditions: Sequence[Condition], limit: int
    ) -> list[int] | None:
        with _own_errors(self._folder):
            searcher = self._index.searcher()
            grams = {literal[at : at + _GRAM] for at in range(len(literal) - _GRAM + 1)}
            rarest = sorted(grams, key=lambda gram: searcher.doc_freq(_GRAMS, gram))[:_ASKED_GRAMS]
        if not rarest:
            return None
        query = Query.boolean_query(
            [(Occur.Must, Query.term_query(self._schema, _GRAMS, gram, "basic")) for gram in rarest]
        )
        found = self._search(query, conditions, limit + 1)
        return [row_id for row_id, _ in found] if len(found) <= limit else None

    def held(self) -> frozenset[int]:
        everything = self._search(Query.all_query(), (), max(1, self.count()))
        return frozenset(row_id for row_id, _ in everything)

    def _search(self, query: Query, conditions: Sequence[Condition], limit: int) -> Ranking:
        with _own_errors(self._folder):
            parts = [(Occur.Must, query), *map(self._filter, conditions)]
            searcher = self._index.searcher()
            hits = searcher.search(Query.boolean_query(parts), limit, count=False).hits
            if not hits:
                return []
            ids = searcher.fast_field_values("id", [address for _, address in hits])
        return [
            (int(row_id or 0), float(score)) for row_id, (score, _) in zip(ids, hits, strict=True)
        ]

    def _filter(self, condition: Condition) -> tuple[Occur, Query]:
        terms = list(condition.terms)
        if condition.globs is not None:
            terms += self._paths_under(condition.globs)
        query = (
            Query.term_query(self._schema, condition.field, terms[0], "basic")
            if len(terms) == 1
            else Query.term_set_query(self._schema, condition.field, terms)
        )
        if condition.negated:
            return Occur.MustNot, query
        return Occur.Must, Query.const_score_query(query, _NO_SCORE)

    def _paths_under(self, globs: PathFilter) -> list[str]:
        vocabulary = self._vocabulary
        if vocabulary.paths is None:
            found = self._index.searcher().terms_with_prefix("path", FILE_MARK)
            vocabulary.paths = [term for term, _ in found]
        return [term for term in vocabulary.paths if globs.match_glob(term[len(FILE_MARK) :])]


@dataclass(slots=True)
class _Vocabulary:
    """Terms of what a reader sees, listed when first asked for; a reload begins a new one."""

    paths: list[str] | None = None
    """Terms of the paths themselves, without their folders."""


class _SideWriter:
    """What one batch does to one index."""

    def __init__(self, index: tantivy.Index, writer: tantivy.IndexWriter) -> None:
        self._index = index
        self._writer = writer

    def forget(self, document: int) -> None:
        self._writer.delete_documents_by_term("document", document)

    def add(
        self, row_id: int, document: int, entry: KeywordEntry, filters: Sequence[tuple[str, str]]
    ) -> None:
        indexed = tantivy.Document()
        indexed.add_integer("id", row_id)
        indexed.add_integer("document", document)
        indexed.add_text("exact", entry.exact)
        indexed.add_text("stems", entry.stems)
        indexed.add_text(_GRAMS, entry.literal)
        for field, term in filters:
            indexed.add_text(field, term)
        self._writer.add_document(indexed)

    def commit(self) -> None:
        self._writer.commit()
        self._index.reload()
        if self._index.searcher().num_segments > _MOST_SEGMENTS:
            self._writer.commit()


@cache
def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", fast=True)
    builder.add_integer_field("document", indexed=True)
    builder.add_text_field("exact", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("stems", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field(_GRAMS, tokenizer_name=_GRAMS, index_option="basic")
    for field in FILTER_FIELDS:
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _three_characters() -> tantivy.TextAnalyzer:
    grams = tantivy.Tokenizer.ngram(min_gram=_GRAM, max_gram=_GRAM, prefix_only=False)
    return tantivy.TextAnalyzerBuilder(grams).build()


@contextmanager
def _own_errors(folder: Path) -> Iterator[None]:
    """Turn what Tantivy raises into our errors.

    A panic in Rust arrives as `PanicException`, which is no `Exception` and can't be imported.
    """
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        raise _own_error(folder, error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise _own_error(folder, error) from error


def _own_error(folder: Path, error: BaseException) -> Exception:
    said = str(error)
    if "LockBusy" in said:
        return StoreBusyError(f"{folder} is written by another process; try again ({said})")
    if isinstance(error, OSError) or any(sign in said for sign in _FULL_SIGNS):
        return StorageFullError(
            f"can't write {folder}: no room, or not writable; free some space, make the folder "
            f"writable or choose another with PIT_MEMORY_DATA ({said})"
        )
    return StoreCorruptError(f"{folder} is damaged ({said})")
