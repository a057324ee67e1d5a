"""`pit-memory sync`: bring the index up to date with the files."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pit_memory.cli.exit_codes import EXIT_USER_MUST_ACT
from pit_memory.cli.options import json_option, root_option
from pit_memory.core.indexing.vectors import Coverage

if TYPE_CHECKING:
    from pit_memory.operations.indexing.sync import SyncReport
    from pit_memory.operations.services import Services


wait_option = click.option(
    "--wait", is_flag=True, help="Wait until everything can be found by meaning, too."
)


@dataclass(frozen=True, slots=True)
class MeaningAfter:
    """How far search by meaning is when a sync has ended."""

    coverage: Coverage | None
    """None without a model."""
    without: str
    """Why there is no model; empty where there is, and where that was chosen."""

    def line(self) -> str:
        """What people read; empty where there is nothing to say."""
        if self.coverage is None:
            return f"by words only: {self.without}" if self.without else ""
        if built := self.coverage.line():
            return f"{built}; it goes on behind, and --wait waits for it"
        return "meaning: all built" if self.coverage.total else ""


@click.command()
@click.option(
    "--allow-shrink", is_flag=True, help="Accept that most documents of a source are gone."
)
@click.option("--full", is_flag=True, help="Read every file again, whatever its times say.")
@wait_option
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
    wait: bool,
    background: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Bring the index up to date with the files.

    Searches do this by themselves; `sync` is for scripts, CI and a first index of a large tree. It
    ends when all words are indexed, and says how far meaning is, which is filled in behind; --wait
    ends when both are complete.
    """
    from pit_memory.wiring import catch_up_behind, open_services

    if background:
        catch_up_behind(root)
        return
    with open_services(root, background="none" if wait else "process") as services:
        report = sync_with_bar(services, allow_shrink=allow_shrink, full=full)
        meaning = meaning_after(services, wait=wait)
    print_report(ctx, report, meaning, services.notes, as_json)


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


def meaning_after(
    services: "Services", *, wait: bool, only: tuple[str, ...] | None = None
) -> MeaningAfter:
    """How far meaning is after a sync; complete, with a bar, where somebody waits for it.

    Args:
        services: of the project.
        wait: embed what has no vector yet.
        only: names of the sources that are asked about; None for all.
    """
    if wait:
        _finish_meaning(services)
    return MeaningAfter(services.coverage(only), services.without_meaning)


def _finish_meaning(services: "Services") -> None:
    from pit_memory.cli.render import progress_bar

    with progress_bar("Embedding", "chunks") as bar:
        services.finish_meaning(progress=bar)


def finish_index(services: "Services", *, meaning: bool = True) -> None:
    """Complete words, then meaning unless it isn't needed, with a bar for each."""
    sync_with_bar(services)
    if meaning:
        _finish_meaning(services)


def print_report(
    ctx: click.Context,
    report: "SyncReport",
    meaning: MeaningAfter,
    notes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print what a sync did; exit code 1 where a source was refused."""
    from pit_memory.cli.render import print_json, say

    if as_json:
        coverage = meaning.coverage
        print_json({**asdict(report), "meaning": coverage and asdict(coverage)})
    else:
        click.echo(
            f"{report.added} added, {report.changed} changed, {report.renamed} renamed, "
            f"{report.removed} removed, {report.unchanged} unchanged, {report.left_out} left out, "
            f"{report.problems} with problems in {report.seconds:.1f} s"
        )
    for line in filter(None, (meaning.line(), *report.refused, *notes, *report.notes)):
        say(line)
    if report.refused:
        ctx.exit(EXIT_USER_MUST_ACT)
