"""`pit-memory token`: who may use the server over HTTP."""

import os
import time
from dataclasses import asdict

import click

from pit_memory.cli.options import json_option
from pit_memory.cli.writing_command import ChangingCommand
from pit_memory.core.serving.access import AUDIENCES


@click.group()
def command() -> None:
    """Say who may use the server over HTTP.

    A token decides what its reader sees: the scope of facts (assignment), the documents (audience)
    and the tools. `serve --http` takes up every change at once.
    """


@command.command(
    "add",
    cls=ChangingCommand,
    epilog="""\b
Example:
  pit-memory token add ci-bot --assignment acme --audience team --tools read --expires 90d
""",
)
@click.argument("name")
@click.option("--assignment", metavar="A", help="Scope of facts it works in [default: no facts].")
@click.option(
    "--audience",
    "audiences",
    multiple=True,
    type=click.Choice(AUDIENCES),
    default=("team",),
    show_default=True,
    help="Whose documents it reads: customer; team (and customer's); ai_internal (all).",
)
@click.option(
    "--tools",
    type=click.Choice(["read", "write"]),
    default="read",
    show_default=True,
    help="Whether tools that write exist for it.",
)
@click.option(
    "--expires", default="90d", show_default=True, metavar="SPAN", help="12h, 90d, 8w, 1y or never."
)
@json_option
def add(
    name: str,
    assignment: str | None,
    audiences: tuple[str, ...],
    tools: str,
    expires: str,
    as_json: bool,
) -> None:
    """Make a token and print it: once, as only its hash is kept."""
    from pit_memory.cli.render import print_json, say
    from pit_memory.operations.upkeep.tokens import add_token
    from pit_memory.workspace.places import places, token_file
    from pit_memory.workspace.token_file import TokenFile

    added = add_token(
        TokenFile(token_file(places(os.environ))),
        name,
        assignment=assignment,
        audiences=audiences,
        writes=tools == "write",
        expires=expires,
    )
    if as_json:
        print_json({"token": added.secret, "name": name, "expires": added.record.expires})
        return
    click.echo(added.secret)
    say(f"Token {name} {_until(added.record.expires)}. It is not shown again.")


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List every token, revoked and expired ones too; never the tokens themselves."""
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.workspace.places import places, token_file
    from pit_memory.workspace.token_file import TokenFile

    tokens = TokenFile(token_file(places(os.environ))).tokens()
    now = time.time()
    if as_json:
        rows = [{**asdict(token), "standing": token.standing(now)} for token in tokens]
        for row in rows:
            del row["sha256"]
        print_json(rows)
        return
    for token in tokens:
        standing = token.standing(now)
        print_lines(
            f"{token.name:<20} {standing:<8} {'write' if token.writes else 'read':<6}"
            f"{','.join(token.audiences):<20} {token.assignment or '-':<20} "
            f"{_until(token.expires)}"
        )
    if not tokens:
        say("There are no tokens. `pit-memory token add NAME` makes one.")


@command.command("revoke", cls=ChangingCommand)
@click.argument("name")
def revoke(name: str) -> None:
    """Make a token worthless from the next request on."""
    from pit_memory.cli.render import say
    from pit_memory.operations.upkeep.tokens import revoke_token
    from pit_memory.workspace.places import places, token_file
    from pit_memory.workspace.token_file import TokenFile

    revoke_token(TokenFile(token_file(places(os.environ))), name)
    say(f"Token {name} is revoked.")


def _until(expires: int | None) -> str:
    if expires is None:
        return "never expires"
    return f"expires {time.strftime('%Y-%m-%d %H:%M', time.gmtime(expires))} UTC"
