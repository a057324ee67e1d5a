"""Explain an answer: what each leg said of its sections, and why they rank where they do."""

from collections.abc import Mapping, Sequence

from pit_memory.core.answers import confidence
from pit_memory.core.answers.answers import LegReport
from pit_memory.core.answers.explanation import ExplainedHit, Explanation, LegPlace
from pit_memory.core.documents.citations import format_ref
from pit_memory.core.documents.sections import trail
from pit_memory.core.search.fusion import parts_of
from pit_memory.core.text.languages import ENGLISH
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_line, safe_name
from pit_memory.operations.searching.gathering import Findings
from pit_memory.operations.searching.hits import read_sections
from pit_memory.operations.searching.search import (
    JUDGED,
    SearchedStore,
    SearchRequest,
    best_support,
    check_request,
    ranked_sections,
    show,
    understood,
    weights_of,
)
from pit_memory.operations.searching.searched_store import SectionCard


def explain(stores: Sequence[SearchedStore], request: SearchRequest) -> Explanation:
    """Search, and tell how the first sections came to their ranks.

    The caller has looked at the sources before (`operations.indexing.look`).

    Raises:
        UsageError: the question is empty, a limit is out of its bounds, or a path can't be read.
    """
    check_request(request)
    findings, ranked = ranked_sections(stores, understood(stores, request.query), request)
    evidence = findings.evidence
    parts = parts_of(evidence, findings.candidates, weights_of(request))
    words, meaning = _places(evidence.words), _places(evidence.meaning or {})
    hits = []
    read = read_sections(findings, ranked[: max(request.limit, JUDGED)])
    for section in read[: request.limit]:
        chunk, card = section.chunk, section.card
        named = sorted(section.named, key=lambda stem: -section.asked.idf[stem])
        hits.append(
            ExplainedHit(
                ref=format_ref(section.ref),
                breadcrumb=tuple(
                    map(safe_name, trail(chunk.document.title, chunk.section.breadcrumb))
                ),
                words=words.get(card),
                meaning=meaning.get(card),
                without_meaning=card in evidence.waiting and card not in meaning,
                parts=parts[card],
                same_page=section.score - sum(parts[card]),
                copies=tuple(safe_line(it.page.path) for it in findings.copies.get(card, ())),
                named=tuple(named),
            )
        )
    support = best_support(findings, read[:JUDGED])
    sure, floor = _judged(findings, support or confidence.Support(0.0, 0, None))
    return Explanation(
        language=findings.query.language,
        stems={
            stem: max(idf[stem] for idf in findings.idf.values())
            for stem in findings.query.terms.stems
        },
        by_meaning=evidence.meaning is not None,
        literals=tuple(map(safe_line, findings.query.literals.values())),
        legs=(
            ("words", _did(findings.keyword, len(words))),
            ("meaning", _did(findings.semantic, len(meaning))),
        ),
        confidence=None if findings.query.alone else sure,
        floor=floor,
        is_answer=bool(ranked) and show(findings, ranked, request.limit).is_answer,
        hits=tuple(hits),
    )


def _judged(findings: Findings, support: confidence.Support) -> tuple[float, float]:
    """How sure the best support is, and the least that an answer needs."""
    chunks = findings.searched_chunks
    if support.by_both is not None:
        return support.by_both, confidence.hybrid_floor(chunks)
    foreign = findings.query.language != ENGLISH
    return confidence.words_alone(support, foreign=foreign, chunks=chunks)


def _places(scores: Mapping[SectionCard, float]) -> dict[SectionCard, LegPlace]:
    ordered = sorted(scores, key=lambda card: -scores[card])
    return {
        card: LegPlace(rank, len(ordered), scores[card])
        for rank, card in enumerate(ordered, start=1)
    }


def _did(leg: LegReport, found: int) -> str:
    did = f"listed {counted(found, 'section')}" if leg.state == "ran" or found else leg.state
    return f"{did}; {leg.reason}" if leg.reason else did
