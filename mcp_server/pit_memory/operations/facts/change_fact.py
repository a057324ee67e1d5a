"""Change a fact that is there: retract it, or approve it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pit_memory.core.facts.fact_answers import ChangeReceipt
from pit_memory.core.facts.facts import MAX_REASON_CHARACTERS, Fact, one_line
from pit_memory.core.serving.access import Access
from pit_memory.core.text.secrets import refuse_secrets
from pit_memory.core.writing.commit_messages import fact_message
from pit_memory.errors import UsageError
from pit_memory.operations.facts.fact_files import fact_there, find_fact, rewrite_fact
from pit_memory.operations.facts.facts import (
    Facts,
    announce_facts,
    assignment_of,
    commit_facts,
    index_facts,
    leave_count,
    now,
    refuse_absent_home,
    today,
)


def retract_fact(facts: Facts, access: Access, given_id: str, reason: str) -> ChangeReceipt:
    """Take a fact back: it is told no more before this returns; its file says when and why.

    Raises:
        UsageError: an argument is wrong, or no assignment is resolved.
        NotFoundError: it is no fact of this assignment.
        SourceError: the home of facts isn't there.
        StoreError, StorageFullError: it could not be carried out.
    """
    why = one_line(reason, "reason", MAX_REASON_CHARACTERS)
    if not why:
        message = f"reason: it is empty; say why, in 1 to {MAX_REASON_CHARACTERS} characters"
        raise UsageError(message)
    refuse_secrets({"reason": why})

    def retracted(fact: Fact) -> Fact | str:
        if fact.status == "retracted":
            return f"was retracted on {fact.retracted[:10]} already: {fact.reason}"
        return replace(fact, status="retracted", retracted=now(), reason=why)

    return _change(facts, access, given_id, "retracted", retracted)


def approve_fact(facts: Facts, access: Access, given_id: str) -> ChangeReceipt:
    """Let a proposed or retracted fact be told from now on; what it supersedes is retired.

    One that was due for review has been looked at: it is told on, and not up for review again.

    Raises:
        UsageError, NotFoundError, SourceError, StoreError, StorageFullError: as `retract_fact`.
    """

    def approved(fact: Fact) -> Fact | str:
        is_due = bool(fact.review_after) and fact.review_after <= today()
        if fact.status == "approved" and not is_due:
            return "is approved already"
        later = "" if is_due else fact.review_after
        return replace(fact, status="approved", retracted="", reason="", review_after=later)

    return _change(facts, access, given_id, "approved", approved)


def _change(
    facts: Facts,
    access: Access,
    given_id: str,
    what: str,
    changed: Callable[[Fact], Fact | str],
) -> ChangeReceipt:
    """Rewrite a fact's file and what follows from it; a text tells why there is nothing to do."""
    assignment = assignment_of(access)
    source = facts.source(assignment)
    refuse_absent_home(facts)
    with facts.changing:
        fact = find_fact(source, given_id, "document_id")
        after = changed(fact)
        if isinstance(after, str):
            return ChangeReceipt(fact.id, after, None)
        announce_facts(facts, [Path(source.root, f"{fact.id}.md")])
        written = [rewrite_fact(source, after)]
        if after.status == "approved" and after.supersedes:
            old = fact_there(source, after.supersedes)
            if old is not None and not old.superseded_by:
                written.append(rewrite_fact(source, replace(old, superseded_by=after.id)))
    index_facts(facts, source, written)
    leave_count(facts, source)
    files = [Path(source.root, name) for name in written]
    commit = commit_facts(facts, files, fact_message(f"{what} {fact.id}", assignment))
    return ChangeReceipt(fact.id, what, commit)
