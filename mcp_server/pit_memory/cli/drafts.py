"""`pit-memory drafts`: what waits to be published, and publishing what a person approved."""

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from pit_memory.cli.exit_codes import EXIT_USER_MUST_ACT
from pit_memory.cli.options import json_option, root_option
from pit_memory.cli.writing_command import ChangingCommand
from pit_memory.core.text.plurals import counted
from pit_memory.errors import UsageError

if TYPE_CHECKING:
    from pit_memory.core.writing.approvals import Choice
    from pit_memory.core.writing.draft_cards import PublishOutcome
    from pit_memory.operations.drafts.draft_desk import DraftDesk
    from pit_memory.operations.drafts.drafts import DraftsReport
    from pit_memory.operations.drafts.propose import ProposalReport
    from pit_memory.operations.services import Services

approved_by_option = click.option(
    "--approved-by",
    default="",
    metavar="PERSON",
    help="Who chose these drafts; recorded in the commit. Needed where nobody is at a terminal.",
)


@click.group()
def command() -> None:
    """List drafts, check them, and publish or discard what a person chose.

    A draft is captured in seconds and searched at once; it becomes a page when a person says so.
    """


@command.command("list")
@click.argument("names", nargs=-1)
@click.option("--mine", is_flag=True, help="Only yours, by the name that git knows.")
@click.option(
    "--overlaps", is_flag=True, help="Show published sections that say the same, line by line."
)
@root_option
@json_option
def list_(
    names: tuple[str, ...], mine: bool, overlaps: bool, root: Path | None, as_json: bool
) -> None:
    """List drafts, the oldest first.

    With author, age, findings of the doc standard, and where publishing would put each. A draft
    untouched for 60 days is listed under "discard?"; none is ever deleted by itself.
    """
    from pit_memory.cli.draft_words import card_json, print_cards
    from pit_memory.cli.render import print_json, say

    if overlaps:
        report = _with_overlaps(root, names, mine=mine)
    else:
        report = _listed(root, names, mine=mine, lenient=True)
    for note in report.notes:
        say(note)
    if as_json:
        print_json({"drafts": [card_json(card) for card in report.drafts]})
        return
    print_cards(report.drafts)
    say(counted(len(report.drafts), "draft"))


@command.command()
@click.argument("names", nargs=-1)
@root_option
@json_option
@click.pass_context
def lint(ctx: click.Context, names: tuple[str, ...], root: Path | None, as_json: bool) -> None:
    """Check drafts against the doc standard.

    Exit code 1 where there is something to correct.
    """
    from pit_memory.cli.lint import print_findings
    from pit_memory.cli.render import print_json

    report = _listed(root, names, mine=False, lenient=False).lint
    if as_json:
        print_json(asdict(report))
    else:
        print_findings(report)
    if report.problems:
        ctx.exit(EXIT_USER_MUST_ACT)


@command.command(
    cls=ChangingCommand,
    epilog="""\b
Examples:
  pit-memory drafts publish gateway-port --approved-by "Ada Example"
  pit-memory drafts publish gateway-port --into docs/reference/ports.md#public --dry-run
  pit-memory drafts publish --from chosen.txt --via pr --approved-by "Ada Example"

\b
A line of FILE is NAME, NAME -> docs/page.md, NAME -> docs/page.md#section, or a JSON object of
name, to, into and replace.
""",
)
@click.argument("names", nargs=-1)
@click.option("--to", default="", metavar="PATH", help="Page or folder [default: publish.to].")
@click.option(
    "--into", default="", metavar="REF", help="Put it under this heading of a published page."
)
@click.option("--replace", is_flag=True, help="With --into: in place of that section's own text.")
@click.option(
    "--from",
    "batch",
    type=click.File("rb"),
    metavar="FILE",
    help="More drafts, one a line; `-` is standard input.",
)
@click.option(
    "--via",
    type=click.Choice(["commit", "pr"]),
    help="Commit here, or propose by one pull request [default: publish.via].",
)
@click.option("--dry-run", is_flag=True, help="Show the diff, change nothing.")
@approved_by_option
@root_option
@json_option
@click.pass_context
def publish(
    ctx: click.Context,
    names: tuple[str, ...],
    to: str,
    into: str,
    replace: bool,
    batch: BinaryIO | None,
    via: str | None,
    dry_run: bool,
    approved_by: str,
    root: Path | None,
    as_json: bool,
) -> None:
    """Publish exactly the drafts that a person chose.

    The draft flag goes, `moved_from` is added, links to and from the page are corrected, an
    explicit nav of MkDocs gets the page where that is safe, one commit is made for each draft, and
    the page is searched at once. What can't be published stays a draft, with the reason, and exit
    code 1. At a terminal you are asked; elsewhere --approved-by names the person who chose.
    """
    from pit_memory.cli.given_files import text_of
    from pit_memory.core.writing.approvals import Choice, choices_of
    from pit_memory.wiring import draft_desk, open_services

    chosen = [Choice(name, to, into, replace) for name in names]
    chosen += choices_of(text_of(batch.read(), batch.name)) if batch else ()
    if not chosen:
        message = "name the drafts to publish; `pit-memory drafts list` shows them"
        raise UsageError(message)
    if len(names) > 1 and (into or (to and to.endswith(".md"))):
        message = "--to FILE and --into take one draft; for several use --from"
        raise UsageError(message)
    with open_services(root) as services:
        approver = "" if dry_run else _approver(services, chosen, approved_by, "Publish")
        desk = draft_desk(services, approver)
        _publish(ctx, desk, chosen, via or "", dry_run=dry_run, as_json=as_json)


