"""`pit-memory init`: propose a settings file and what goes with it, write it when told to."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from pit_memory.cli.options import root_option
from pit_memory.cli.writing_command import WritingCommand


@click.command(cls=WritingCommand)
@click.option("--yes", is_flag=True, help="Write it without asking.")
@click.option("--force", is_flag=True, help="Replace a settings file that is there.")
@click.option(
    "--skills", is_flag=True, help="Also make plain /remember a skill of yours, in every project."
)
@root_option
def command(yes: bool, force: bool, skills: bool, root: Path | None) -> None:
    """Propose a .pit-memory.toml for this tree.

    Shows the file first and writes it only when you agree. Nothing needs it: without one, sensible
    defaults hold for any folder with markdown. Where a site would publish drafts, it offers to add
    the line that keeps them off; a settings file that is there stays as it is.
    """
    from pit_memory.cli.render import say
    from pit_memory.operations.upkeep.init import propose, write
    from pit_memory.wiring import plugin_folder, project_root

    top = project_root(root)
    proposal = propose(top)
    own_skills = _skills(plugin_folder(os.environ)) if skills else ()
    extras = [*_exclusions(top), *own_skills, *_attributes(top)]
    is_there = proposal.exists and not force
    keeps_settings = is_there and bool(extras)
    if keeps_settings:
        say(f"{proposal.path} stays as it is.")
    else:
        click.echo(proposal.text, nl=False)
    for extra in extras:
        say(f"And {extra.offer}")
    if is_there and not extras and not yes:
        say(f"{proposal.path} is there already. To replace it: pit-memory init --yes --force")
        return
    flags = ["--yes", *["--skills"] * skills, *["--force"] * force]
    if not yes and not _agrees(f"pit-memory init {' '.join(flags)}"):
        return
    if not keeps_settings:
        write(proposal, force=force)
        say(f"Written: {proposal.path}")
    for extra in extras:
        say(extra.write())
    if not skills and list(_skills(plugin_folder(os.environ))):
        say("For plain /remember in every project of yours: pit-memory init --yes --skills")


class _Extra(NamedTuple):
    """Something beside the settings file."""

    offer: str
    write: Callable[[], str]
    """Does it, and says what was done."""


def _agrees(again: str) -> bool:
    from pit_memory.cli.render import say

    if not sys.stdin.isatty():
        say(f"Not written. To write it: {again}")
        return False
    if not click.confirm("Write this?", err=True):
        say("Not written.")
        return False
    return True


def _attributes(top: Path) -> Iterator[_Extra]:
    """What git should know of a section index."""
    from pit_memory.operations.gates.git_attributes import add_lines, missing_lines_of_project

    for line in missing_lines_of_project(top, os.environ):

        def write(line: str = line) -> str:
            add_lines(top, [line])
            return f"Written: {top / '.gitattributes'}"

        yield _Extra(f"in .gitattributes: {line}", write)


def _exclusions(top: Path) -> Iterator[_Extra]:
    """What keeps drafts off a site."""
    from pit_memory.core.writing.homes import DRAFTS_HOME
    from pit_memory.operations.writing.site_guard import (
        Exclusion,
        add_exclusion,
        missing_exclusions,
    )

    for lacking in missing_exclusions(top, DRAFTS_HOME):

        def write(lacking: Exclusion = lacking) -> str:
            if add_exclusion(top, lacking):
                return f"Written: {top / lacking.file}"
            return f"{top / lacking.file} is left to you: add `{lacking.line}`"

        yield _Extra(f"in {lacking.file}, which would publish drafts: {lacking.line}", write)


def _skills(plugin: Path | None) -> Iterator[_Extra]:
    """Skills of the plugin under their plain names."""
    from pit_memory.operations.push.personal_skills import (
        PersonalSkill,
        add_skill,
        missing_skills,
    )

    for skill in missing_skills(os.environ, plugin):

        def write(skill: PersonalSkill = skill) -> str:
            add_skill(skill)
            return f"Written: {skill.personal}"

        yield _Extra(f"as a skill of yours, /{skill.name}: {skill.personal}", write)
