"""`pit-memory docs`: your own documents, wherever they lie: vaults, notes, PDFs."""

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pit_memory.cli.options import json_option, root_option
from pit_memory.cli.search import command as search
from pit_memory.cli.source_words import ago, groups_of, print_problems, words_of_group
from pit_memory.cli.sync import wait_option
from pit_memory.cli.writing_command import ChangingCommand
from pit_memory.core.settings.added_sources import RESERVED_NAMES
from pit_memory.core.text.plurals import counted

if TYPE_CHECKING:
    from pit_memory.operations.indexing.begun_source import BegunSource
    from pit_memory.operations.own_sources.added_sources import Added, Desk
    from pit_memory.operations.upkeep.status import SourceStatus
    from pit_memory.sources.census import Census


@click.group()
def command() -> None:
    """Connect your own documents: vaults, notes, PDFs.

    Your files stay where they are and as they are: a source is a line in a settings file, and its
    index can be deleted any time.
    """


@command.command(cls=ChangingCommand)
@click.argument("path")
@click.option("--name", metavar="N", help="What stands before `::` in refs [default: the folder].")
@click.option("--include", multiple=True, metavar="GLOB", help="Only these files; may be repeated.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Not these; may be repeated.")
@click.option("--yes", is_flag=True, help="Add even a whole home folder or disk.")
@root_option
@json_option
def add(
    path: str,
    name: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    yes: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Make a folder a source.

    A folder inside the project becomes a source of the project, in its .pit-memory.toml; any other
    becomes yours, in your own settings: it is searched outside of projects and in the project where
    you add it. A project's own documents need not be added to be searched in it. Indexing starts at
    once, behind; ask right away.
    """
    from pit_memory.cli.render import print_json, say
    from pit_memory.operations.own_sources.added_sources import add
    from pit_memory.wiring import desk, open_services

    def agreed(folder: str, census: "Census") -> bool:
        if yes or not sys.stdin.isatty():
            return yes
        return click.confirm(f"{folder} holds {census.words()}. Add it whole?", err=True)

    here = desk(root)
    added = add(here, path, name=name, include=include, exclude=exclude, agreed=agreed)
    with open_services(root, everywhere=True) as services:
        begun = services.begin(added.name)
    for note in (*here.notes, *begun.notes):
        say(note)
    if added.is_project_itself:
        say(
            f"{added.folder} is the project you are in: its documents are searched here without "
            "being added. Now they are a source of yours as well, so searches outside of projects "
            f"find them, too. Not what you want? pit-memory docs remove {added.name}"
        )
    if as_json:
        print_json(_added_json(added, begun))
        return
    _print_added(added, begun, here)


@command.command("list")
@click.option(
    "--problems", is_flag=True, help="List every problem, dead wikilink and file left out."
)
@root_option
@json_option
def list_(problems: bool, root: Path | None, as_json: bool) -> None:
    """Show each source: files, sections, what is left out and why, what is built."""
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.operations.searching.searched_sources import is_searched
    from pit_memory.operations.upkeep.status import dead_links_of, source_status
    from pit_memory.wiring import desk, open_services

    here = desk(root)
    people = {added.name: added for table, added in here.all() if table == "personal"}
    with open_services(root, background="none", everywhere=True) as services:
        notes = services.notes
        listed = [
            (opened, source)
            for opened in services.stores
            for source in opened.sources
            if source.name not in RESERVED_NAMES  # nobody added them; `status` shows them
        ]
        shown = [source_status(opened, source) for opened, source in listed]
        dead = {
            source.name: dead_links_of(opened, source) if problems else ()
            for opened, source in listed
        }
    searched = {
        name: is_searched(added, here.root, here.home, is_project=here.is_project)
        for name, added in people.items()
    }
    for note in notes:
        say(note)
    if as_json:
        print_json(
            [
                {
                    **asdict(it),
                    "personal": it.name in people,
                    "searched": searched.get(it.name, True),
                }
                for it in shown
            ]
        )
        return
    for source in shown:
        added = people.get(source.name)
        print_lines(
            *_listed(
                source,
                added.projects if added else None,
                searched.get(source.name, True),
                are_problems_listed=problems,
            )
        )
        if problems:
            print_problems(source)
            for link in dead[source.name]:
                print_lines(f"{link.path}:{link.line}: dead-link: {link.message}")
    if not any(source.name for source in shown):
        say("No source was added yet. To add one: pit-memory docs add DIR")


command.add_command(search, "search")


@command.command(cls=ChangingCommand)
@click.argument("name")
@click.option(
    "--project",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Root of the project [default: the one you are in].",
)
@click.option("--revoke", is_flag=True, help="No longer search it there.")
@root_option
def allow(name: str, project: Path | None, revoke: bool, root: Path | None) -> None:
    """Let one of your sources be searched in a project."""
    from pit_memory.cli.render import say
    from pit_memory.operations.own_sources.added_sources import allow
    from pit_memory.wiring import desk

    here = desk(root)
    for note in here.notes:
        say(note)
    allowed = allow(here, name, project=project, revoke=revoke)
    click.echo(f"{name}: searched {_where(allowed.allowed_in)}")


@command.command()
@click.argument("names", nargs=-1)
@click.option(
    "--allow-shrink", is_flag=True, help="Accept that most documents of a source are gone."
)
@click.option("--full", is_flag=True, help="Read every file again, whatever its times say.")
@wait_option
@root_option
@json_option
@click.pass_context
def sync(
    ctx: click.Context,
    names: tuple[str, ...],
    allow_shrink: bool,
    full: bool,
    wait: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Bring the index of added sources up to their files, of all or of the named ones.

    Searches do this by themselves; `sync` is for scripts and after --allow-shrink. It ends when all
    words are indexed, and says how far meaning is, which is filled in behind; --wait ends when both
    are complete.
    """
    from pit_memory.cli.sync import meaning_after, print_report, sync_with_bar
    from pit_memory.operations.own_sources.added_sources import refuse_unknown
    from pit_memory.wiring import desk, open_services

    here = desk(root)
    refuse_unknown(here, names)
    only = names or tuple(added.name for _, added in here.all())
    with open_services(root, everywhere=True, background="none" if wait else "process") as services:
        report = sync_with_bar(services, allow_shrink=allow_shrink, full=full, only=only)
        meaning = meaning_after(services, wait=wait, only=only)
    print_report(ctx, report, meaning, services.notes, as_json)


@command.command(cls=ChangingCommand)
@click.argument("name")
@root_option
@json_option
def remove(name: str, root: Path | None, as_json: bool) -> None:
    """Forget a source: its line, its index and the vectors that nothing else uses.

    No file of the source is touched.
    """
    from pit_memory.cli.render import print_json, say
    from pit_memory.wiring import desk, remove_source

    here = desk(root)
    for note in here.notes:
        say(note)
    file, forgotten = remove_source(here, name)
    documents = forgotten.documents if forgotten else 0
    vectors = forgotten.vectors if forgotten else 0
    if as_json:
        print_json(
            {
                "name": name,
                "file": str(file) if file else None,
                "documents": documents,
                "vectors": vectors,
            }
        )
        return
    line = f"its line in {file}, " if file else ""
    gone = f"{counted(documents, 'document')}, {counted(vectors, 'vector')}"
    click.echo(f"Forgotten: {name} ({line}{gone})")
    click.echo("Your files are as they were.")


def _added_json(added: "Added", begun: "BegunSource") -> dict[str, object]:
    return {
        "name": added.name,
        "folder": added.folder,
        "file": str(added.file),
        "personal": added.personal,
        "projects": list(added.allowed_in),
        "documents": added.census.documents,
        "complete": added.census.complete,
        "indexed": begun.indexed,
        "pending": begun.pending,
        "was_there": added.was_there,
    }


def _print_added(added: "Added", begun: "BegunSource", here: "Desk") -> None:
    from pit_memory.cli.render import print_lines, say

    verb = "Already a source" if added.was_there else "Added"
    print_lines(f"{verb}: {added.name}, {added.folder} ({begun.words(added.census)})")
    if left := begun.left(added.census):
        print_lines(f"Not indexed: {left:,} (pit-memory docs list --problems)")
    if added.personal:
        print_lines(f"Searched {_where(added.allowed_in)}")
    else:
        print_lines(f"Searched in {here.root}")
    for group in added.census.left_out:
        print_lines(f"Left out: {words_of_group(group)}")
    print_lines(f"Settings: {added.file}")
    if added.census.documents:
        say('Indexing goes on behind; ask right away: pit-memory search "..."')
    else:
        say("It holds no document yet; the next search finds what comes.")


def _where(projects: tuple[str, ...]) -> str:
    places = ["outside of projects", *(f"in {project}" for project in projects)]
    return ", ".join(places)


def _listed(
    source: "SourceStatus",
    projects: tuple[str, ...] | None,
    is_searched: bool,
    *,
    are_problems_listed: bool,
) -> list[str]:
    counts, looked = source.counts, ago(source.looked_at, time.time())
    held = f"{counted(counts.documents, 'file')}, {counted(counts.sections, 'section')}"
    lines = [
        f"{source.name or 'this project'}  {source.root}",
        f"  {held}; last look {looked}",
    ]
    if source.meaning is not None:
        built = source.meaning
        lines.append(f"  by meaning: {built.line().removeprefix('meaning: ') or 'all built'}")
    if projects is not None:
        lines.append(f"  searched {_where(projects)}")
        if not is_searched:
            lines.append(f"  not searched here: pit-memory docs allow {source.name}")
    if source.left_out:
        lines.append(f"  left out: {groups_of(source)}")
    if source.problems:
        how = "" if are_problems_listed else " (pit-memory docs list --problems)"
        lines.append(f"  problems: {len(source.problems):,}{how}")
    if source.trouble:
        lines.append(f"  {source.trouble}")
    return lines
