"""`pit-memory remember`: write something down where its kind belongs."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from pit_memory.cli.options import force_option, json_option, root_option
from pit_memory.cli.writing_command import WritingCommand
from pit_memory.core.kinds import WRITTEN_KINDS
from pit_memory.errors import UsageError

_KINDS = ", ".join(kind.name for kind in WRITTEN_KINDS)


@click.command(
    cls=WritingCommand,
    epilog="""\b
Examples:
  pit-memory remember --kind reference "The gateway listens on port 8443."
  pit-memory remember --kind gotcha --trigger-tool Bash \\
    --trigger-pattern 'rm .*uploads' "Clear uploads/, never remove it."
  pit-memory remember --kind reference --title "Key rotation" < notes.md
""",
)
@click.argument("text", nargs=-1)
@click.option("--kind", default="", metavar="KIND", help=f"What it is: {_KINDS}.")
@click.option("--title", default="", metavar="TITLE", help="One line [default: from the text].")
@click.option(
    "--scope",
    default="",
    metavar="SCOPE",
    help="project or personal, for rules, gotchas and preferences [default: by the kind].",
)
@click.option(
    "--trigger-tool",
    default="",
    metavar="TOOLS",
    help="Tell a gotcha at calls of these tools, such as `Bash` or `Edit|Write`.",
)
@click.option(
    "--trigger-pattern",
    default="",
    metavar="REGEX",
    help="And only where this is found in the call.",
)
@click.option(
    "--commit-waiting",
    is_flag=True,
    help='Write nothing; commit what `commit.KIND = "wrapup"` left for later.',
)
@force_option
@root_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    text: tuple[str, ...],
    kind: str,
    title: str,
    scope: str,
    trigger_tool: str,
    trigger_pattern: str,
    commit_waiting: bool,
    force: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Write something down where its kind belongs.

    TEXT is markdown; without it, what stands on standard input. Rules, gotchas and preferences
    start every session; a reference becomes a draft page that is searched. The file is new, is
    committed by itself, and is found by the next search. Exit code 1 where nothing was written
    because something near it is there, or because it would do harm, and where it was written and
    could not be committed.
    """
    from pit_memory.cli.render import print_json
    from pit_memory.cli.standard_input import read_missing_argument
    from pit_memory.cli.written import finish_receipt
    from pit_memory.core.serving.write_request import WriteRequest
    from pit_memory.core.writing.receipt_text import receipt_text
    from pit_memory.wiring import open_services

    if commit_waiting:
        _commit_waiting(ctx, root, as_json)
        return
    if not kind:
        message = f"--kind is missing; what is it? {_KINDS}"
        raise UsageError(message)
    request = WriteRequest(
        content=" ".join(text) if text else read_missing_argument("content"),
        kind=kind,
        title=title,
        scope=scope,
        fields={"trigger_tool": trigger_tool, "trigger_pattern": trigger_pattern},
        force=force,
    )
    with open_services(root) as services:
        receipt = services.write(request)
    if as_json:
        print_json(asdict(receipt))
    else:
        click.echo(receipt_text(receipt, force="--force"))
    finish_receipt(ctx, receipt)


def _commit_waiting(ctx: click.Context, root: Path | None, as_json: bool) -> None:
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.cli.written import finish_write
    from pit_memory.core.writing.receipt_text import commit_line
    from pit_memory.operations.writing.commit_waiting import commit_waiting
    from pit_memory.wiring import project_settings
    from pit_memory.workspace.places import places
    from pit_memory.workspace.project import existing_root

    top = existing_root(root)
    protected = project_settings(top).settings.commit.protected
    done = commit_waiting(top, places(os.environ), protected)
    if as_json:
        print_json([asdict(each) for each in done])
    else:
        for each in done:
            print_lines(*each.paths, commit_line(each.outcome, len(each.paths)))
        if not done:
            say("Nothing waits to be committed.")
    outcomes = [each.outcome for each in done]
    finish_write(ctx, *outcomes, next_step="mend that, and call this again")
