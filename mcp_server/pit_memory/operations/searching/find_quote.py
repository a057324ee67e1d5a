"""Find the page that holds a quotation, whatever white space and hyphens stand in it."""

from collections.abc import Iterator, Sequence

from pit_memory.core.answers.answer_budget import fit
from pit_memory.core.answers.answers import Hit, LegReport, SearchAnswer, SnippetLine
from pit_memory.core.documents.citations import format_ref, section_ref
from pit_memory.core.documents.sections import trail
from pit_memory.core.search.queries import analyse
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.quotations import find_lines, parts_of
from pit_memory.core.text.safe_text import safe_line, safe_name
from pit_memory.errors import UsageError
from pit_memory.operations.searching.search import SearchRequest, filters_of
from pit_memory.operations.searching.searched_store import SearchedStore
from pit_memory.stores.rows import ChunkRow

_LIKELY_CHUNKS = 400
"""Asked of the keyword index: the words of a quotation all stand on its page."""
_ALL_CHUNKS = 30_000
"""A store with no more is looked through whole where the likely pages hold nothing: a second."""
_SHOWN_LINES = 3


def find_quote(
    stores: Sequence[SearchedStore],
    request: SearchRequest,
    *,
    pending_files: int = 0,
    notes: Sequence[str] = (),
) -> SearchAnswer:
    """Answer a quotation with the sections that hold it.

    Args:
        stores: all that are searched.
        request: its query is the quotation; filters and limits as in a search.
        pending_files: files that the look saw and left for later.
        notes: what the look has to say, one line each.

    Raises:
        UsageError: the quotation has no words.
    """
    if not parts_of(request.query):
        message = f"the quotation {request.query!r} has no words; give a sentence of the page"
        raise UsageError(message)
    hits: list[Hit] = []
    unseen = 0
    for searched in stores:
        found, left = _in_store(searched, request)
        hits += found
        unseen += left
    said = list(notes)
    if not hits and unseen:
        pages = counted(unseen, "page")
        said.append(f"not looked through: {pages} with few of its words")
    return fit(
        SearchAnswer(
            query=safe_line(request.query),
            mode="keyword",
            abstained=not hits,
            hits=tuple(hits[: request.limit]),
            keyword=LegReport("ran", ""),
            semantic=LegReport("skipped", "a quotation is looked for by its words"),
            used_tokens=0,
            budget=request.budget,
            more=max(0, len(hits) - request.limit),
            pending_files=pending_files,
            notes=tuple(said),
            lead="" if hits else "nowhere in these documents",
        )
    )


def _in_store(searched: SearchedStore, request: SearchRequest) -> tuple[list[Hit], int]:
    """The sections of a store that hold the quotation, and how many pages were not looked at."""
    filters = searched.narrowed(filters_of(request))
    store = searched.store
    ranked = store.keywords.rank(analyse(request.query).terms, filters, _LIKELY_CHUNKS)
    places = {
        place.id: place.document for place in store.catalogue.places([it for it, _ in ranked])
    }
    likely = list(dict.fromkeys(places[it] for it, _ in ranked if it in places))
    hits = list(_in_documents(searched, likely, request))
    if hits:
        return hits, 0
    allowed = store.catalogue.matching_documents(filters)
    every = store.catalogue.paths() if allowed is None else allowed
    rest = [document for document in every if document not in set(likely)]
    if store.keywords.chunk_count() > _ALL_CHUNKS:
        return [], len(rest)
    return list(_in_documents(searched, rest, request)), 0


def _in_documents(
    searched: SearchedStore, documents: Sequence[int], request: SearchRequest
) -> Iterator[Hit]:
    for document in documents:
        chunks = searched.store.catalogue.chunks_of(document)
        lines = [line for chunk in chunks for line in chunk.text.split("\n")]
        if place := find_lines(lines, request.query):
            yield _hit(chunks, lines, place)


def _hit(chunks: Sequence[ChunkRow], lines: Sequence[str], place: tuple[int, int]) -> Hit:
    """The section in which the quotation begins."""
    numbers = [number for it in chunks for number in range(it.line_start, it.line_end + 1)]
    first = numbers[place[0]]
    chunk = next(it for it in chunks if it.line_start <= first <= it.line_end)
    document, section = chunk.document, chunk.section
    whole = section.line_start, section.line_end
    source = document.source or None
    shown = range(place[0], min(place[1], place[0] + _SHOWN_LINES - 1) + 1)
    return Hit(
        ref=format_ref(section_ref(document.path, section.anchor, whole, section.hash, source)),
        source=document.source,
        path=document.path,
        anchor=section.anchor,
        title=safe_name(document.title),
        breadcrumb=tuple(map(safe_name, trail(document.title, section.breadcrumb))),
        lines=whole,
        collection=document.collection,
        kind=document.kind,
        status=document.status,
        band="strong",
        url=None,
        snippet=tuple(SnippetLine(numbers[at], safe_line(lines[at])) for at in shown),
    )
