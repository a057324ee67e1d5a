"""The one search: both legs, fusion, best lines, citations, within a token budget."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice

from pit_memory.core.answers import confidence
from pit_memory.core.answers.answer_budget import fit
from pit_memory.core.answers.answers import (
    BUDGET_BOUNDS,
    DEFAULT_BUDGET,
    DEFAULT_LIMIT,
    LIMIT_BOUNDS,
    Hit,
    Mode,
    SearchAnswer,
)
from pit_memory.core.documents.citations import format_ref
from pit_memory.core.facts.fact_words import fact_terms
from pit_memory.core.kinds import searched_collections
from pit_memory.core.search.fusion import DOCS, FACTS, Fused, Weights, fuse
from pit_memory.core.search.legs import SearchFilters
from pit_memory.core.search.queries import Query, analyse, cleaned
from pit_memory.core.text.globs import Globs
from pit_memory.core.text.languages import (
    ENGLISH,
    language_name,
    language_of,
    language_of_question,
)
from pit_memory.core.text.particle_verbs import Parts, particle_verbs
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_line
from pit_memory.core.text.words import stems
from pit_memory.errors import StoreError, UsageError
from pit_memory.operations.searching.folding import fold_copies
from pit_memory.operations.searching.gathering import DEPTH, Findings, gather, preparing
from pit_memory.operations.searching.hits import ReadSection, hit_of, read_sections
from pit_memory.operations.searching.searched_store import SearchedStore, SectionCard

__all__ = [
    "SearchRequest",
    "SearchedStore",
    "Shown",
    "check_request",
    "filters_of",
    "known_languages",
    "ranked_sections",
    "search",
    "show",
    "thinking",
    "understood",
]

JUDGED = 5
"""Best sections that tell whether anything answers; ten catch fewer questions of other subjects."""
_MUCH_FOLDED = 0.67
"""Share of the sections found that are left without their copies: below it more are asked for."""
_DEEPEST = 8
"""Times the usual depth: eight versions or languages."""
_NEAREST = 3
"""Headings named where nothing answers."""
_LOOKED_FOR_NEAREST = 25
"""Sections among which they are."""
_MEMORY = "memory"
"""Collection of the rules and gotchas that every session starts with."""
_STALE_NAMED = 3
"""Files named that are not as they were: of a disk that is gone, all are."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search for and how much of it to show."""

    query: str
    limit: int = DEFAULT_LIMIT
    """Hits at most, 1 to 50."""
    budget: int = DEFAULT_BUDGET
    """Estimated tokens of the answer at most, 50 to 20,000."""
    collection: str = "docs"
    """A collection of `core.kinds`."""
    path: str | None = None
    """A folder, a file or a glob below the source's root."""
    tags: tuple[str, ...] = ()
    """All of these."""
    include_drafts: bool = True
    mode: Mode | None = None
    """None: both legs where both can run."""
    quotes: bool = False
    """The query is a quotation: find the pages that hold it."""
    source: str | None = None
    """Name of a source, the empty one for the project's own documents; None for all."""
    assignment: str | None = None
    audiences: tuple[str, ...] = ()
    """Only documents of these; empty: of any."""
    exclude: tuple[str, ...] = ()
    """Paths that never answer, in the form of `path`."""
    boost: tuple[str, ...] = ()
    """Globs of files whose sections rank higher."""
    services: tuple[str, ...] = ()
    """Only incidents of any of these."""
    since: str = ""
    """Only incidents of that day or later: an ISO date; `Services` reads it as people write it."""

    @property
    def names_documents(self) -> bool:
        """Whether a path or a tag says which documents may answer."""
        return bool(self.path or self.tags)


