"""A fact written like any other kind of knowledge: the one receipt, from the store of facts."""

from pit_memory.core.facts.assignments import assignment_folder
from pit_memory.core.facts.fact_answers import StoreReceipt
from pit_memory.core.facts.facts import FACTS, NewFact
from pit_memory.core.kinds import written_kind
from pit_memory.core.serving.access import Access
from pit_memory.core.writing.receipts import CommitOutcome, NearDuplicate, WriteReceipt
from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.facts.store_fact import store_fact

_SAID = {
    "near-duplicate": "says nearly the same",
    "contradiction": "may contradict it",
}


def write_fact(facts: Facts, access: Access, content: str, title: str) -> WriteReceipt:
    """Store a fact for who writes.

    Args:
        facts: the person's.
        access: who writes, and for which assignment.
        content: the fact.
        title: its topic; empty for none.

    Raises: as `operations.facts.facts.store_fact`.
    """
    receipt = store_fact(facts, access, NewFact(content, topic=title))
    _, form = written_kind("fact")
    commit = receipt.commit or CommitOutcome("waiting", reason="it is there already")
    return WriteReceipt(
        is_written=receipt.is_stored,
        kind="fact",
        title=title,
        visible=f"Visible to the assignment {receipt.assignment} alone, and in no search of docs.",
        place=f"{assignment_folder(receipt.assignment)}/{receipt.id}.md",
        ref=receipt.ref,
        route=form.route,
        commit=commit,
        is_retrievable=receipt.is_retrievable,
        why_not_retrievable=receipt.why_not,
        near=() if receipt.is_stored else (_same(receipt),),
        notes=tuple(f"{FACTS}::{warning.id} {_SAID[warning.kind]}" for warning in receipt.warnings),
    )


def _same(receipt: StoreReceipt) -> NearDuplicate:
    return NearDuplicate(receipt.ref, "", receipt.why_not or "the same fact is there already")
