"""`pit-memory facts`: durable facts of one assignment, told to nobody else."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pit_memory.cli.options import json_option, mode_option, root_option
from pit_memory.cli.question_command import QuestionCommand
from pit_memory.cli.unread_keys import unread_keys
from pit_memory.cli.writing_command import ChangingCommand, WritingCommand
from pit_memory.core.answers.answers import Mode
from pit_memory.core.text.plurals import counted
from pit_memory.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pit_memory.core.facts.fact_answers import ChangeReceipt

_COMMITTED_LATER = "mend that; the next fact that is stored or changed commits it"


@click.group(
    epilog="""\b
Examples:
  export PIT_MEMORY_ASSIGNMENT=acme
  pit-memory facts store --topic deploy "The deploy window is Tuesday 09:00 UTC."
  pit-memory facts recall "when may we deploy"
  pit-memory facts retract 918b722c2bbe7817 --reason "they moved to Thursday"
"""
)
def command() -> None:
    """Keep facts of one assignment: store, recall, retract, review.

    An assignment is a customer, an engagement, a project. It comes from PIT_MEMORY_ASSIGNMENT or
    the settings (`assignment = "auto"`: this repository), and nothing else is ever looked at.
    """


@command.command(cls=WritingCommand)
@click.argument("text", nargs=-1)
@click.option("--topic", default="", metavar="TOPIC", help="What it is about, one line.")
@click.option("--supersedes", default="", metavar="ID", help="The fact that it replaces.")
@click.option("--source", default="", metavar="SOURCE", help="Where it comes from.")
@click.option("--expires", default="", metavar="DATE", help="Day from which it holds no more.")
@click.option("--review-after", default="", metavar="DATE", help="Day to look at it again.")
@root_option
@json_option
@click.pass_context
def store(
    ctx: click.Context,
    text: tuple[str, ...],
    topic: str,
    supersedes: str,
    source: str,
    expires: str,
    review_after: str,
    root: Path | None,
    as_json: bool,
) -> None:
    """Store one fact; the same one again is nothing to do.

    TEXT is 1 to 2,000 characters; without it, what stands on standard input. Facts that may say
    the same or the opposite are named by their ids. Exit code 1 where it was not stored because it
    was taken back or replaced before, or where it could not be committed.
    """
    from pit_memory.cli.render import print_json
    from pit_memory.cli.standard_input import read_missing_argument
    from pit_memory.cli.written import finish_write
    from pit_memory.core.facts.fact_answers import store_json, store_text
    from pit_memory.core.facts.facts import NewFact
    from pit_memory.operations.facts.store_fact import store_fact
    from pit_memory.wiring import open_facts

    words = " ".join(text) if text else read_missing_argument("fact")
    with open_facts(root) as (facts, access):
        new = NewFact(words, topic, supersedes, source, expires, review_after)
        receipt = store_fact(facts, access, new)
    if as_json:
        print_json(store_json(receipt))
    else:
        click.echo(store_text(receipt))
    is_done = receipt.is_stored or receipt.is_there
    finish_write(ctx, receipt.commit, is_done=is_done, next_step=_COMMITTED_LATER)


@command.command(cls=QuestionCommand, context_settings={"ignore_unknown_options": True})
@click.argument("question", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, default=8, show_default=True, help="Facts at most.")
@mode_option
@root_option
@json_option
def recall(
    question: tuple[str, ...], limit: int, mode: Mode | None, root: Path | None, as_json: bool
) -> None:
    """Find the facts of this assignment that answer a question, newest first among equals.

    What was retracted, superseded or has expired is never told.
    """
    from pit_memory.cli.render import print_answer, print_json
    from pit_memory.core.facts.fact_answers import recall_json, recall_text
    from pit_memory.operations.facts.recall import recall
    from pit_memory.wiring import open_facts

    with open_facts(root) as (facts, access):
        answer = recall(facts, access, " ".join(question), limit, mode=mode)
    if as_json:
        print_json(recall_json(answer))
    else:
        print_answer(recall_text(answer))


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also what is told no more.")
@root_option
@json_option
def list_(everything: bool, root: Path | None, as_json: bool) -> None:
    """List the facts of this assignment, newest first, and files that are none."""
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.core.facts.fact_answers import fact_json, list_text
    from pit_memory.operations.facts.facts import today
    from pit_memory.operations.facts.list_facts import list_facts
    from pit_memory.wiring import open_facts

    refused: list[str] = []
    with open_facts(root) as (facts, access):
        found = list_facts(facts, access, refused)
    day = today()
    shown = [fact for fact in found if everything or fact.holds(day)]
    if as_json:
        print_json([fact_json(fact, day) for fact in shown])
    else:
        print_lines(*list_text(shown, day))
        hidden = len(found) - len(shown)
        say(f"{counted(len(shown), 'fact')} of {access.assignment}" + _hidden(hidden))
    for line in (*facts.notes, *(f"not taken for a fact: {it}" for it in refused)):
        say(line)


def _hidden(count: int) -> str:
    return f"; {count} told no more (--all)" if count else ""


@command.command(cls=ChangingCommand)
@click.argument("fact_id", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why, one line; kept in the file.")
@root_option
@click.pass_context
def retract(ctx: click.Context, fact_id: str, reason: str, root: Path | None) -> None:
    """Take a fact back: gone from recall at once, its file keeps when and why.

    Exit code 1 where that could not be committed.
    """
    from pit_memory.operations.facts.change_fact import retract_fact
    from pit_memory.wiring import open_facts

    with open_facts(root) as (facts, access):
        receipt = _shown(retract_fact(facts, access, fact_id, reason))
    _finish(ctx, [receipt])


@command.command()
@click.option("--approve", "approved", multiple=True, metavar="ID", help="Let it be told.")
@click.option("--reject", "rejected", multiple=True, metavar="ID", help="Take it back.")
@click.option("--reason", default="", metavar="TEXT", help="Why it is rejected.")
@root_option
@json_option
@click.pass_context
def review(
    ctx: click.Context,
    approved: tuple[str, ...],
    rejected: tuple[str, ...],
    reason: str,
    root: Path | None,
    as_json: bool,
) -> None:
    """Show proposed facts, with author and source, and those due for review; approve or reject.

    With `facts.review = "required"` a new fact is proposed, and told only after it was approved. To
    approve one that is due says that it still holds: it is not up for review again. Exit code 1
    where that could not be committed.
    """
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.core.facts.fact_answers import fact_json, list_text
    from pit_memory.operations.facts.change_fact import approve_fact, retract_fact
    from pit_memory.operations.facts.facts import today
    from pit_memory.operations.facts.list_facts import facts_to_review
    from pit_memory.wiring import open_facts

    with open_facts(root) as (facts, access):
        receipts = [_shown(approve_fact(facts, access, fact_id)) for fact_id in approved]
        receipts += [_shown(retract_fact(facts, access, it, reason)) for it in rejected]
        if receipts:
            _finish(ctx, receipts)
            return
        waiting = facts_to_review(facts, access)
    for note in facts.notes:
        say(note)
    if as_json:
        print_json([fact_json(fact, today()) for fact in waiting])
        return
    for fact in waiting:
        print_lines(*list_text([fact], today()), f"   author: {fact.author or 'nobody knows'}")
    say(f"{len(waiting)} to review; --approve ID or --reject ID --reason TEXT")


@command.command("import", cls=WritingCommand)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@root_option
@json_option
@click.pass_context
def import_(ctx: click.Context, file: Path, root: Path | None, as_json: bool) -> None:
    """Store the facts of a file, one JSON object a line.

    {"fact", "scope"?, "topic"?, "id"?, "source"?, "date"?, "expires"?, "review_after"?}: each goes
    to the assignment that `scope` names, else to this one; `id` is kept as the source's own. Lines
    that are no fact are named, the others are stored; exit code 1 where there are any, or where it
    could not be committed.
    """
    from dataclasses import asdict

    from pit_memory.cli.given_files import text_of
    from pit_memory.cli.render import print_json, progress_bar, say
    from pit_memory.cli.written import finish_write
    from pit_memory.core.facts.fact_answers import commit_line
    from pit_memory.operations.facts.fact_transfer import import_facts
    from pit_memory.wiring import fill_facts_behind, open_facts

    lines = text_of(file.read_bytes(), str(file)).split("\n")
    with open_facts(root) as (facts, access), progress_bar("Indexing", "facts") as bar:
        report = import_facts(facts, access, lines, bar)
    fill_facts_behind(root)
    if as_json:
        print_json(asdict(report))
    else:
        click.echo(
            f"{report.stored:,} stored, {report.there:,} there already, "
            f"{len(report.refused):,} refused; {counted(report.assignments, 'assignment')}"
        )
        if report.commit:
            click.echo(commit_line(report.commit))
    for line in report.refused:
        say(f"{file}:{line.line}: {line.why}")
    if report.unread:
        say(unread_keys(report.unread, "line"))
    is_done = not report.refused
    step = "mend that; the same import again commits it"
    finish_write(ctx, report.commit, is_done=is_done, next_step=step)


@command.command("export")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.jsonl",
    help="Where to [default: standard output].",
)
@root_option
def export(out: Path | None, root: Path | None) -> None:
    """Write all facts of this assignment as lines of JSON, as `facts import` takes them."""
    from pit_memory.cli.render import say
    from pit_memory.operations.facts.fact_transfer import export_facts
    from pit_memory.wiring import open_facts
    from pit_memory.workspace.files import write_atomic

    refused: list[str] = []
    with open_facts(root) as (facts, access):
        lines = list(export_facts(facts, access, refused))
    if out is None:
        for line in lines:
            click.echo(line)
    else:
        write_atomic(out, "".join(f"{line}\n" for line in lines).encode())
        say(f"{counted(len(lines), 'fact')} -> {out}")
    for line in (*facts.notes, *(f"not taken for a fact: {it}" for it in refused)):
        say(line)


@command.command(cls=ChangingCommand)
@click.option("--assignment", required=True, metavar="NAME", help="Whose facts.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@root_option
def erase(assignment: str, yes: bool, root: Path | None) -> None:
    """Erase all facts of an assignment for good: files, history, index and vectors.

    The history of the facts' own repository is rewritten without them. What other copies keep,
    backups, clones and remotes, is yours to follow up; it is named.
    """
    from pit_memory.operations.facts.fact_transfer import erase_facts
    from pit_memory.wiring import all_stores, open_facts

    if not yes and not sys.stdin.isatty():
        message = "--yes: nobody is at a terminal to be asked; it says that the facts may go"
        raise UsageError(message)
    with open_facts(root) as (facts, _):
        if not yes:
            click.confirm(f"Erase every fact of {assignment} below {facts.home.root}?", abort=True)
        report = erase_facts(facts, assignment, all_stores())
    click.echo(
        f"erased {counted(report.facts, 'fact')} of {report.assignment}: files, "
        f"{counted(report.vectors, 'vector')}, index rows, and what "
        f"{counted(report.history.commits, 'commit')} of {report.home} had of them"
    )
    click.echo("still to follow: backups of that folder, and clones of its repository")
    for remote in report.history.remotes:
        click.echo(f"remote {remote} has the old history: git push --force --all {remote}")


def _shown(receipt: "ChangeReceipt") -> "ChangeReceipt":
    from pit_memory.core.facts.fact_answers import change_text

    click.echo(change_text(receipt))
    return receipt


def _finish(ctx: click.Context, receipts: "Sequence[ChangeReceipt]") -> None:
    from pit_memory.cli.written import finish_write

    commits = [receipt.commit for receipt in receipts]
    finish_write(ctx, *commits, next_step=_COMMITTED_LATER)
