"""How was this fixed last time: records of incidents first, related docs below them, marked."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from pit_memory.core.answers.answer_budget import fit
from pit_memory.core.answers.answers import Hit, SearchAnswer
from pit_memory.core.answers.confidence import INCIDENTS_FLOOR
from pit_memory.core.documents.incident_record import is_within
from pit_memory.core.incidents.incident_question import IncidentQuestion, read_question
from pit_memory.core.incidents.unknown_services import unknown_services
from pit_memory.core.search.fusion import INCIDENTS, RUNBOOKS, Fused, Weights, best_of_pages, fuse
from pit_memory.core.search.legs import SearchFilters
from pit_memory.core.search.queries import telling_stems
from pit_memory.core.search.runbooks import RUNBOOK
from pit_memory.core.text.globs import Globs
from pit_memory.core.text.safe_text import safe_line
from pit_memory.operations.searching.gathering import Findings, gather
from pit_memory.operations.searching.search import (
    SearchRequest,
    Shown,
    check_request,
    filters_of,
    known_languages,
    show,
)
from pit_memory.operations.searching.searched_store import PageCard, SearchedStore, SectionCard

_RELATED = 2
"""Pages of the docs shown beside incidents."""
_ALONE = 5
"""Likewise where no incident is like the question."""
_LEADING = 2
"""Runbooks that go before incidents."""
_NOTHING = "nothing found: no incident resembles this, and the docs do not seem to cover it"
_NO_INCIDENT = "no incident resembles this; what the docs say:"


@dataclass(frozen=True, slots=True)
class Ranked:
    """What was found of one collection, one section a page, best first."""

    findings: Findings
    sections: list[Fused[SectionCard]]
    sure: frozenset[SectionCard] = frozenset()
    """Sections that answer whatever their confidence."""


@dataclass(frozen=True, slots=True)
class RankedIncidents:
    """The parts of an answer in their order, each ranked for itself."""

    runbooks: Ranked
    """Pages that go before the incidents: for an alert, its runbooks."""
    incidents: Ranked
    docs: Ranked

    @property
    def parts(self) -> tuple[Ranked, Ranked, Ranked]:
        """All of them, in the order of the answer."""
        return self.runbooks, self.incidents, self.docs


def search_incidents(
    stores: Sequence[SearchedStore],
    request: SearchRequest,
    *,
    pending_files: int = 0,
    notes: Sequence[str] = (),
) -> SearchAnswer:
    """Answer with the past incidents that are like what was asked or pasted, best first.

    Each tells symptom, cause and resolution. Related pages of the docs follow; for an alert its
    runbooks lead. `more` counts incidents.

    Args:
        stores: as for `operations.searching.search.search`.
        request: the question, in words or as error text pasted whole.
        pending_files: files that the look saw and left for later.
        notes: what the look has to say, one line each.

    Raises:
        UsageError: the question is empty, or a limit is out of its bounds.
    """
    check_request(request)
    question, ranked = ranked_incidents(stores, request)
    found = show(
        ranked.incidents.findings,
        ranked.incidents.sections,
        request.limit,
        floor=INCIDENTS_FLOOR,
        sure=_of_the_dates(ranked.incidents.sections, question),
    )
    leading = _show_docs(_named_first(ranked.runbooks, question), _LEADING)
    docs = _show_docs(ranked.docs, _RELATED if found.is_answer else _ALONE)
    hits = (*leading.hits, *found.hits, *docs.hits)
    findings = ranked.incidents.findings
    return fit(
        SearchAnswer(
            query=safe_line(question.query.text),
            mode=findings.mode,
            abstained=not hits,
            hits=hits,
            keyword=findings.keyword,
            semantic=findings.semantic,
            used_tokens=0,
            budget=request.budget,
            more=found.more,
            pending_files=pending_files,
            nearest=() if hits else found.nearest,
            notes=(*notes, *_notes(stores, request, found, pending_files)),
            lead=_lead(found, is_empty=not hits),
        )
    )


def ranked_incidents(
    stores: Sequence[SearchedStore], request: SearchRequest
) -> tuple[IncidentQuestion, RankedIncidents]:
    """A question taken apart, and incidents and docs ranked: what `eval run` measures."""
    question = read_question(request.query, known_languages(stores))
    filters = filters_of(request)
    records = _rank(stores, question, filters, request, INCIDENTS)
    if question.asks_by_date:
        asked_for = _of_the_dates(records.sections, question)
        records.sections.sort(key=lambda it: it.place not in asked_for)
    about_docs = replace(filters, collections=("docs",), services=(), since="")
    docs = _rank(stores, question, about_docs, request, RUNBOOKS)
    leading: list[Fused[SectionCard]] = []
    if question.is_alert:
        leading = [it for it in docs.sections if _is_for(it.place.page, _titles_of(question))]
    others = [it for it in docs.sections if it not in leading]
    return question, RankedIncidents(
        runbooks=Ranked(docs.findings, leading),
        incidents=records,
        docs=Ranked(docs.findings, others),
    )


def _rank(
    stores: Sequence[SearchedStore],
    question: IncidentQuestion,
    filters: SearchFilters,
    request: SearchRequest,
    weights: Weights,
) -> Ranked:
    whole = weights is INCIDENTS
    findings = gather(
        stores,
        question.query,
        filters,
        request.mode,
        boost=Globs(request.boost),
        whole_records=whole,
    )
    ranked = fuse(findings.evidence, findings.candidates, weights)
    return Ranked(findings, best_of_pages(ranked, findings.candidates))


def _is_for(page: PageCard, titles: Collection[frozenset[str]]) -> bool:
    """Whether a page is what an alert's reader wants first: a runbook, or called like the alert."""
    return page.is_runbook or page.title in titles


