"""`pit-memory incidents`: how something was fixed last time."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pit_memory.cli.options import force_option, json_option, mode_option, root_option
from pit_memory.cli.question_command import QuestionCommand
from pit_memory.cli.unread_keys import unread_keys
from pit_memory.cli.writing_command import WritingCommand
from pit_memory.core.answers.answers import Mode
from pit_memory.core.incidents.import_mapping import MAPPED_FIELDS
from pit_memory.core.incidents.incident_fields import field_key
from pit_memory.core.text.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pit_memory.operations.incidents.incident_import import ImportReport
    from pit_memory.operations.incidents.incident_list import IncidentList, ListedIncident

_SHOWN_COUNTS = 12
"""Services, or months, of the counts below a list."""

service_option = click.option(
    "--service",
    "services",
    multiple=True,
    metavar="NAME",
    help="Only incidents of this service; repeat it for several.",
)
since_option = click.option(
    "--since",
    default="",
    metavar="DATE",
    help="Only incidents since then: 2024-05-17, 2024-05, 2024, or 90d, 6w, 3m, 1y.",
)


@click.group()
def command() -> None:
    """Find, list and record incidents: how was this fixed last time.

    A record is a markdown file in `docs/incidents/` (or incidents.home) or in a folder of
    incidents.include. Postmortems are understood as they are: front matter helps and isn't needed.
    """


@command.command(
    cls=QuestionCommand,
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  pit-memory incidents search "checkout returns 502 after a deploy"
  kubectl logs checkout-1 --tail 200 | pit-memory incidents search -
  pit-memory incidents search --service checkout --since 1y KubePodCrashLooping
""",
)
@click.argument("question", nargs=-1, required=True)
@click.option("-n", "--limit", type=int, metavar="N", help="Incidents at most [default: 5].")
@click.option("--budget", type=int, metavar="TOKENS", help="Size of the answer [default: 800].")
@service_option
@since_option
@mode_option
@root_option
@json_option
def search(
    question: tuple[str, ...],
    limit: int | None,
    budget: int | None,
    services: tuple[str, ...],
    since: str,
    mode: Mode | None,
    root: Path | None,
    as_json: bool,
) -> None:
    """Find past incidents like this one: symptom, cause, resolution.

    Ask in words, or paste a stack trace, a log or an alert's JSON; `-` reads it from stdin. Times,
    ids and addresses are left out of it. Related docs follow, marked; for an alert its runbooks
    lead.
    """
    from pit_memory.cli.render import print_answer, print_json
    from pit_memory.cli.standard_input import read_pasted
    from pit_memory.core.answers.answer_json import answer_json
    from pit_memory.core.answers.answer_text import answer_text
    from pit_memory.operations.searching.search import SearchRequest
    from pit_memory.wiring import open_services

    asked = read_pasted() if question == ("-",) else " ".join(question)
    with open_services(root) as opened:
        request = SearchRequest(
            query=asked,
            limit=opened.settings.search.limit if limit is None else limit,
            budget=opened.settings.search.budget if budget is None else budget,
            collection="incidents",
            services=services,
            since=since,
            mode=mode,
        )
        answer = opened.search(request)
        if as_json or sys.stdout.isatty():
            answer = opened.with_addresses(answer)
    if as_json:
        print_json(answer_json(answer))
    else:
        print_answer(answer_text(answer), answer.hits)


@command.command("list")
@service_option
@since_option
@root_option
@json_option
def list_(services: tuple[str, ...], since: str, root: Path | None, as_json: bool) -> None:
    """List the incidents, the newest first, with counts by service and month."""
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.wiring import open_services

    with open_services(root) as opened:
        listed = opened.list_incidents(services, since)
    if as_json:
        print_json(_list_json(listed))
        return
    print_lines(*map(_list_line, listed.incidents))
    print_lines(counted(len(listed.incidents), "incident"))
    if listed.incidents:
        print_lines(_counts_line("by service", listed.by_service))
        print_lines(_counts_line("by month", listed.by_month))
    for note in listed.notes:
        say(note)


@command.command(
    cls=WritingCommand,
    epilog="""\b
Examples:
  pit-memory incidents add --title "Checkout returned 502" --service checkout \\
    --symptom "502 for one customer in five" --cause "retry loop" --resolution "fewer retries"
  echo '{"title": "Queue full", "cause": "..."}' | pit-memory incidents add --stdin
""",
)
@click.option("--title", default="", metavar="TITLE", help="One line.")
@click.option("--date", default="", metavar="DAY", help="When it began [default: today].")
@click.option("--service", "services", multiple=True, metavar="NAME", help="Repeat for several.")
@click.option("--severity", default="", metavar="TEXT", help="Such as SEV-2.")
@click.option("--status", default="", metavar="TEXT", help="Such as resolved.")
@click.option("--symptom", default="", metavar="TEXT", help="What was seen.")
@click.option("--cause", default="", metavar="TEXT", help="Why.")
@click.option("--resolution", default="", metavar="TEXT", help="What helped.")
@click.option("--duration", default="", metavar="TIME", help="Such as 2h 10m.")
@click.option("--link", "links", multiple=True, metavar="URL", help="Repeat for several.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Repeat for several.")
@click.option(
    "--stdin",
    "from_stdin",
    is_flag=True,
    help="Read the record from standard input: JSON with these names, else markdown.",
)
@force_option
@root_option
@json_option
@click.pass_context
def add(
    ctx: click.Context,
    /,
    from_stdin: bool,
    force: bool,
    root: Path | None,
    as_json: bool,
    **given: object,
) -> None:
    """Record an incident: a new file in incidents.home, committed alone, found at once.

    Exit code 1 where nothing was written because something near it is there, or where it could not
    be committed.
    """
    from dataclasses import asdict

    from pit_memory.cli.render import print_json, say
    from pit_memory.cli.standard_input import read_text
    from pit_memory.cli.written import finish_receipt
    from pit_memory.core.writing.receipt_text import receipt_text
    from pit_memory.operations.incidents.incident_add import unread_names, write_request
    from pit_memory.wiring import open_services

    text = read_text("content") if from_stdin else ""
    request = write_request(text, {name: value for name, value in given.items() if value}, force)
    if unread := unread_names(text):
        say(f"{unread_keys(unread, 'record')}; `pit-memory incidents add --help` lists the names")
    with open_services(root) as opened:
        receipt = opened.write(request)
    if as_json:
        print_json(asdict(receipt))
    else:
        click.echo(receipt_text(receipt, force="--force"))
    finish_receipt(ctx, receipt)


