"""Recall: the one search among the facts of one assignment, each hit read again from its file."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from pit_memory.core.answers.answers import LegReport, Mode
from pit_memory.core.answers.confidence import RELATED
from pit_memory.core.answers.read_answers import ReadAnswer
from pit_memory.core.answers.read_budget import fit_lines
from pit_memory.core.facts.fact_answers import RecallAnswer
from pit_memory.core.facts.fact_warnings import newest_first
from pit_memory.core.facts.facts import (
    DEFAULT_RECALL,
    FACTS,
    Fact,
    parse_fact_id,
    question,
    recall_limit,
)
from pit_memory.core.indexing.vectors import how_far
from pit_memory.core.search.fusion import Fused
from pit_memory.core.search.queries import analyse
from pit_memory.core.serving.access import Access
from pit_memory.core.source import Source
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_line
from pit_memory.errors import EmbedderError, NotFoundError, StoreError
from pit_memory.operations.facts.fact_files import current_fact
from pit_memory.operations.facts.facts import (
    Facts,
    assignment_of,
    is_home_there,
    refuse_absent_home,
    today,
)
from pit_memory.operations.indexing.index_behind import behind_as_seen
from pit_memory.operations.indexing.look import LookedStore, LookReport, look_and_ask
from pit_memory.operations.searching.gathering import Findings
from pit_memory.operations.searching.search import SearchRequest, ranked_sections
from pit_memory.operations.searching.searched_store import SectionCard

_EMBEDDED_AT_ONCE = 48
"""Facts without a vector that a recall embeds before it answers, some 10 ms each; more are found by
their words until the background has embedded them."""
_NAMED = 3
"""Facts named whose files are not as they were."""
_LEAST_COSINE = 0.2
"""Of a fact that no word of the question names: below it, meaning says nothing."""


def recall(
    facts: Facts,
    access: Access,
    query: str,
    limit: int = DEFAULT_RECALL,
    *,
    mode: Mode | None = None,
) -> RecallAnswer:
    """Answer a question with facts of who asks, best first, among equally good ones the newest.

    Args:
        facts: the person's.
        access: who asks; its assignment is all that is looked at.
        query: the question, 1 to 1,000 characters.
        limit: facts at most, 1 to 20.
        mode: None asks both legs where both can run.

    Raises:
        UsageError: an argument is out of its bounds, or no assignment is resolved.
        PathError: the home doesn't take this assignment.
        StoreError, StorageFullError: the index can't be used now.
    """
    assignment = assignment_of(access)
    asked, most = question(query), recall_limit(limit)
    source = facts.source(assignment)
    is_there = Path(source.root).is_dir()
    if not is_there and is_home_there(facts.home):
        _forget(facts, source)
    looked = [LookedStore(facts.store, (source,) if is_there else ())]
    ask = partial(_ask, facts, source, asked, most, mode)
    return look_and_ask(looked, ask, look=facts.looker.look)


def _forget(facts: Facts, source: Source) -> None:
    """Forget the index of a folder that is gone from its home: a person or a pull removed it."""
    facts.store.reopen_if_replaced()
    if facts.store.catalogue.paths(source.name):
        with facts.store.catalogue.write() as writer:
            writer.remove_source(source.name)


def read_fact_ref(facts: Facts, access: Access, ref: str, budget: int) -> ReadAnswer:
    """Show a fact of who asks by its ref; another's is as good as not there.

    Raises:
        UsageError: the ref is none, or no assignment is resolved.
        NotFoundError: there is no such fact of this assignment, or it is told no more.
        SourceError: the home of facts isn't there.
    """
    assignment = assignment_of(access)
    fact_id = parse_fact_id(ref.partition("@")[0], "ref")
    refuse_absent_home(facts)
    read = current_fact(facts.source(assignment), fact_id)
    if read is None or not read.fact.holds(today()) or not _may_be_told(facts, read.fact):
        message = f"{FACTS}::{fact_id} names no fact of {assignment} that holds"
        raise NotFoundError(message)
    lines = read.fact.text.split("\n")
    answer = ReadAnswer(
        ref=read.fact.ref,
        state="uncited",
        source=FACTS,
        path=fact_id,
        title=safe_line(read.fact.topic),
        breadcrumb=tuple(filter(None, (safe_line(read.fact.topic), read.fact.date))),
        status=read.fact.status,
        lines=(),
        shown=(1, len(lines)),
        whole=(1, len(lines)),
        below=(),
        next_ref=None,
        used_tokens=0,
        notes=facts.notes,
    )
    return fit_lines(answer, lines, budget)


def ranked_facts(
    facts: Facts, source: Source, asked: str, day: str, mode: Mode | None
) -> tuple[Findings, list[Fused[SectionCard]]]:
    """What both legs found in an assignment's folder: the part that `eval run` measures.

    Args:
        facts: the person's, after a look.
        source: the assignment's folder.
        asked: the question.
        day: ISO 8601 date; what has expired then is left out.
        mode: None asks both legs where both can run.
    """
    request = SearchRequest(
        query=asked,
        collection=FACTS,
        include_drafts=facts.tells_proposed,
        mode=mode,
        source=source.name,
        assignment=source.assignment,
        exclude=told_no_more(facts, source, day),
    )
    return ranked_sections([facts.searched], analyse(asked), request)


def told_no_more(facts: Facts, source: Source, day: str) -> tuple[str, ...]:
    """Paths of approved facts that a recall leaves out: expired, or replaced by another fact."""
    gone = []
    for path, fields, status in facts.store.catalogue.fields_of(source.name):
        expires = fields.get("expires", "")
        if expires and expires <= day:
            gone.append(path)
        elif (old := fields.get("supersedes", "")) and status == "approved":
            gone.append(f"{old}.md")
    return tuple(sorted(set(gone)))


def _ask(
    facts: Facts, source: Source, asked: str, limit: int, mode: Mode | None, seen: LookReport
) -> RecallAnswer:
    day = today()
    notes = [*facts.notes, *seen.notes]
    if mode != "keyword":
        notes += embed_missing(facts, source)
    findings, ranked = ranked_facts(facts, source, asked, day, mode)
    related = [fused for fused in ranked if _is_related(findings, fused, ranked[0].score)]
    told: list[Fact] = []
    gone: list[str] = []
    looked_at = 0
    for fused in related:
        if len(told) == limit:
            break
        path = fused.place.page.path
        looked_at += 1
        read = current_fact(source, path.removesuffix(".md"))
        if read is None:
            gone.append(path)
        elif read.fact.holds(day) and _may_be_told(facts, read.fact):
            told.append(read.fact)
    notes += [f"left out, its file has just changed or vanished: {it}" for it in gone[:_NAMED]]
    if len(gone) > _NAMED:
        notes.append(f"left out likewise: {counted(len(gone) - _NAMED, 'more fact')}")
    is_there = Path(source.root).is_dir() or is_home_there(facts.home)
    indexed = 0 if is_there else len(facts.store.catalogue.paths(source.name))
    if indexed:
        home = f"the home of these facts is not there: {facts.home.root}"
        notes.append(f"{home}; of its facts {indexed:,} are indexed, and told once it is there")
    return RecallAnswer(
        assignment=source.assignment or "",
        query=asked,
        facts=tuple(newest_first(told)),
        more=len(related) - looked_at,
        mode=findings.mode,
        keyword=behind_as_seen(findings.keyword, seen),
        semantic=_own_leg(facts, source, findings),
        pending_files=seen.pending_files,
        notes=tuple(notes),
        today=day,
        is_out_of_reach=bool(gone or indexed),
    )


def _own_leg(facts: Facts, source: Source, findings: Findings) -> LegReport:
    """How far meaning is built of this assignment; that of others is nobody's to know."""
    leg, parts = findings.semantic, facts.meaning
    if leg.state != "degraded" or findings.evidence.meaning is None or parts is None:
        return leg
    from pit_memory.operations.indexing.meaning import coverage  # NumPy, as below

    own = coverage(facts.store, parts.cache, parts.embedder.fingerprint, source.name)
    if own.share >= 1:
        return replace(leg, state="ran", reason="")
    return replace(leg, reason=how_far(own.share, own.seconds_left))


def embed_missing(facts: Facts, source: Source) -> list[str]:
    """Embed the assignment's facts that have no vector yet, if they are few."""
    parts = facts.meaning
    if parts is None:
        return []
    try:
        if parts.vectors.coverage().share >= 1:
            return []
        from pit_memory.operations.indexing.meaning import (
            embed_few,  # NumPy: only who needs it pays for it
        )

        documents = [*facts.store.catalogue.paths(source.name)]
        hashes = [it for _, _, it in facts.store.catalogue.embed_hashes(documents)]
        embed_few(facts.store, parts.cache, parts.embedder, hashes, most=_EMBEDDED_AT_ONCE)
    except (EmbedderError, StoreError) as error:
        return [f"new facts are found by their words alone: {error}"]
    return []


def _is_related(findings: Findings, fused: Fused[SectionCard], best: float) -> bool:
    evidence = findings.evidence
    named = fused.place in evidence.words or fused.place in evidence.literals
    meant = (evidence.meaning or {}).get(fused.place, 0.0) >= _LEAST_COSINE
    return (named or meant) and fused.score >= RELATED * best


def _may_be_told(facts: Facts, fact: Fact) -> bool:
    return fact.status == "approved" or (fact.status == "proposed" and facts.tells_proposed)
