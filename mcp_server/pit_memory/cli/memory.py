"""`pit-memory memory`: rules and gotchas that every session starts with."""

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
    from pit_memory.operations.push.memory import MemoryShown
    from pit_memory.operations.push.migrate_memory import MigrationReport


@click.group()
def command() -> None:
    """Show and check the rules and gotchas every session starts with.

    They are markdown, one entry a file: of the project in `memory/` (or memory.home), yours in the
    `memory` folder beside your settings. Of one name the project's counts.
    """


@command.command()
@click.option("--cost", is_flag=True, help="List the entries with what each costs.")
@root_option
@json_option
def show(cost: bool, root: Path | None, as_json: bool) -> None:
    """Print exactly what a session gets.

    With --cost, the tokens of every entry instead, and which are left out for room.
    """
    from pit_memory.cli.render import print_json
    from pit_memory.operations.push.memory import show_memory
    from pit_memory.wiring import plugin_folder
    from pit_memory.workspace.places import places
    from pit_memory.workspace.project import existing_root

    environ = os.environ
    shown = show_memory(existing_root(root), places(environ), environ, plugin_folder(environ))
    if as_json:
        print_json(_as_json(shown))
    elif cost:
        _print_cost(shown)
    else:
        click.echo(shown.text, nl=False)


@command.command()
@root_option
@json_option
@click.pass_context
def lint(ctx: click.Context, root: Path | None, as_json: bool) -> None:
    """Find what keeps entries from doing their work.

    Over the budget, said twice, dead refs, files that can't be read, patterns that are wrong, slow
    or may never end. Exit code 1 where there is something to correct.
    """
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.operations.push.memory import lint_memory
    from pit_memory.wiring import plugin_folder
    from pit_memory.workspace.places import places
    from pit_memory.workspace.project import existing_root

    environ = os.environ
    report = lint_memory(existing_root(root), places(environ), environ, plugin_folder(environ))
    if as_json:
        problems = [problem._asdict() for problem in report.problems]
        print_json({"entries": report.entries, "problems": problems})
    else:
        for problem in report.problems:
            place = f"{problem.place}:{problem.line}" if problem.line else problem.place
            print_lines(f"{place}: {problem.rule}: {problem.message}")
        entries = counted(report.entries, "entry", "entries")
        say(f"{entries}, {counted(len(report.problems), 'problem')}")
    if report.problems:
        ctx.exit(EXIT_USER_MUST_ACT)


@command.command(cls=WritingCommand)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@root_option
@json_option
@click.pass_context
def migrate(
    ctx: click.Context, folder: Path, dry_run: bool, root: Path | None, as_json: bool
) -> None:
    """Move the client's own notes of DIR into this project's memory.

    By their type: `feedback` becomes gotchas of the project, `user` your own preferences,
    `reference` and `project` drafts. Lists the new home of every line; the notes stay as they are,
    and nothing is committed. Exit code 1 where a line has no new home.
    """
    from pit_memory.cli.render import print_json, say
    from pit_memory.operations.push.migrate_memory import Homes, migrate_memory
    from pit_memory.wiring import project_settings
    from pit_memory.workspace.places import person_memory, places
    from pit_memory.workspace.project import existing_root

    top = existing_root(root)
    home = top / project_settings(top).settings.memory.home
    homes = Homes(top, home, person_memory(places(os.environ)))
    report = migrate_memory(folder, homes, dry_run=dry_run)
    if as_json:
        print_json(asdict(report))
    else:
        _print_migration(report)
        done = "would be written" if dry_run else "written"
        say(f"files {done}: {len(report.written)}, there already: {len(report.already_there)}")
    if not report.is_complete:
        ctx.exit(EXIT_USER_MUST_ACT)


def _print_migration(report: "MigrationReport") -> None:
    from pit_memory.cli.render import print_lines

    for lines in report.lines:
        source = f"{lines.source}:{_range(lines.first, lines.last)}"
        if not lines.target:
            print_lines(f"{source} has no new home: {lines.reason}")
        elif lines.target_first:
            last = lines.target_first + lines.last - lines.first
            print_lines(f"{source} -> {lines.target}:{_range(lines.target_first, last)}")
        else:
            print_lines(f"{source} -> {lines.target} says it")
    for name, why in report.left.items():
        print_lines(f"{name} is left: {why}")


def _range(first: int, last: int) -> str:
    return f"L{first}" if first == last else f"L{first}-L{last}"


def _print_cost(shown: "MemoryShown") -> None:
    from pit_memory.cli.render import print_lines

    for part in shown.parts:
        entry = part.entry
        state = "" if part.is_shown else "  left out for room"
        if entry.has_trigger:
            state += f"  also told at {entry.trigger_tool} calls"
        print_lines(f"{part.tokens:>6}  {entry.kind} {entry.slug}  {entry.place}{state}")
    entries = sum(part.tokens for part in shown.parts if part.is_shown)
    print_lines(f"{shown.tokens - entries:>6}  preambles, domain map and headings")
    print_lines(f"{shown.tokens:>6}  of {shown.budget:,} tokens at the start of a session")
    print_lines(f"{shown.subagent_tokens:>6}  at the start of a subagent")


def _as_json(shown: "MemoryShown") -> dict[str, object]:
    parts = [
        {
            "kind": part.entry.kind,
            "slug": part.entry.slug,
            "place": part.entry.place,
            "trigger_tool": part.entry.trigger_tool,
            "tokens": part.tokens,
            "shown": part.is_shown,
        }
        for part in shown.parts
    ]
    return {**asdict(shown), "parts": parts}
