"""List the facts of an assignment: all of them, or those that a person should look at."""

from contextlib import suppress

from pit_memory.core.facts.facts import Fact
from pit_memory.core.serving.access import Access
from pit_memory.errors import StorageFullError, StoreError
from pit_memory.operations.facts.fact_files import read_facts
from pit_memory.operations.facts.facts import Facts, assignment_of, refuse_absent_home, today
from pit_memory.workspace.proposed_count import leave_proposed_count


def list_facts(facts: Facts, access: Access, refused: list[str]) -> list[Fact]:
    """All facts of who asks, newest first, those that are told no more among them.

    Raises:
        UsageError: no assignment is resolved.
        SourceError: the home of facts isn't there.
    """
    assignment = assignment_of(access)
    refuse_absent_home(facts)
    read = read_facts(facts.home, assignment, refused)
    mine = [fact for fact in read if fact.assignment == assignment]
    return sorted(mine, key=lambda fact: (fact.created, fact.id), reverse=True)


def facts_to_review(facts: Facts, access: Access) -> list[Fact]:
    """Facts that hold and are proposed, or due for review, newest first."""
    day_now = today()
    assignment, mine = assignment_of(access), list_facts(facts, access, [])
    proposed = sum(fact.status == "proposed" and fact.holds(day_now) for fact in mine)
    with suppress(StoreError, StorageFullError), facts.changing:  # a hint for the next session
        leave_proposed_count(facts.counts, assignment, proposed)
    return [
        fact
        for fact in mine
        if fact.holds(day_now)
        and (fact.status == "proposed" or (fact.review_after and fact.review_after <= day_now))
    ]
