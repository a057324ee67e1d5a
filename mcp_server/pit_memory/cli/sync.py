"""`pit-memory sync`: bring the index up to date with the files."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pit_memory.cli.options import json_option, root_option

if TYPE_CHECKING:
    from pit_memory.operations.services import Services
    from pit_memory.operations.sync import SyncReport


@click.command()
@click.option(
    "--allow-shrink", is_flag=True, help="Accept that most documents of a source are gone."
)
@click.option("--full", is_flag=True, help="Read every file again, whatever its times say.")
@click.option(
    "--background", is_flag=True, hidden=True, help="Quietly, at low priority, with meaning."
)
@root_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    allow_shrink: bool,
    full: bool,
    background: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Bring the index up to date with the files.

    Searches do this by themselves; `sync` is for scripts, CI and a first index of a large tree. It
    ends when all words are indexed; meaning is filled in behind.
    """
    from pit_memory.wiring import catch_up_behind, open_services

    if background:
        catch_up_behind(root)
        return
    with open_services(root) as services:
        report = sync_with_bar(services, allow_shrink=allow_shrink, full=full)
    print_report(ctx, report, services.notes, as_json)


def sync_with_bar(
    services: "Services",
    *,
    allow_shrink: bool = False,
    full: bool = False,
    only: tuple[str, ...] | None = None,
) -> "SyncReport":
    """Sync, and show on a terminal how far it is."""
    from pit_memory.cli.render import progress_bar

    with progress_bar("Indexing", "files") as bar:
        return services.sync(allow_shrink=allow_shrink, full=full, progress=bar, only=only)


def finish_index(services: "Services", *, meaning: bool = True) -> None:
    """Complete words, then meaning unless it isn't needed, with a bar for each."""
    from pit_memory.cli.render import progress_bar

    sync_with_bar(services)
    if not meaning:
        return
    with progress_bar("Embedding", "chunks") as bar:
        services.finish_meaning(progress=bar)


def print_report(
    ctx: click.Context, report: "SyncReport", notes: tuple[str, ...], as_json: bool
) -> None:
    """Print what a sync did; exit code 1 where a source was refused."""
    from pit_memory.cli.app import EXIT_USER_MUST_ACT
    from pit_memory.cli.render import print_json, say

    if as_json:
        from dataclasses import asdict

        print_json(asdict(report))
    else:
        click.echo(
            f"{report.added} added, {report.changed} changed, {report.renamed} renamed, "
            f"{report.removed} removed, {report.unchanged} unchanged, {report.left_out} left out, "
            f"{report.problems} with problems in {report.seconds:.1f} s"
        )
    for line in (*report.refused, *notes, *report.notes):
        say(line)
    if report.refused:
        ctx.exit(EXIT_USER_MUST_ACT)