def _titles_of(question: IncidentQuestion) -> Collection[frozenset[str]]:
    """Titles that a page has, which is called like an alert: `High error rate` is one, too."""
    return {telling_stems(name) for name in question.names}


def _named_first(ranked: Ranked, question: IncidentQuestion) -> Ranked:
    """Pages that are called like the alert before others; sure, whatever else the alert says."""
    titles = _titles_of(question)
    named = [it for it in ranked.sections if it.place.page.title in titles]
    others = [it for it in ranked.sections if it not in named]
    return replace(ranked, sections=[*named, *others], sure=frozenset(it.place for it in named))


def _show_docs(ranked: Ranked, limit: int) -> Shown:
    shown = show(ranked.findings, ranked.sections, limit, sure=ranked.sure)
    runbooks = {it.place.page.path for it in ranked.sections if it.place.page.is_runbook}
    return replace(shown, hits=tuple(_related(hit, hit.path in runbooks) for hit in shown.hits))


def _related(hit: Hit, is_runbook: bool) -> Hit:
    return replace(hit, is_related=True, kind=RUNBOOK if is_runbook else hit.kind)


def _of_the_dates(
    sections: Sequence[Fused[SectionCard]], question: IncidentQuestion
) -> frozenset[SectionCard]:
    """The records of the very days that a question names, whatever else they say."""
    dates, places = question.answering_dates, [section.place for section in sections]
    return frozenset(it for it in places if is_within(dates, it.page.date, it.page.until))


def _lead(found: Shown, *, is_empty: bool) -> str:
    if is_empty:
        return _NOTHING
    return "" if found.is_answer else _NO_INCIDENT


def _notes(
    stores: Sequence[SearchedStore], request: SearchRequest, found: Shown, pending_files: int
) -> tuple[str, ...]:
    """What a person should know of the filters and of the records there are."""
    notes = list(found.notes)
    catalogues = [searched.store.catalogue for searched in stores]
    audiences = request.audiences
    services = {name for it in catalogues for name in it.incident_services(audiences)}
    notes += unknown_services(request.services, services)
    counts = [it.incident_counts(audiences) for it in catalogues]
    records, undated = (sum(part) for part in zip(*counts, strict=True))
    if not records and not pending_files:
        notes.append("there are no incident records yet: pit-memory incidents add, or import")
    elif request.since and undated:
        notes.append(f"{undated} without a date, so not in an answer since {request.since}")
    return tuple(notes)
