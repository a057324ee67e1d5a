"""How results and progress look: decorated on a terminal only."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from pit_memory.core.progress import Progress
from pit_memory.core.text.safe_text import safe_line

if TYPE_CHECKING:
    from pit_memory.core.answers.answers import Hit


_HIT = re.compile(r"^(?P<rank>\d+)\. (?P<ref>\S+)(?P<rest>.*)$")
_SNIPPET = re.compile(r"^(?P<number> +\d+):(?P<text>.*)$")


def print_json(value: object) -> None:
    """Print one JSON value, readable by people and programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_answer(text: str, hits: "Sequence[Hit]" = (), *, urls: bool = False) -> None:
    """Print an answer; on a terminal refs stand out, titles open the page, numbers step back.

    Args:
        text: of the answer.
        hits: that it shows, with their addresses where they are known.
        urls: print the address of each hit below its first line.
    """
    addresses = {f"{rank}. ": hit.url for rank, hit in enumerate(hits, 1) if hit.url}
    is_terminal = sys.stdout.isatty()
    for line in text.split("\n"):
        hit = _HIT.match(line)
        address = addresses.get(f"{hit['rank']}. ") if hit else None
        click.echo(_decorated(line, address) if is_terminal else line)
        if urls and address:
            click.echo(f"   {safe_line(address)}")


def print_lines(*lines: str) -> None:
    """Print lines that hold names or words of the person's files; a terminal obeys none of them."""
    for line in lines:
        click.echo(safe_line(line))


def say(text: str) -> None:
    """Tell the person something that isn't the result; no line obeys what is in it."""
    for line in text.split("\n"):
        click.echo(safe_line(line), err=True)


@contextmanager
def progress_bar(title: str, unit: str) -> Iterator[Progress | None]:
    """Show how far long work is, on stderr and only on a terminal.

    Yields:
        A function to call with (done, in all; 0 where unknown); None where nobody would see it.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


def _decorated(line: str, address: str | None) -> str:
    hit = _HIT.match(line)
    if hit:
        ref = click.style(hit["ref"], fg="cyan", bold=True)
        place, gap, title = hit["rest"].strip().partition("  ")
        rest = f"  {place}{gap}{_linked(title, address)}" if address and title else hit["rest"]
        return f"{hit['rank']}. {ref}{rest}"
    snippet = _SNIPPET.match(line)
    if snippet:
        return click.style(f"{snippet['number']}:", dim=True) + snippet["text"]
    return line


def _linked(text: str, address: str) -> str:
    """Text that opens an address where the terminal knows how (OSC 8), and is only text else."""
    return f"\033]8;;{safe_line(address)}\033\\{text}\033]8;;\033\\"