def search(
    stores: Sequence[SearchedStore],
    request: SearchRequest,
    *,
    pending_files: int = 0,
    notes: Sequence[str] = (),
) -> SearchAnswer:
    """Answer a question with cited sections, best first.

    The caller has looked at the sources before (`operations.indexing.look`).

    Args:
        stores: the project's store and the person's; their candidates are ranked as one list.
        request: the question and its limits.
        pending_files: files that the look saw and left for later.
        notes: what the look has to say, one line each.

    Raises:
        UsageError: the question is empty, a limit is out of its bounds, or a path can't be read.
        UnknownCollectionError: no such collection; names the nearest.
    """
    check_request(request)
    findings, ranked = ranked_sections(stores, understood(stores, request.query), request)
    names_memory = request.collection == _MEMORY or request.source is not None
    shown = show(findings, ranked, request.limit, names_memory=names_memory)
    foreign = () if shown.is_answer else _foreign_notes(findings.query, known_languages(stores))
    return fit(
        SearchAnswer(
            query=safe_line(findings.query.text),
            mode=findings.mode,
            abstained=not shown.is_answer,
            hits=shown.hits,
            keyword=findings.keyword,
            semantic=findings.semantic,
            used_tokens=0,
            budget=request.budget,
            more=shown.more,
            pending_files=pending_files,
            nearest=shown.nearest,
            notes=(*notes, *shown.notes, *shown.missing, *foreign),
        )
    )


def thinking(
    stores: Sequence[SearchedStore], request: SearchRequest
) -> AbstractContextManager[object]:
    """Have the question's vector made while a block looks at the sources, before it searches."""
    try:
        language = language_of_question(request.query, known_languages(stores))
    except StoreError:
        return nullcontext()  # the search meets it again, and sees to it
    return preparing(stores, cleaned(request.query), language, request.mode)


def understood(stores: Sequence[SearchedStore], question: str) -> Query:
    """A question taken apart in its language, out of those of the documents."""
    language = language_of_question(question, known_languages(stores))
    return analyse(question, language, _verbs_of_unknown_nouns(stores, question, language))


def _verbs_of_unknown_nouns(
    stores: Sequence[SearchedStore], question: str, language: str
) -> dict[str, Parts]:
    """Nouns of a question that stand nowhere, where the verbs do that they are made of."""
    verbs = particle_verbs(question, language)
    if not verbs:
        return {}
    words = [stems(word)[0] for noun, (verb, _) in verbs.items() for word in (noun, verb)]
    counts = [searched.store.keywords.chunk_frequencies(words) for searched in stores]
    held = [any(of_word) for of_word in zip(*counts, strict=True)]
    pairs = zip(verbs.items(), held[::2], held[1::2], strict=True)
    return {noun: verb for (noun, verb), has_noun, has_verb in pairs if has_verb and not has_noun}


def known_languages(stores: Sequence[SearchedStore]) -> Mapping[str, int]:
    """The languages of the documents, to how much is written in each."""
    known: Counter[str] = Counter()
    for searched in stores:
        known.update(searched.store.keywords.languages())
    return known


@dataclass(frozen=True, slots=True)
class Shown:
    """What a ranking comes to: the hits to show, or that it answers nothing."""

    is_answer: bool
    hits: tuple[Hit, ...]
    more: int
    """Hits above the floor beyond the limit."""
    nearest: tuple[str, ...]
    """Refs of the nearest headings, only where it is no answer."""
    notes: tuple[str, ...]
    """What was left out or could not be judged, one line each."""
    missing: tuple[str, ...]
    """What of the question stands nowhere, one line each."""


def show(
    findings: Findings,
    ranked: Sequence[Fused[SectionCard]],
    limit: int,
    *,
    floor: float | None = None,
    sure: Collection[SectionCard] = (),
    names_memory: bool = False,
) -> Shown:
    """Judge whether a ranking answers, and read as many of its sections as are shown.

    Args:
        findings: what the legs found.
        ranked: its order.
        limit: hits at most.
        floor: least confidence of both legs together; None for that of documents.
        sure: sections that answer whatever their confidence, and are no padding.
        names_memory: entries of push memory are what is asked, so they may be the nearest, too.
    """
    least = confidence.RELATED * ranked[0].score if ranked else 0.0
    named = _holding_all_that_is_asked(findings)
    related = [
        fused
        for fused in ranked
        if fused.score >= least or fused.place in sure or fused.place in named
    ]
    sections = _read_in_batches(findings, related, max(JUDGED, limit))
    best = list(islice(sections, JUDGED))
    if floor is None:
        floor = confidence.hybrid_floor(findings.searched_chunks)
    is_sure = bool(related) and related[0].place in sure
    answered = bool(best) and (is_sure or _is_answered(findings, best, floor))
    shown, stale = _current(chain(best, sections), limit) if answered else ([], [])
    nearest = () if answered else _nearest(findings, ranked, best, names_memory=names_memory)
    return Shown(
        is_answer=answered,
        hits=tuple(_hit(section, ranked[0].score, findings) for section in shown),
        more=len(related) - len(shown) - len(stale) if answered else 0,
        nearest=tuple(format_ref(section.ref) for section in nearest),
        notes=(*_stale_notes(stale), *_unread_notes(findings, shown)),
        missing=tuple(_missing_notes(findings)),
    )


