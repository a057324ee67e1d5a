"""Store one fact of an assignment: checked, compared with what is there, written, found again."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from pit_memory.core.facts.fact_answers import StoreReceipt
from pit_memory.core.facts.fact_warnings import FactWarning, warnings_for
from pit_memory.core.facts.facts import (
    MAX_TOPIC_CHARACTERS,
    Fact,
    NewFact,
    day,
    fact_id,
    fact_text,
    one_line,
    parse_fact_id,
)
from pit_memory.core.search.queries import analyse
from pit_memory.core.serving.access import Access
from pit_memory.core.source import Source
from pit_memory.core.text.secrets import refuse_secrets
from pit_memory.core.writing.commit_messages import fact_message
from pit_memory.errors import (
    NotFoundError,
    PitMemoryError,
    StorageFullError,
    StoreError,
    UsageError,
)
from pit_memory.operations.facts.fact_files import (
    fact_there,
    find_fact,
    rewrite_fact,
    write_new_fact,
)
from pit_memory.operations.facts.facts import (
    Facts,
    announce_facts,
    assignment_of,
    commit_facts,
    ensure_facts_home,
    index_facts,
    leave_count,
    now,
    refuse_absent_home,
    today,
)
from pit_memory.operations.indexing.look import LookedStore, look
from pit_memory.operations.searching.hits import read_chunks
from pit_memory.operations.searching.search import SearchRequest, ranked_sections
from pit_memory.workspace.files import make_folder

_COMPARED = 12
"""Facts that a new one is compared with, word by word."""
_QUERY_CHARACTERS = 1_000
_MAX_SOURCE_CHARACTERS = 500


def store_fact(facts: Facts, access: Access, new: NewFact) -> StoreReceipt:
    """Store one fact; the same one again is nothing to do.

    Args:
        facts: the person's.
        access: who stores it, and for which assignment.
        new: the fact.

    Raises:
        UsageError: an argument is wrong, or no assignment is resolved.
        WriteRefusedError: it holds a secret.
        NotFoundError: what it supersedes is no fact of this assignment.
        SourceError, PathError, StorageFullError, GitError: its home isn't there, or can't be
            written to. Nothing was.
    """
    assignment = assignment_of(access)
    fact = checked_fact(facts, access, new)
    source = facts.source(assignment)
    refuse_absent_home(facts)
    if fact.supersedes and find_fact(source, fact.supersedes, "supersedes").id == fact.id:
        message = f"supersedes: {fact.supersedes} is this very fact"
        raise UsageError(message)
    warnings = _warnings(facts, source, fact)
    ensure_facts_home(facts)
    make_folder(Path(source.root))
    written = [f"{fact.id}.md"]
    announced = announce_facts(facts, [Path(source.root, *written)])
    with facts.changing if fact.supersedes else nullcontext():
        if not write_new_fact(source, fact) and (there := fact_there(source, fact.id)):
            renewed = _renewed(there, fact)
            if renewed is None:
                return _kept(facts, there, warnings)
            fact = renewed
            announced = []
            rewrite_fact(source, fact)
        if fact.supersedes and fact.status == "approved":
            old = find_fact(source, fact.supersedes, "supersedes")
            announced = []
            announce_facts(facts, [Path(source.root, f"{old.id}.md")])
            written.append(rewrite_fact(source, replace(old, superseded_by=fact.id)))
    found, why = _index_and_find(facts, source, written, fact)
    if fact.supersedes or fact.status == "proposed":
        leave_count(facts, source)
    message = fact_message(fact.id, assignment)
    return StoreReceipt(
        assignment=assignment,
        id=fact.id,
        is_stored=True,
        is_there=True,
        status=fact.status,
        superseded=fact.supersedes if len(written) > 1 else "",
        warnings=warnings,
        commit=commit_facts(
            facts, [Path(source.root, name) for name in written], message, announced
        ),
        is_retrievable=found,
        why_not=why,
    )


def checked_fact(facts: Facts, access: Access, new: NewFact) -> Fact:
    """A new fact, checked.

    Raises:
        UsageError: an argument is wrong.
        WriteRefusedError: it holds a secret.
    """
    fact = Fact(
        assignment=assignment_of(access),
        text=fact_text(new.text),
        topic=one_line(new.topic, "topic", MAX_TOPIC_CHARACTERS),
        status="approved" if facts.review == "off" else "proposed",
        created=now(),
        author=facts.find_author() if access.is_local else access.name,
        source=one_line(new.source, "source", _MAX_SOURCE_CHARACTERS),
        supersedes=parse_fact_id(new.supersedes, "supersedes") if new.supersedes else "",
        review_after=day(new.review_after, "review_after"),
        expires=day(new.expires, "expires"),
    )
    if fact.expires and fact.expires <= today():
        message = f"expires: {fact.expires} is past: this fact would never be told"
        raise UsageError(message)
    refuse_secrets({"fact": fact.text, "topic": fact.topic, "source": fact.source})
    return fact


def _renewed(there: Fact, new: Fact) -> Fact | None:
    """What becomes of a fact that is there already; None where nothing does.

    One that is told no more may be stored in place of the one that replaced it, and one that holds
    may replace another.

    Raises:
        UsageError: its file says another thing by now.
    """
    if there.text != new.text:
        message = (
            f"fact: the file of this very text, {new.id}.md, was changed by hand, and it says "
            f"another thing now; rename it to {fact_id(new.assignment, there.text)}.md first"
        )
        raise UsageError(message)
    if not new.supersedes:
        return None
    if not there.holds(today()):
        return new
    is_done = new.supersedes == there.supersedes
    return None if is_done else replace(there, supersedes=new.supersedes)


def _kept(facts: Facts, there: Fact, warnings: tuple[FactWarning, ...]) -> StoreReceipt:
    """The receipt of a fact that is there already, told or not."""
    why = ""
    if there.status == "retracted":
        why = (
            f"the same fact was retracted on {there.retracted[:10]} ({there.reason}); "
            f"`pit-memory facts review --approve {there.id}` brings it back"
        )
    elif there.superseded_by:
        why = (
            f"the same fact was superseded by {there.superseded_by}; "
            f"store it with supersedes={there.superseded_by} if it holds again"
        )
    elif there.expires and there.expires <= today():
        why = f"the same fact expired on {there.expires}; say it with its new date"
    return StoreReceipt(
        assignment=there.assignment,
        id=there.id,
        is_stored=False,
        is_there=not why,
        status=there.status,
        superseded="",
        warnings=() if not why else warnings,
        commit=None,
        is_retrievable=not why and (there.status == "approved" or facts.tells_proposed),
        why_not=why,
    )


def _warnings(facts: Facts, source: Source, fact: Fact) -> tuple[FactWarning, ...]:
    """Ids of facts that hold and may say the same, or the opposite."""
    if not Path(source.root).is_dir():
        return ()
    try:
        look([LookedStore(facts.store, (source,))])
        request = SearchRequest(
            query=f"{fact.topic} {fact.text}"[:_QUERY_CHARACTERS],
            collection="facts",
            assignment=fact.assignment,
            source=source.name,
            mode="keyword",
        )
        findings, ranked = ranked_sections([facts.searched], analyse(request.query), request)
        names = [chunk.document.path for _, chunk in read_chunks(findings, ranked[:_COMPARED])]
    except (StoreError, StorageFullError):
        return ()  # the write is what counts; the next one compares again
    others = []
    for name in names:
        try:
            other = fact_there(source, name.removesuffix(".md"))
        except NotFoundError:
            continue
        if other and other.holds(today()) and other.id != fact.supersedes:
            others.append(other)
    return tuple(warnings_for(fact, others))


def _index_and_find(
    facts: Facts, source: Source, names: Sequence[str], fact: Fact
) -> tuple[bool, str]:
    """Index what was written, and search for the fact by its own words."""
    if fact.status == "proposed" and not facts.tells_proposed:
        try:
            index_facts(facts, source, names)
        except (StoreError, StorageFullError) as error:
            return False, f"{error}; the next recall tries again"
        return False, "it waits for `pit-memory facts review`"
    try:
        index_facts(facts, source, names)
        query = analyse(f"{fact.topic} {fact.text}"[:_QUERY_CHARACTERS])
        request = SearchRequest(
            query=query.text,
            collection="facts",
            assignment=fact.assignment,
            source=source.name,
            path=f"{fact.id}.md",
            mode="keyword",
        )
        _, ranked = ranked_sections([facts.searched], query, request)
    except PitMemoryError as error:
        return False, f"{error}; the next recall tries again"
    if ranked or not query.terms.stems:
        return True, ""
    return False, "the index doesn't have it yet; the next recall tries again"
