"""`pit-memory lint`: the doc standard."""

from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pit_memory.cli.exit_codes import EXIT_USER_MUST_ACT
from pit_memory.cli.options import json_option, root_option
from pit_memory.core.text.plurals import counted

if TYPE_CHECKING:
    from pit_memory.operations.quality.lint import LintReport


@click.command(
    epilog="""\b
Examples:
  pit-memory lint
  pit-memory lint docs/runbooks docs/deploy.md
  pit-memory lint --stale
  pit-memory lint --rules

\b
Switch a rule off in .pit-memory.toml, with the reason:
  [[lint.off]]
  rule = "long-section"
  reason = "generated from the schema"
  paths = ["docs/reference/"]
"""
)
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option(
    "--stale", is_flag=True, help="Also what is no longer so: files, commands, versions, reviews."
)
@click.option("--rules", is_flag=True, help="List the rules and what each asks for.")
@root_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    stale: bool,
    rules: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Check documents against the doc standard.

    PATHS are files and folders; without any, the folder of the documents (the site's, else `docs`),
    or the whole tree without one. A finding is path and line, the rule, and what to do. Only what
    concerns finding and citing sections is checked; a markdown linter does the rest. --stale adds
    what the repository proves wrong, with the proof. Exit code 1 where there is something to
    correct.
    """
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.core.settings.lint_rules import RULES
    from pit_memory.operations.quality.lint import lint
    from pit_memory.operations.quality.staleness import stale_findings
    from pit_memory.operations.searching.searched_sources import own_source
    from pit_memory.wiring import project_root, project_settings

    if rules:
        if as_json:
            print_json(dict(RULES))
        else:
            print_lines(*(f"{rule}: {asks}" for rule, asks in RULES.items()))
        return
    top = project_root(root)
    loaded = project_settings(top)
    today = datetime.now(tz=UTC).astimezone().date().isoformat()
    further = [partial(stale_findings, top, today=today)] if stale else []
    paths_in_root = [_from_root(path, top) for path in paths]
    own = own_source(top, loaded.settings)
    report = lint(own, loaded.settings, paths_in_root, further=further)
    for note in loaded.problems:
        say(note)
    if as_json:
        print_json(asdict(report))
    else:
        print_findings(report)
    if report.problems:
        ctx.exit(EXIT_USER_MUST_ACT)


def print_findings(report: "LintReport") -> None:
    """Print findings, and on stderr what was checked and what is switched off."""
    from pit_memory.cli.render import print_lines, say

    for problem in report.problems:
        print_lines(f"{problem.path}:{problem.line}: {problem.rule}: {problem.message}")
    for off in report.off:
        say(f"{off.findings} of {off.rule} not shown: {off.reason}")
    if report.imported:
        say(f"{counted(report.imported, 'incident record')} as imported: not checked")
    found = counted(len(report.problems), "finding")
    say(f"{found} in {counted(report.files, 'document')}")


def _from_root(path: str, root: Path) -> str:
    """A path as the person gave it, from the root: they may stand in a folder of it."""
    here = Path.cwd().resolve()
    given = (here / path).absolute()
    if (root / path).exists() or not given.is_relative_to(root):
        return path
    return given.relative_to(root).as_posix()
