"""`pit-memory uninstall`: remove what pit-memory made outside your docs."""

import os

import click

from pit_memory.cli.options import json_option


@click.command()
@click.option("--dry-run", is_flag=True, help="Only list what would go and what stays.")
@json_option
def command(dry_run: bool, as_json: bool) -> None:
    """Remove what pit-memory made outside your docs.

    Indexes, caches and environments go; they can all be built again. Your documents, settings and
    personal knowledge stay and are listed. The plugin itself is removed in your agent's client.
    """
    from pit_memory.cli.render import print_json
    from pit_memory.operations.uninstall import plan_uninstall, uninstall
    from pit_memory.workspace.places import places

    where = places(os.environ)
    removal = plan_uninstall(where) if dry_run else uninstall(where)
    if as_json:
        print_json(
            {
                "dry_run": dry_run,
                "removed": [str(path) for path in removal.removed],
                "kept": [str(path) for path in removal.kept],
            }
        )
        return
    verb = "Would remove" if dry_run else "Removed"
    for path in removal.removed:
        click.echo(f"{verb} {path}")
    for path in removal.kept:
        click.echo(f"Stays   {path}")
    if not removal.removed:
        click.echo(f"Nothing to remove in {where.data}")
