"""Drafts, and what became of them, as the command line shows them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from pit_memory.cli.render import print_lines
from pit_memory.core.text.plurals import counted
from pit_memory.core.writing.draft_cards import DraftCard, PublishOutcome

if TYPE_CHECKING:
    from pit_memory.operations.drafts.propose import ProposalReport
    from pit_memory.operations.drafts.wrapup import WrapupReport

_MOST_ROTTEN = 20
"""Findings a review shows: the first one of an old tree has hundreds, and an agent reads them."""


def print_outcomes(outcomes: Sequence[PublishOutcome]) -> None:
    """Print what became of drafts."""
    for outcome in outcomes:
        _print_outcome(outcome)


def print_proposal(report: "ProposalReport") -> None:
    """Print what became of a pull request."""
    print_outcomes(report.outcomes)
    if report.branch:
        pushed = "pushed" if report.is_pushed else "made here"
        print_lines(f"branch {report.branch} {pushed}; the drafts stay here until it is merged")
    if report.address:
        print_lines(report.address)
    print_lines(*report.notes)


def _print_outcome(outcome: PublishOutcome) -> None:
    if outcome.state == "refused":
        print_lines(f"refused: {outcome.draft}: {outcome.reason}")
        return
    commit = outcome.commit
    made = f"  commit {commit.id}" if commit and commit.id else ""
    print_lines(
        f"{outcome.state}: {outcome.draft}"
        + (f" -> {outcome.target}" if outcome.target else "")
        + made
    )
    if commit and commit.reason:
        print_lines(f"   {commit.reason}")
    if outcome.changed:
        print_lines(f"   changed with it: {', '.join(outcome.changed)}")
    for note in outcome.notes:
        print_lines(f"   {note}")
    if outcome.diff:
        print_lines(*outcome.diff.rstrip("\n").split("\n"))


def print_cards(cards: Sequence[DraftCard]) -> None:
    """Print drafts; those that nobody touches apart."""
    waiting = [card for card in cards if not card.is_old]
    for card in waiting:
        _print_card(card)
    old = [card for card in cards if card.is_old]
    if old:
        print_lines("discard? untouched for 60 days:")
        for card in old:
            _print_card(card)


def _print_card(card: DraftCard) -> None:
    days = counted(card.age_days, "day") if card.age_days else "today"
    marks = [card.author, days, "" if card.state == "committed" else card.state]
    marks.append(counted(card.findings, "finding") if card.findings else "")
    print_lines(" · ".join([f"{card.path}  {card.title}", *filter(None, marks)]))
    if card.published_as:
        print_lines(f"   published already as {card.published_as}; discard it")
    else:
        print_lines(f"   goes to {card.goes_to}")
    for overlap in card.overlaps:
        print_lines(f"   overlaps {overlap.ref} ({overlap.likeness:.0%})")
        print_lines(*(f"      {line}" for line in overlap.changes))


def print_review(report: "WrapupReport") -> None:
    """Print what a wrap-up looks at."""
    print_lines(f"drafts: {len(report.drafts.drafts)}")
    print_cards(report.drafts.drafts)
    print_lines(
        f"notes of your client since {report.since}, seen by you alone: {len(report.notes)}"
    )
    print_lines(*(f"{note.name}  {note.about}".rstrip() for note in report.notes))
    if report.waiting:
        print_lines("not committed yet (`pit-memory remember --commit-waiting`):", *report.waiting)
    print_lines(f"gotchas and rules added: {len(report.gotchas)}", *report.gotchas)
    print_lines(f"dead or stale in touched documents: {len(report.rotten)}")
    shown = report.rotten[:_MOST_ROTTEN]
    print_lines(*(f"{one.path}:{one.line}: {one.rule}: {one.message}" for one in shown))
    if len(report.rotten) > len(shown):
        print_lines(f"{len(report.rotten) - len(shown):,} more: pit-memory lint")


def card_json(card: DraftCard) -> dict[str, object]:
    """A draft as JSON."""
    return {**asdict(card), "is_old": card.is_old}


def review_json(report: "WrapupReport") -> dict[str, object]:
    """What a wrap-up looks at as JSON."""
    return {
        "drafts": [card_json(card) for card in report.drafts.drafts],
        "since": report.since,
        "notes": [asdict(note) for note in report.notes],
        "gotchas": list(report.gotchas),
        "rotten": [asdict(problem) for problem in report.rotten],
        "waiting": list(report.waiting),
    }