def _holding_all_that_is_asked(findings: Findings) -> Collection[SectionCard]:
    """Sections with the word that is the whole question: who asks like that looks for each."""
    evidence = findings.evidence
    return (evidence.literals or evidence.words) if evidence.alone else ()


def ranked_sections(
    stores: Sequence[SearchedStore], query: Query, request: SearchRequest
) -> tuple[Findings, list[Fused[SectionCard]]]:
    """What both legs found, and its order: the part of a search that `eval run` measures."""
    boost, filters, weights = Globs(request.boost), filters_of(request), weights_of(request)
    if request.collection == "facts":
        query = replace(query, terms=fact_terms(query))
    findings = gather(stores, query, filters, request.mode, boost=boost)
    ranked = fuse(findings.evidence, findings.candidates, weights)
    if request.collection == "facts":  # one says what no other does
        return findings, ranked
    folded = fold_copies(findings, ranked)
    if 0 < len(folded.ranked) <= _MUCH_FOLDED * len(ranked):  # copies took the places of others
        depth = DEPTH * min(_DEEPEST, round(len(ranked) / len(folded.ranked)))
        findings = gather(stores, query, filters, request.mode, boost=boost, depth=depth)
        ranked = fuse(findings.evidence, findings.candidates, weights)
        folded = fold_copies(findings, ranked)
    return replace(findings, copies=folded.copies), folded.ranked


def weights_of(request: SearchRequest) -> Weights:
    """How the evidence weighs in the collection that is asked."""
    return FACTS if request.collection == "facts" else DOCS


def check_request(request: SearchRequest) -> None:
    """Raises UsageError for an empty question, or a limit out of its bounds."""
    if not request.query.strip():
        message = "the question is empty; say what to look for"
        raise UsageError(message)
    for name, value, (least, most) in (
        ("limit", request.limit, LIMIT_BOUNDS),
        ("budget", request.budget, BUDGET_BOUNDS),
    ):
        if not least <= value <= most:
            message = f"{name} is {value}; it must lie between {least} and {most:,}"
            raise UsageError(message)


def filters_of(request: SearchRequest) -> SearchFilters:
    """What a hit must be, as the engines take it.

    Raises:
        UsageError: facts are asked for without an assignment.
    """
    collections = searched_collections(request.collection)
    statuses: tuple[str, ...] = () if request.include_drafts else ("published", "approved")
    if request.collection == "facts":
        if request.assignment is None:
            message = "facts belong to an assignment, and none is resolved here: nothing is told"
            raise UsageError(message)
        statuses = ("approved", "proposed") if request.include_drafts else ("approved",)
    return SearchFilters(
        collections=collections,
        statuses=statuses,
        audiences=request.audiences,
        assignment=request.assignment,
        sources=() if request.source is None else (request.source,),
        paths=(request.path,) if request.path else (),
        left_out=request.exclude,
        tags=request.tags,
        services=request.services,
        since=request.since,
    )


def _read_in_batches(
    findings: Findings, ranked: Sequence[Fused[SectionCard]], size: int
) -> Iterator[ReadSection]:
    """Read sections as they are asked for: more than the first ones only where some are stale."""
    for start in range(0, len(ranked), size):
        yield from read_sections(findings, ranked[start : start + size])


def _nearest(
    findings: Findings,
    ranked: Sequence[Fused[SectionCard]],
    best: Sequence[ReadSection],
    *,
    names_memory: bool,
) -> tuple[ReadSection, ...]:
    """The first sections of what was asked: what every session is told anyway is near anything.

    Args:
        findings: what the legs found.
        ranked: its order.
        best: the first sections, which are read already.
        names_memory: as for `show`.
    """
    known = {section.card for section in best}
    others = [fused for fused in ranked[:_LOOKED_FOR_NEAREST] if fused.place not in known]
    read = chain(best, _read_in_batches(findings, others, JUDGED))
    asked = (it for it in read if names_memory or it.chunk.document.collection != _MEMORY)
    return tuple(islice(asked, _NEAREST))


