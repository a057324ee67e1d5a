"""`pit-memory remember`: write something down where its kind belongs."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from pit_memory.cli.options import json_option, root_option
from pit_memory.core.kinds import WRITTEN_KINDS
from pit_memory.errors import UsageError

_KINDS = ", ".join(kind.name for kind in WRITTEN_KINDS)


@click.command(
    epilog="""\b
Examples:
  pit-memory remember --kind reference "The gateway listens on port 8443."
  pit-memory remember --kind gotcha --trigger-tool Bash \\
    --trigger-pattern 'rm .*uploads' "Clear uploads/, never remove it."
  pit-memory remember --kind reference --title "Key rotation" < notes.md
"""
)
@click.argument("text", nargs=-1)
@click.option("--kind", required=True, metavar="KIND", help=f"What it is: {_KINDS}.")
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
@click.option("--force", is_flag=True, help="Write it though something near it is there.")
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
    force: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Write something down where its kind belongs.

    TEXT is markdown; without it, what stands on standard input. Rules, gotchas and preferences
    start every session; a reference becomes a draft page that is searched. The file is new, is
    committed by itself, and is found by the next search. Exit code 1 where nothing was written
    because something near it is there, or because it would do harm.
    """
    from pit_memory.cli.app import EXIT_USER_MUST_ACT
    from pit_memory.cli.render import print_json
    from pit_memory.core.receipt_text import receipt_text
    from pit_memory.operations.write import WriteRequest
    from pit_memory.wiring import open_services

    request = WriteRequest(
        content=" ".join(text) if text else _standard_input(),
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
    if not receipt.is_written:
        ctx.exit(EXIT_USER_MUST_ACT)


def _standard_input() -> str:
    if sys.stdin.isatty():
        message = "content: it is missing; give it as an argument or on standard input"
        raise UsageError(message)
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        message = f"content: byte {error.start} of standard input is not UTF-8; it is no text"
        raise UsageError(message) from error
