"""`pit-memory doctor`: ask every part for real."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from pit_memory.cli.exit_codes import EXIT_USER_MUST_ACT
from pit_memory.cli.options import json_option, root_option

_STATE_WIDTH = 5
_PART_WIDTH = 13
_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@click.option("--full", is_flag=True, help="Also what takes longer: every page, and a deletion.")
@root_option
@json_option
@click.pass_context
def command(ctx: click.Context, full: bool, root: Path | None, as_json: bool) -> None:
    """Ask every part for real, and say what to do where one fails.

    A document of pit-memory's own is looked for by words, by meaning and through filters; git, the
    model, the servers in use, hooks, manifests, disk and site are asked likewise. Exit code 1 where
    something fails; a warning is none.
    """
    from pit_memory.cli.render import print_json, print_lines
    from pit_memory.operations.upkeep.doctor import examine
    from pit_memory.wiring import doctors_room

    findings = []
    for finding in examine(doctors_room(root, os.environ), full=full):
        findings.append(finding)
        if as_json:
            continue
        state = click.style(f"{finding.state:<{_STATE_WIDTH}}", fg=_COLOURS[finding.state])
        click.echo(state, nl=False)
        print_lines(f"{finding.part:<{_PART_WIDTH}} {finding.line}")
        if finding.repair:
            print_lines(f"{'':<{_STATE_WIDTH + _PART_WIDTH}} -> {finding.repair}")
    if as_json:
        print_json([asdict(finding) for finding in findings])
    if any(finding.state == "fail" for finding in findings):
        ctx.exit(EXIT_USER_MUST_ACT)
