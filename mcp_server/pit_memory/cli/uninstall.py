"""`pit-memory uninstall`: remove what pit-memory made outside your docs."""

import os
from pathlib import Path

import click

from pit_memory.cli.options import json_option


@click.command()
@click.option("--dry-run", is_flag=True, help="Only list what would go and what stays.")
@json_option
def command(dry_run: bool, as_json: bool) -> None:
    """Remove what pit-memory made outside your docs.

    Indexes, caches and environments go; they can all be built again. Your documents, settings and
    personal knowledge stay and are listed, and so is the git hook of this repository. The plugin
    itself is removed in your agent's client.
    """
    from pit_memory.cli.render import print_json
    from pit_memory.operations.upkeep.uninstall import plan_uninstall, uninstall
    from pit_memory.workspace.places import places

    where = places(os.environ)
    here = Path(os.curdir)
    removal = plan_uninstall(where, here) if dry_run else uninstall(where, here)
    if as_json:
        print_json(
            {
                "dry_run": dry_run,
                "removed": [str(path) for path in removal.removed],
                "kept": [str(path) for path in removal.kept],
                "git_hook": str(removal.git_hook.path) if removal.git_hook else None,
                "remove_git_hook": removal.hook_command or None,
            }
        )
        return
    verb = "Would remove" if dry_run else "Removed"
    for path in removal.removed:
        click.echo(f"{verb} {path}")
    for path in removal.kept:
        click.echo(f"Stays   {path}")
    if removal.git_hook:
        click.echo(f"Stays   {removal.git_hook.path} (git hook; {removal.hook_command} removes it)")
    if not removal.removed:
        click.echo(f"Nothing to remove in {where.data}")