def best_support(findings: Findings, read: Sequence[ReadSection]) -> confidence.Support | None:
    """The best of each measure among the first sections; None where there are none."""
    meaning = findings.evidence.meaning
    cosine = None if meaning is None else max(meaning.values(), default=0.0)
    best = max(findings.evidence.words.values(), default=None)
    supports = [section.support(cosine, best) for section in read]
    return max(supports, key=lambda support: support.by_names, default=None)


def _is_answered(findings: Findings, read: Sequence[ReadSection], floor: float) -> bool:
    best = best_support(findings, read)
    if best is None:
        return False
    if findings.query.alone:
        literals, words = findings.query.literals, findings.evidence.words
        occurs = not findings.missing_literals if literals else bool(words)
        return occurs or best.named >= confidence.WHOLE
    built, foreign = findings.evidence.built, findings.query.language != ENGLISH
    return confidence.answers(
        best, built=built, foreign=foreign, floor=floor, chunks=findings.searched_chunks
    )


def _current(
    read: Iterable[ReadSection], limit: int
) -> tuple[list[ReadSection], list[ReadSection]]:
    """The first sections whose file is as it was indexed, and those before them that are stale."""
    current: list[ReadSection] = []
    stale: list[ReadSection] = []
    for section in read:
        (stale if section.staleness() else current).append(section)
        if len(current) == limit:
            break
    return current, stale


def _hit(section: ReadSection, best_score: float, findings: Findings) -> Hit:
    evidence = findings.evidence
    meaning = None if section.card in evidence.waiting else evidence.meaning
    cosine = None if meaning is None else meaning.get(section.card, 0.0)
    band = confidence.band(
        section.support(cosine),
        share_of_best=section.score / best_score,
        holds_literal=section.card in evidence.literals,
        lacks_literal=bool(_missing_names(findings)),
        is_its_name=_is_name_of(section.card, findings.query),
    )
    copies = tuple(copy.page.path for copy in findings.copies.get(section.card, ()))
    return hit_of(section, findings.query, band, copies)


def _is_name_of(card: SectionCard, query: Query) -> bool:
    """Whether the question is the very heading of a section, or the title of its page."""
    names = (card.heading, card.page.title)
    return bool(query.headline) and query.headline in names


def _stale_notes(stale: Sequence[ReadSection]) -> Iterator[str]:
    names = {section.file_name: section.staleness() for section in stale}
    for name in list(names)[:_STALE_NAMED]:
        yield f"left out, {names[name]}: {name}"
    if (others := len(names) - _STALE_NAMED) > 0:
        yield f"left out likewise: {counted(others, 'more file')}"


def _missing_names(findings: Findings) -> list[str]:
    """Identifiers and phrases that stand nowhere; a plain word may be there in another form."""
    return [
        findings.query.literals[literal]
        for literal in sorted(findings.missing_literals)
        if not literal.isalpha()
    ]


def _missing_notes(findings: Findings) -> Iterator[str]:
    for name in _missing_names(findings):
        yield f"nowhere in these documents: {safe_line(name)}"


def _foreign_notes(query: Query, known: Mapping[str, int]) -> Iterator[str]:
    """That the question is in a language that no document has, so that its words tell nothing."""
    spoken = language_of(query.text)
    if known and spoken != ENGLISH and spoken not in known:  # what shows none is English, too
        asked, main = language_name(spoken), language_name(query.language)
        yield f"the question reads as {asked}, the documents as {main}: ask in {main}"


def _unread_notes(findings: Findings, shown: Sequence[ReadSection]) -> Iterator[str]:
    """Which hits words alone have ranked, the model not knowing their language."""
    if findings.evidence.meaning is None:
        return
    for language, count in Counter(it.card.language for it in shown).items():
        leg = next(it.card.store.meaning for it in shown if it.card.language == language)
        if leg and not leg.reads(language):
            yield f"{counted(count, f'{language_name(language)} hit')} ranked by words only"
