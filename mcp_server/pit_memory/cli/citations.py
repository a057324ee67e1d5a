"""`pit-memory citations`: the references of agent prose to corpus files."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import click

from pit_memory.cli.exit_codes import EXIT_USER_MUST_ACT
from pit_memory.cli.options import json_option, root_option
from pit_memory.core.text.plurals import counted


@click.group()
def command() -> None:
    """Check that every citation still resolves."""


@command.command()
@click.argument("text", required=False, metavar="[-|FILE]", type=click.File("rb"))
@click.option(
    "--neighbour",
    "neighbours",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Checkout of another project that is cited by its folder's name; may be repeated.",
)
@root_option
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    text: BinaryIO | None,
    neighbours: tuple[Path, ...],
    root: Path | None,
    as_json: bool,
) -> None:
    """Check every reference to a corpus file in what agents are told, or a text that cites.

    A reference (a path, a link, a wikilink, an @path) must name a section that is there, or its
    paragraph must say `Whole-file load:` and why. Which files are read: sections.corpora, `prose`.

    With `-` or a FILE, that text is checked instead, such as an answer: its refs exist, what it
    quotes stands word for word in what it cites, and sentences without a ref are listed. Exit code
    1 where a ref or a quotation does not hold.
    """
    if text is not None:
        _check_text(ctx, text, root, as_json)
        return
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.operations.gates.citations import check_project_citations
    from pit_memory.workspace.project import existing_root

    report = check_project_citations(existing_root(root), os.environ, neighbours)
    for note in report.notes:
        say(note)
    if as_json:
        print_json(asdict(report))
    else:
        for problem in report.problems:
            print_lines(f"{problem.path}:{problem.line}: {problem.rule}: {problem.message}")
    if not as_json or report.problems:
        say(f"{counted(len(report.problems), 'finding')} in {counted(report.files, 'file')}")
    if report.problems:
        ctx.exit(EXIT_USER_MUST_ACT)


def _check_text(ctx: click.Context, text: BinaryIO, root: Path | None, as_json: bool) -> None:
    from pit_memory.cli.render import print_json, print_lines, say
    from pit_memory.core.corpus.answer_claims import FEWEST_WORDS
    from pit_memory.core.text.decoding import decode, lines_of
    from pit_memory.operations.gates.check_answer import check_answer
    from pit_memory.wiring import reading

    lines = lines_of(decode(text.read()).text)
    with reading(root) as read:
        checked = check_answer(lines, read)
    if as_json:
        print_json(asdict(checked))
    else:
        for finding in checked.findings:
            print_lines(f"{finding.line}: {finding.rule}: {finding.message}")
    said = (counted(checked.claims, "sentence"), counted(checked.refs, "ref"))
    quoted = counted(checked.quotations, "quotation")
    short = f"; {checked.short} of fewer than {FEWEST_WORDS} words not checked"
    say(
        ", ".join((*said, quoted, counted(len(checked.findings), "finding")))
        + (short if checked.short else "")
    )
    if checked.is_wrong:
        ctx.exit(EXIT_USER_MUST_ACT)