@command.command(
    "import",
    cls=WritingCommand,
    epilog="""\b
Examples:
  pit-memory incidents import ~/postmortems --dry-run
  gh issue list --label incident --state closed --limit 1000 \\
    --json number,title,body,labels,createdAt,closedAt,updatedAt,url,state > issues.json
  pit-memory incidents import issues.json --label incident
  pit-memory incidents import - < alertmanager-webhook.json
""",
)
@click.argument("source", metavar="SOURCE")
@click.option(
    "--label", "labels", multiple=True, metavar="LABEL", help="Only issues with one of these."
)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--force", is_flag=True, help="Replace records that were edited since, too.")
@root_option
@json_option
@click.pass_context
def import_(
    ctx: click.Context,
    source: str,
    labels: tuple[str, ...],
    dry_run: bool,
    force: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Import incidents: a folder of postmortems, CSV, JSONL, issues of GitHub or GitLab, an alert.

    SOURCE is a folder, a file (`.md`, `.csv`, `.jsonl`, `.json`) or `-`; it is only read. The same
    import again changes nothing; a newer export, or another incidents.fields, replaces what an
    older one made. incidents.fields says which keys of yours mean what; those that were not read
    are told. Exit code 1 where something was left out, or could not be committed.
    """
    from dataclasses import asdict

    from pit_memory.cli.render import print_json, progress_bar
    from pit_memory.cli.written import finish_write
    from pit_memory.operations.incidents.incident_import import ImportOptions
    from pit_memory.wiring import open_services

    options = ImportOptions(labels=labels, dry_run=dry_run, force=force)
    with open_services(root) as opened, progress_bar("Importing", "records") as bar:
        report = opened.import_incidents(source, sys.stdin, options, progress=bar)
    if as_json:
        print_json(asdict(report))
    else:
        _print_import(report, dry_run=dry_run)
    finish_write(
        ctx,
        report.outcome,
        is_done=not report.refused,
        next_step="mend that; the same import again commits it",
    )


def _print_import(report: "ImportReport", *, dry_run: bool) -> None:
    from pit_memory.cli.render import print_lines, say

    for done in report.shown:
        print_lines(f"{done.what:<9} {done.path}  {done.title}")
    for refused in report.refused:
        print_lines(f"left out  {refused.place}: {refused.why}")
    would = "would be " if dry_run else ""
    others = f", with other labels {report.other_labels}" if report.other_labels else ""
    say(
        f"{would}added {report.added}, replaced {report.replaced}; unchanged {report.unchanged}, "
        f"left out {len(report.refused)}{others}"
    )
    if report.unread:
        say(_unread_line(report.unread))
    if report.commit and not dry_run:
        say(report.commit)
    if not report.is_indexed:
        say("they are being indexed in the background; until then a search says how many are left")


def _unread_line(unread: "Mapping[str, int]") -> str:
    """Which keys no field took, and how to map one."""
    alike = (f"{it} = {key}" for key in unread for it in MAPPED_FIELDS if it in field_key(key))
    example = next(alike, f"cause = {next(iter(unread))}")
    return (
        f"{unread_keys(unread, 'record')}. Where one means a field of a record say so in "
        ".pit-memory.toml, and import again: "
        f'[incidents] fields = ["{example}"]; '
        f"fields are {', '.join(MAPPED_FIELDS)}"
    )


def _list_line(listed: "ListedIncident") -> str:
    from pit_memory.core.incidents.incident_fields import duration_text

    incident = listed.incident
    minutes = "" if incident.minutes is None else duration_text(incident.minutes)
    columns = (
        f"{incident.date or 'no date':<10}",
        f"{incident.severity:<8}",
        f"{minutes:>10}",
        ", ".join(incident.services) or "-",
        listed.title,
        listed.ref,
    )
    return "  ".join(columns) + ("  draft" if listed.status == "draft" else "")


def _counts_line(name: str, counts: "Mapping[str, int]") -> str:
    shown = [f"{key} {count}" for key, count in list(counts.items())[:_SHOWN_COUNTS]]
    left = len(counts) - len(shown)
    return f"{name}: {', '.join(shown)}" + (f", {left} others" if left else "")


def _list_json(listed: "IncidentList") -> dict[str, object]:
    from pit_memory.core.answers.answer_json import incident_json

    return {
        "incidents": [
            {
                "ref": it.ref,
                "title": it.title,
                **incident_json(it.incident),
                "status": it.incident.status,
                "is_draft": it.status == "draft",
            }
            for it in listed.incidents
        ],
        "by_service": dict(listed.by_service),
        "by_month": dict(listed.by_month),
        "notes": list(listed.notes),
    }
