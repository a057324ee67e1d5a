"""The keyword index: BM25 over chunks. The only file that knows Tantivy.

User text never reaches Tantivy's query parser: queries are built from tokens.
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import log
from pathlib import Path

import tantivy
from tantivy import FieldType, Occur, Query

from pit_memory.core.documents.incident_record import day_number
from pit_memory.core.indexing.keyword_entry import EntryBuilder, KeywordEntry
from pit_memory.core.search.legs import KeywordLeg, KeywordTerms, Ranking, SearchFilters
from pit_memory.core.text.languages import LANGUAGES
from pit_memory.errors import PitMemoryError, StorageFullError, StoreBusyError, StoreCorruptError
from pit_memory.stores.keyword_filters import (
    DAY_FIELD,
    FILE_MARK,
    FILTER_FIELDS,
    Condition,
    conditions_of,
    filter_term,
    terms_of,
)
from pit_memory.stores.path_filter import PathFilter
from pit_memory.stores.rows import WholeDocument
from pit_memory.workspace.files import make_data_folder

KEYWORD_FORMAT = 3
"""Raised when the fields below mean something else: every store then builds its index anew."""

_HEAP_BYTES = 15_000_000
"""Least that Tantivy takes for a thread; an update of a few documents needs no more."""
_BULK_HEAP_BYTES = 60_000_000
"""For many documents: fewer segments to write and to merge."""
_BULK_DOCUMENTS = 200
_MERGED_SEGMENTS = 8
"""Tantivy merges so many small segments into one."""
_MOST_SEGMENTS = 20
"""Above it a commit is followed by one more, whose merge takes the small segments together."""
_NO_SCORE = 0.0
_FEW_TERMS = 8
_RECORDS = "records"
"""Folder, inside the index, of the index of whole incident records."""
_GRAM = 3
"""Characters of the pieces by which a literal is found inside longer words."""
_GRAMS = "three characters"
_FULL_SIGNS = ("os error 28", "os error 27", "os error 122", "os error 30", "os error 13")
"""No space, file too large, over quota, read-only, permission denied, as Rust words them."""

_TEXT_FIELDS = {
    # field: (tokenizer, what is kept of a term's occurrences); nothing asks for positions
    "exact": ("whitespace", "freq"),
    "stems": ("whitespace", "freq"),
    "literal": (_GRAMS, "basic"),
    "language": ("raw", "basic"),
    **dict.fromkeys(FILTER_FIELDS, ("raw", "basic")),
}


class KeywordIndex(KeywordLeg):
    """A store's keyword leg in one folder; several threads may use it.

    Any method raises StoreCorruptError where Tantivy can't use its files; `damaged` then says why.
    """

    def __init__(self, folder: Path) -> None:
        """Use `open` or `create`."""
        self.folder = folder
        self.damaged = ""
        """What was found damaged since this object was made; empty where nothing was."""
        self._merging: tantivy.IndexWriter | None = None
        self._schema = _schema()
        self._paths: list[str] | None = None
        """Terms of the paths themselves, without their folders; listed when a glob is asked for."""
        self._languages: dict[str, int] | None = None
        """Counted when first asked for, anew after a commit."""
        with self._own_errors():
            self._index = self._opened(folder)
            # Apart: how rare a word is, and how long a text, must be asked of whole records alone.
            self._records = self._opened(folder / _RECORDS)

    @classmethod
    def open(cls, folder: Path) -> "KeywordIndex":
        """Open an index.

        Raises:
            StoreCorruptError: it isn't there, is damaged or has other fields.
        """
        for part in (folder, folder / _RECORDS):
            if not (part / "meta.json").exists():
                message = f"{part} is missing or damaged (no meta.json)"
                raise StoreCorruptError(message, folder)
        return cls(folder)

    @classmethod
    def create(cls, folder: Path) -> "KeywordIndex":
        """Begin an empty index in a folder that doesn't exist yet.

        Raises:
            StorageFullError: no room, or a read-only folder.
        """
        make_data_folder(folder / _RECORDS)
        return cls(folder)

    @staticmethod
    def remove(folder: Path) -> None:
        """Delete an index; whoever has it open goes on reading what was loaded."""
        shutil.rmtree(folder, ignore_errors=True)

    def reload(self) -> None:
        """See what was committed since, by any process."""
        with self._own_errors():
            self._index.reload()
            self._records.reload()
        self._paths = self._languages = None

    def apply(
        self,
        removed: Iterable[int],
        changed: Sequence[WholeDocument],
        entries_for: EntryBuilder,
        *,
        leave_merges: bool = False,
    ) -> None:
        """Forget and index documents in one commit; doing it twice is harmless.

        The caller holds the lock of the index: Tantivy has one writer at a time.

        Args:
            removed: ids of documents that are gone.
            changed: documents whose entries are replaced.
            entries_for: makes the entries of a document.
            leave_merges: return while segments are merged, which every eighth commit or so begins
                and which takes ten times as long as the commit; `is_merging` tells, and the lock
                is held until `finish_merges` is done.

        Raises:
            StorageFullError: no room; the index is as it was before.
        """
        entries = [(whole, entries_for(whole.document)) for whole in changed]
        records = [
            (whole, whole.chunk_ids[0], _of_record(found[0]))
            for whole, found in entries
            if found and found[0].page.exact
        ]
        gone = [*removed, *(whole.id for whole in changed)]
        with self._own_errors():
            if records or self._holds_record(gone):
                self._write(self._records, gone, records)
            chunks = (
                (whole, chunk, entry)
                for whole, found in entries
                for chunk, entry in zip(whole.chunk_ids, found, strict=True)
            )
            self._merging = self._write(
                self._index,
                gone,
                chunks,
                is_bulk=len(changed) >= _BULK_DOCUMENTS,
                leave_merges=leave_merges,
            )
        self.reload()

    def _write(
        self,
        index: tantivy.Index,
        gone: Iterable[int],
        entries: Iterable[tuple[WholeDocument, int, KeywordEntry]],
        *,
        is_bulk: bool = False,
        leave_merges: bool = False,
    ) -> tantivy.IndexWriter | None:
        """Forget documents and add (document, chunk id, entry) in one commit.

        Returns:
            The writer where it left merges to be finished.
        """
        writer = index.writer(_BULK_HEAP_BYTES if is_bulk else _HEAP_BYTES, 1)
        left = None
        try:
            for document in gone:
                writer.delete_documents_by_term("document", document)
            for whole, chunk, entry in entries:
                _add(writer, whole, chunk, entry)
            writer.commit()
            index.reload()
            segments = index.searcher().num_segments
            if segments > _MOST_SEGMENTS:
                writer.commit()
            elif leave_merges and segments >= _MERGED_SEGMENTS:
                left = writer
        finally:
            # Lets merges end, whose files would stay behind; uncommitted entries are dropped.
            if left is None:
                writer.wait_merging_threads()
        return left

    def _holds_record(self, documents: Iterable[int]) -> bool:
        searcher = self._records.searcher()
        return searcher.num_docs > 0 and any(
            searcher.doc_freq("document", document) for document in documents
        )

    def _opened(self, folder: Path) -> tantivy.Index:
        index = tantivy.Index(self._schema, path=str(folder))
        index.register_tokenizer(_GRAMS, _grams())
        index.config_reader("manual")
        index.reload()
        return index

    @property
    def is_merging(self) -> bool:
        """Whether the last commit left merges to be finished."""
        return self._merging is not None

    def finish_merges(self) -> None:
        """Let the merges end that the last commit left; the caller still holds the lock."""
        writer, self._merging = self._merging, None
        if writer is not None:
            with self._own_errors():
                writer.wait_merging_threads()

    def rank(self, terms: KeywordTerms, filters: SearchFilters, limit: int) -> Ranking:
        """Rank chunks by words, at most `limit`.

        Raises:
            UsageError: a path filter is a glob that can't be compiled.
        """
        return self._rank(self._index, terms, filters, limit)

    def rank_pages(self, terms: KeywordTerms, filters: SearchFilters, limit: int) -> Ranking:
        """Rank whole incident records by words, at most `limit`; ids are those of first chunks."""
        return self._rank(self._records, terms, filters, limit)

    def _weighed_within(
        self, index: tantivy.Index, assignment: str, tokens: Sequence[tuple[str, str]]
    ) -> list[tuple[Occur, Query]]:
        """Terms that weigh as if the facts of an assignment were all there is.

        Elsewhere a name may be rare that all of them hold; and what others store must not be felt.
        """
        within = self._term("assignment", filter_term(assignment))
        words = []
        with self._own_errors():
            searcher = index.searcher()
            among, everywhere = _count(searcher, within), searcher.num_docs
            for field, token in tokens:
                term = self._term(field, token)
                both = Query.boolean_query([(Occur.Must, term), (Occur.Must, within)])
                if count := _count(searcher, both):
                    general = _idf(searcher.doc_freq(field, token), everywhere)
                    weight = _idf(count, among) / general
                    words.append((Occur.Should, Query.boost_query(term, weight)))
        return words

    def chunk_frequencies(self, stems: Sequence[str]) -> list[int]:
        """In how many chunk entries each stem occurs, in the order given, whatever the filters."""
        with self._own_errors():
            searcher = self._index.searcher()
            return [searcher.doc_freq("stems", stem) for stem in stems]

    def chunk_count(self) -> int:
        """How many chunk entries the index holds."""
        with self._own_errors():
            return self._index.searcher().num_docs

    def languages(self) -> dict[str, int]:
        """How many chunk entries are in each language that any is in."""
        if self._languages is None:
            with self._own_errors():
                searcher = self._index.searcher()
                counts = {it: searcher.doc_freq("language", it) for it in LANGUAGES}
            self._languages = {language: count for language, count in counts.items() if count}
        return self._languages

    def holding(self, literal: str, filters: SearchFilters, limit: int) -> list[int] | None:
        """Ids of the chunks that may hold a literal in any case; None where more than `limit`.

        A chunk may hold it if it has all its pieces of three characters; a shorter literal has
        none, so it counts as frequent.
        """
        grams = {literal[at : at + _GRAM] for at in range(len(literal) - _GRAM + 1)}
        if not grams:
            return None
        words = [(Occur.Must, self._term("literal", gram)) for gram in sorted(grams)]
        conditions = tuple(conditions_of(filters))
        found = self._search(self._index, Query.boolean_query(words), conditions, limit + 1)
        return [row_id for row_id, _ in found] if len(found) <= limit else None

    def held(self) -> frozenset[int]:
        """Ids of all chunks in it: for checks against the catalogue."""
        everything = self._search(self._index, Query.all_query(), (), max(1, self.chunk_count()))
        return frozenset(row_id for row_id, _ in everything)

    def _rank(
        self, index: tantivy.Index, terms: KeywordTerms, filters: SearchFilters, limit: int
    ) -> Ranking:
        fields = [("exact", token) for token in terms.exact]
        fields += [("stems", token) for token in terms.stems]
        conditions = tuple(conditions_of(filters))
        if filters.assignment is None:
            words = [(Occur.Should, self._term(field, token)) for field, token in fields]
        else:
            words = self._weighed_within(index, filters.assignment, fields)
        return self._search(index, Query.boolean_query(words), conditions, limit) if words else []

    def _search(
        self, index: tantivy.Index, query: Query, conditions: Sequence[Condition], limit: int
    ) -> Ranking:
        with self._own_errors():
            parts = [(Occur.Must, query), *map(self._filter, conditions)]
            searcher = index.searcher()
            hits = searcher.search(Query.boolean_query(parts), limit, count=False).hits
            if not hits:
                return []
            ids = searcher.fast_field_values("id", [address for _, address in hits])
            return [
                (int(row_id or 0), float(score))
                for row_id, (score, _) in zip(ids, hits, strict=True)
            ]

    def _filter(self, condition: Condition) -> tuple[Occur, Query]:
        if condition.at_least is not None:
            least = Query.range_query(
                self._schema, condition.field, FieldType.Integer, condition.at_least, None
            )
            return Occur.Must, Query.const_score_query(least, _NO_SCORE)
        terms = list(condition.terms)
        if condition.globs is not None:
            terms += self._paths_under(condition.globs)
        query = self._any_of(condition.field, terms)
        if condition.negated:
            return Occur.MustNot, query
        return Occur.Must, Query.const_score_query(query, _NO_SCORE)

    def _any_of(self, field: str, terms: Sequence[str]) -> Query:
        """A few terms are twice as quick as a union than as a set, which lists all documents."""
        if len(terms) > _FEW_TERMS:
            return Query.term_set_query(self._schema, field, terms)
        return Query.boolean_query([(Occur.Should, self._term(field, term)) for term in terms])

    def _paths_under(self, globs: PathFilter) -> list[str]:
        paths = self._paths
        if paths is None:
            found = self._index.searcher().terms_with_prefix("path", FILE_MARK)
            paths = self._paths = [term for term, _ in found]
        return [term for term in paths if globs.match_glob(term.removeprefix(FILE_MARK))]

    def _term(self, field: str, term: str) -> Query:
        _, kept = _TEXT_FIELDS[field]
        return Query.term_query(self._schema, field, term, kept)

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        """Turn what Tantivy raises into our errors.

        A panic in Rust arrives as `PanicException`, which is no `Exception` and can't be imported.
        """
        try:
            yield
        except (ValueError, OSError, RuntimeError) as error:
            raise self._own_error(error) from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            raise self._own_error(error) from error

    def _own_error(self, error: BaseException) -> PitMemoryError:
        said = str(error)
        if "LockBusy" in said:
            return StoreBusyError(f"{self.folder} is written by another process ({said})")
        if any(sign in said for sign in _FULL_SIGNS):
            return StorageFullError(
                f"can't write {self.folder}: no room, or not writable; free some space, make the "
                f"folder writable or choose another with PIT_MEMORY_DATA ({said})"
            )
        self.damaged = f"{self.folder} is damaged ({said})"
        return StoreCorruptError(self.damaged, self.folder)


def _count(searcher: tantivy.Searcher, query: Query) -> int:
    found: int = searcher.search(query, 1, count=True).count  # type: ignore[attr-defined]  # its stubs lack it
    return found


def _idf(count: int, among: int) -> float:
    """As BM25 weighs a term (Tantivy's formula)."""
    return log(1 + (among - count + 0.5) / (count + 0.5))


def _add(
    writer: tantivy.IndexWriter, whole: WholeDocument, chunk: int, entry: KeywordEntry
) -> None:
    incident = whole.document.incident
    indexed = tantivy.Document()
    indexed.add_integer("id", chunk)
    indexed.add_integer("document", whole.id)
    indexed.add_text("exact", entry.exact)
    indexed.add_text("stems", entry.stems)
    indexed.add_text("literal", entry.literal)
    indexed.add_text("language", entry.language)
    if incident and incident.date:
        indexed.add_integer(DAY_FIELD, day_number(incident.date))
    for field, term in terms_of(whole):
        indexed.add_text(field, term)
    writer.add_document(indexed)


def _of_record(entry: KeywordEntry) -> KeywordEntry:
    """The entry of a whole record, from that of its first chunk."""
    return KeywordEntry(entry.page.exact, entry.page.stems, literal="", language=entry.language)


@cache
def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", fast=True)
    builder.add_integer_field("document", indexed=True)
    builder.add_integer_field(DAY_FIELD, indexed=True, fast=True)
    for field, (tokenizer, kept) in _TEXT_FIELDS.items():
        builder.add_text_field(field, tokenizer_name=tokenizer, index_option=kept)
    return builder.build()


def _grams() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(_GRAM, _GRAM)).build()