@command.command(cls=ChangingCommand)
@click.argument("names", nargs=-1, required=True)
@approved_by_option
@root_option
@json_option
@click.pass_context
def discard(
    ctx: click.Context,
    names: tuple[str, ...],
    approved_by: str,
    root: Path | None,
    as_json: bool,
) -> None:
    """Remove drafts, one commit each; git still has them.

    A draft with changes that are not committed stays, with exit code 1.
    """
    from pit_memory.core.writing.approvals import Choice, approver_of
    from pit_memory.wiring import draft_desk, open_services

    with open_services(root) as services:
        approver = approver_of(approved_by) if approved_by else ""
        if not approver and _is_terminal():
            approver = _approver(services, [Choice(name) for name in names], "", "Discard")
        _finish(ctx, draft_desk(services, approver).discard(names), as_json=as_json)


@command.command()
@click.option("--done", is_flag=True, help="The wrap-up is over: the next one looks back to now.")
@root_option
@json_option
def review(done: bool, root: Path | None, as_json: bool) -> None:
    """Show everything a wrap-up looks at; nothing is changed.

    Drafts with what they overlap, your client's own notes and the gotchas added since the last
    wrap-up, and what is dead or stale in documents that were touched since.
    """
    from pit_memory.cli.draft_words import print_review, review_json
    from pit_memory.cli.render import print_json, say
    from pit_memory.operations.drafts.wrapup import mark_done, review
    from pit_memory.operations.searching.searched_sources import own_source
    from pit_memory.wiring import draft_desk, known_notes, open_services
    from pit_memory.workspace.places import places, wrapup_mark
    from pit_memory.workspace.waiting_commits import waiting_files

    with open_services(root) as services:
        where = places(os.environ)
        mark = wrapup_mark(where, services.root)
        if done:
            mark_done(mark)
            say("the next wrap-up looks back to now")
            return
        report = review(
            own_source(services.root, services.settings),
            services.settings,
            draft_desk(services).list(overlaps=True),
            native=known_notes(services.root, where, os.environ),
            mark=mark,
            waiting=waiting_files(where, services.root),
        )
    for note in services.notes:
        say(note)
    if as_json:
        print_json(review_json(report))
    else:
        print_review(report)


def _with_overlaps(root: Path | None, names: Sequence[str], *, mine: bool) -> "DraftsReport":
    from pit_memory.wiring import draft_desk, open_services

    with open_services(root) as services:
        report = draft_desk(services).list(names=names, mine=mine, overlaps=True)
    return replace(report, notes=(*services.notes, *report.notes))


def _listed(
    root: Path | None, names: Sequence[str], *, mine: bool, lenient: bool
) -> "DraftsReport":
    """List drafts without opening a store; `lenient` for whoever only asks."""
    from pit_memory.operations.drafts.draft_files import find_draft
    from pit_memory.operations.drafts.drafts import list_drafts
    from pit_memory.operations.searching.searched_sources import own_source
    from pit_memory.wiring import project_settings
    from pit_memory.workspace.project import existing_root

    top = existing_root(root)
    loaded = project_settings(top, lenient=lenient)
    paths = [find_draft(top, name) for name in names]
    own = own_source(top, loaded.settings)
    report = list_drafts(own, loaded.settings, paths=paths, mine=mine)
    return replace(report, notes=(*loaded.problems, *report.notes))


def _approver(services: "Services", chosen: "Sequence[Choice]", approved_by: str, verb: str) -> str:
    """The person who approves: named, or asked at a terminal."""
    from pit_memory.core.writing.approvals import approver_of
    from pit_memory.workspace.git import person_name

    if approved_by:
        return approver_of(approved_by)
    if not _is_terminal():
        message = (
            "--approved-by: nobody is at a terminal to approve; give the name of the person who "
            "chose these drafts"
        )
        raise UsageError(message)
    for one in chosen:
        click.echo(f"  {one.name}" + (f" -> {one.into or one.to}" if one.into or one.to else ""))
    click.confirm(f"{verb} {len(chosen)} of the drafts?", abort=True)
    return person_name(services.root) or os.environ.get("USER", "")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _publish(
    ctx: click.Context,
    desk: "DraftDesk",
    chosen: "Sequence[Choice]",
    via: str,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    from pit_memory.operations.drafts.publish import Approved

    approved = [Approved(*one) for one in chosen]
    if not dry_run and desk.way(via) == "pr":
        _finish_proposal(ctx, desk.propose(approved), as_json=as_json)
        return
    _finish(ctx, desk.publish(approved, dry_run=dry_run), as_json=as_json)


def _finish(ctx: click.Context, outcomes: "Sequence[PublishOutcome]", *, as_json: bool) -> None:
    from pit_memory.cli.draft_words import print_outcomes
    from pit_memory.cli.render import print_json

    if as_json:
        print_json({"outcomes": [asdict(outcome) for outcome in outcomes]})
    else:
        print_outcomes(outcomes)
    if any(outcome.state == "refused" for outcome in outcomes):
        ctx.exit(EXIT_USER_MUST_ACT)


def _finish_proposal(ctx: click.Context, report: "ProposalReport", *, as_json: bool) -> None:
    from pit_memory.cli.draft_words import print_proposal
    from pit_memory.cli.render import print_json

    if as_json:
        print_json(asdict(report))
    else:
        print_proposal(report)
    if not report.branch or any(outcome.state == "refused" for outcome in report.outcomes):
        ctx.exit(EXIT_USER_MUST_ACT)
