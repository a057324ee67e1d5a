"""`pit-memory sections`: the checked-in section index."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pit_memory.cli.exit_codes import EXIT_USER_MUST_ACT
from pit_memory.cli.options import json_option, root_option
from pit_memory.cli.writing_command import WritingCommand
from pit_memory.core.text.plurals import counted

if TYPE_CHECKING:
    from pit_memory.operations.gates.sections import SectionsReport

staged_option = click.option(
    "--staged", is_flag=True, help="Read what is staged in git, not the files on disk."
)


@click.group()
def command() -> None:
    """Build, check and show the checked-in section index.

    A small JSON file that leads agents to one section of knowledge/*.md and skills/*/SKILL.md; for
    other files see [[sections.corpora]] in the settings.
    """


@command.command(cls=WritingCommand)
@staged_option
@root_option
@json_option
@click.pass_context
def build(ctx: click.Context, staged: bool, root: Path | None, as_json: bool) -> None:
    """Write every index that is not fresh.

    With --staged the index is built from what is staged, and staged as well; the files on disk stay
    as they are. For commits that leave some changes of the corpus out.
    """
    from pit_memory.cli.render import print_lines
    from pit_memory.operations.gates.sections import build_sections, build_staged_sections
    from pit_memory.workspace.project import existing_root

    make = build_staged_sections if staged else build_sections
    report = make(existing_root(root), os.environ)
    _print_report(report, as_json=as_json)
    if not as_json:
        for index in report.indexes:
            state = "written" if index.written else "fresh already"
            of = f"{counted(index.sections, 'section')} of {counted(index.files, 'file')}"
            print_lines(f"{index.index}: {of}, {state}")
    _exit_if(ctx, bool(report.unmatched) or not report.indexes)


@command.command()
@staged_option
@root_option
@json_option
@click.pass_context
def check(ctx: click.Context, staged: bool, root: Path | None, as_json: bool) -> None:
    """Say whether every index is fresh.

    Exit code 0, or 1 with a short diff.
    """
    from pit_memory.cli.render import print_lines
    from pit_memory.core.corpus.section_index import short_diff
    from pit_memory.operations.gates.sections import check_sections, check_staged_sections
    from pit_memory.workspace.project import existing_root

    look = check_staged_sections if staged else check_sections
    report = look(existing_root(root), os.environ)
    _print_report(report, as_json=as_json)
    if not as_json:
        for index in report.indexes:
            if index.drifts:
                stale = short_diff(index.drifts, index.index)
                print_lines(f"{index.index} is stale:", *stale)
        if report.repair:
            print_lines("Repair: " + " && ".join(report.repair))
    _exit_if(ctx, bool(report.unmatched) or not report.fresh)


@command.command(
    epilog="""\b
Examples:
  pit-memory sections show knowledge/upgrades.md
  pit-memory sections show --grep "pin client" --lines
"""
)
@click.argument("path", required=False)
@click.option("--grep", "words", metavar="WORDS", help="Sections that have these words.")
@click.option("--lines", is_flag=True, help="Add the lines of each section.")
@root_option
@json_option
def show(
    path: str | None, words: str | None, lines: bool, root: Path | None, as_json: bool
) -> None:
    """Show the sections of a file, or those with some words.

    PATH may be the end of a path, and may name one section: upgrades.md#pinning-the-client. The
    answer has at most 400 tokens; `pit-memory read PATH#ANCHOR` prints a section of it.
    """
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.core.corpus.section_lookup import find_sections, lookup_text
    from pit_memory.operations.gates.section_lookup import indexed_sections, show_file, with_lines
    from pit_memory.workspace.project import existing_root

    if not path and not words:
        raise click.UsageError("name a file, or give --grep WORDS")
    top = existing_root(root)
    sections = show_file(top, os.environ, path) if path else indexed_sections(top, os.environ)
    if words:
        sections = find_sections(sections, words)
    if lines:
        sections = with_lines(top, sections)
    if as_json:
        print_json([asdict(section) for section in sections])
    elif sections:
        print_lines(*lookup_text(sections).split("\n"))
    else:
        say(f"no section has {words!r}; try fewer or other words")


def _print_report(report: "SectionsReport", *, as_json: bool) -> None:
    """Print what build and check have in common: JSON, problems, notes."""
    from pit_memory.cli.render import print_json, say

    if as_json:
        print_json({"was_fresh": report.fresh, **asdict(report)})
    for problem in report.problems:
        say(f"{problem.path}: {problem.message}")
    for note in (*report.notes, *report.unmatched):
        say(note)
    if not report.indexes and not report.unmatched:
        say("no corpus here: no file matches knowledge/*.md or skills/*/SKILL.md")


def _exit_if(ctx: click.Context, must_act: bool) -> None:
    if must_act:
        ctx.exit(EXIT_USER_MUST_ACT)
