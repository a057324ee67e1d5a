"""`pit-memory status`: where everything lives and what is built."""

import os
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pit_memory.cli.options import json_option, root_option
from pit_memory.cli.source_words import ago, groups_of, print_problems
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_line

if TYPE_CHECKING:
    from pit_memory.operations.facts.facts_status import FactsStatus
    from pit_memory.operations.upkeep.status import Status

_LABEL_WIDTH = 12
_CHOSEN_OFF = 'embedding.provider = "none"'


@click.command()
@click.option("--problems", is_flag=True, help="List every file with a problem or left out.")
@root_option
@json_option
def command(problems: bool, root: Path | None, as_json: bool) -> None:
    """Say where everything lives and what is built.

    Indexes nothing: it reads the index and lists the files. A search brings the index up to date.
    """
    from pit_memory.cli.render import print_json
    from pit_memory.operations.upkeep.status import status
    from pit_memory.wiring import facts_home, open_services, project_settings
    from pit_memory.workspace.installation import installation
    from pit_memory.workspace.places import places

    with open_services(root, background="none") as services:
        where = places(os.environ)
        report = status(
            services,
            where,
            project_settings(services.root, lenient=True).origins,
            installation(Path(sys.prefix)),
            facts_home(services.settings, where),
        )
    if as_json:
        print_json(asdict(report))
        return
    _print(report, are_problems_listed=problems)
    if problems:
        for source in report.sources:
            print_problems(source)


def _print(report: "Status", *, are_problems_listed: bool) -> None:
    _row("pit-memory", report.version)
    _row("root", report.root)
    for source in report.sources:
        counts = source.counts
        _row(
            f"source {source.name}" if source.name else "documents",
            f"{counted(counts.documents, 'file')}, {counted(counts.sections, 'section')}, "
            f"{counted(counts.chunks, 'chunk')}; last look {ago(source.looked_at, time.time())}",
        )
        if source.trouble:
            _row("trouble", source.trouble)
        if source.left_out:
            _row("left out", groups_of(source))
        if source.problems:
            how = "" if are_problems_listed else " (pit-memory status --problems)"
            _row("problems", f"{len(source.problems):,}{how}")
    _row("facts", _facts_line(report.facts))
    _row("", f"home {report.facts.home}")
    if report.usage.searches:
        _row("searches", _usage(report))
    _row("by words", "on")
    _row("by meaning", _meaning(report))
    _row("store", report.store)
    _row("data", report.data)
    for path, there in report.settings_files.items():
        _row("settings", path if there else f"{path} (not there)")
    for key, origin in report.origins.items():
        _row("", f"{key} from {origin}")
    _row("environment", report.environment or "not the launcher's")
    _row("network", report.network)
    for store in report.abandoned:
        _row("abandoned", f"its root is gone; to remove the index: rm -r {store}")
    for note in report.notes:
        _row("note", note)


def _facts_line(facts: "FactsStatus") -> str:
    """Whose facts, where that is said, and how many: `acme (PIT_MEMORY_ASSIGNMENT): 3 hold`."""
    if facts.assignment is None:
        why = f': {facts.origin} says "auto", and this is no repository' if facts.origin else ""
        return f"no assignment is resolved{why} (pit-memory facts --help)"
    line = f"{facts.assignment}, from {facts.origin}: "
    if facts.facts is None:
        return line + facts.trouble
    line += f"{facts.facts:,} that hold"
    if facts.proposed:
        line += f", {facts.proposed:,} of them proposed (pit-memory facts review)"
    if facts.refused:
        line += f"; {counted(facts.refused, 'file')} not taken for a fact (pit-memory facts list)"
    return line


def _usage(report: "Status") -> str:
    used = report.usage
    line = f"{used.searches:,} since {time.strftime('%Y-%m-%d', time.localtime(used.since))}"
    line += f"; {used.found_nothing:,} found nothing, {used.degraded:,} not complete"
    if used.by_words_only:
        line += (
            f", {used.by_words_only:,} by words only, last {ago(used.last_error_at, time.time())}"
        )
        line += f" ({used.last_error})"
    return line


def _meaning(report: "Status") -> str:
    if report.meaning is None:
        return f"off: {report.model_failure or report.without_meaning or _CHOSEN_OFF}"
    built = report.meaning
    line = f"{built.built:,} of {counted(built.total, 'chunk')}"
    progress = built.line()
    return f"{line}; {progress.removeprefix('meaning: ')}" if progress else line


def _row(label: str, text: str) -> None:
    click.echo(click.style(f"{label:<{_LABEL_WIDTH}} ", dim=True) + safe_line(text))
