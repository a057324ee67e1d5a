"""`pit-memory init`: propose a settings file, write it when told to."""

import os
import sys
from pathlib import Path

import click

from pit_memory.cli.options import root_option


@click.command()
@click.option("--yes", is_flag=True, help="Write it without asking.")
@click.option("--force", is_flag=True, help="Replace a settings file that is there.")
@root_option
def command(yes: bool, force: bool, root: Path | None) -> None:
    """Propose a .pit-memory.toml for this tree.

    Shows the file first and writes it only when you agree. Nothing needs it: without one, sensible
    defaults hold for any folder with markdown.
    """
    from pit_memory.cli.render import say
    from pit_memory.operations.git_attributes import add_lines, missing_lines_of_project
    from pit_memory.operations.init import propose, write
    from pit_memory.wiring import project_root

    top = project_root(root)
    proposal = propose(top)
    click.echo(proposal.text, nl=False)
    attributes = missing_lines_of_project(top, os.environ)
    for line in attributes:
        say(f"And in .gitattributes: {line}")
    if not yes:
        if not sys.stdin.isatty():
            say(f"Not written. To write it to {proposal.path}: pit-memory init --yes")
            return
        if not click.confirm(f"Write this to {proposal.path}?", err=True):
            say("Not written.")
            return
    write(proposal, force=force)
    say(f"Written: {proposal.path}")
    if attributes:
        add_lines(top, attributes)
        say(f"Written: {top / '.gitattributes'}")
