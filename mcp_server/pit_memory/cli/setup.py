"""`pit-memory setup`: what is installed; the launcher has done the work before this runs."""

import sys
from pathlib import Path

import click

from pit_memory.cli.exit_codes import EXIT_USER_MUST_ACT


@click.command()
@click.option(
    "--team", is_flag=True, help="Also what a team's servers need: the client of Qdrant (28 MB)."
)
@click.pass_context
def command(ctx: click.Context, team: bool) -> None:
    """Install what is missing, and say what there is.

    The first run of any command installs the libraries and the model; this tries again what failed
    then. With --team it adds what it takes to search vectors on a Qdrant server; updates keep that.
    An installation of pip's is left to pip: then it says what to run.
    """
    from pit_memory.cli.render import print_lines
    from pit_memory.operations.upkeep.installed_parts import installed_parts

    print_lines(f"environment  {sys.prefix}")
    lacks = False
    for part in installed_parts(Path(sys.prefix)):
        print_lines(f"{part.name:<12} {part.missing or 'installed'}")
        lacks |= bool(part.missing) and (team or part.name != "team")
    if lacks:
        ctx.exit(EXIT_USER_MUST_ACT)
