"""`pit-memory search`: find the sections that answer a question."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from pit_memory.cli.options import json_option, mode_option, root_option
from pit_memory.cli.question_command import QuestionCommand
from pit_memory.core.answers.answers import Mode


@click.command(
    cls=QuestionCommand,
    context_settings={"ignore_unknown_options": True},
    epilog="""\b
Examples:
  pit-memory search "how do we rotate the signing key"
  pit-memory search MAX_MCP_OUTPUT_TOKENS --limit 3
  pit-memory search --path docs/runbooks "disk is full"
""",
)
@click.argument("question", nargs=-1)
@click.option(
    "--quote", metavar="TEXT", help="Find the page that holds these words, in this order."
)
@click.option("-n", "--limit", type=int, metavar="N", help="Hits at most [default: 5].")
@click.option("--budget", type=int, metavar="TOKENS", help="Size of the answer [default: 800].")
@click.option(
    "--path", metavar="PATH", help="Only this folder, file or glob, from the root of the tree."
)
@click.option("--source", metavar="N", help="Only this source (`docs list` names them).")
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    help="Only documents with this tag; in a vault it may stand in the text.",
)
@click.option("--no-drafts", is_flag=True, help="Leave out pages that are drafts.")
@mode_option
@click.option("--urls", is_flag=True, help="Print each hit's address below it.")
@click.option("--explain", is_flag=True, help="Tell why each hit ranks where it does.")
@root_option
@json_option
def command(
    question: tuple[str, ...],
    quote: str | None,
    limit: int | None,
    budget: int | None,
    path: str | None,
    source: str | None,
    tags: tuple[str, ...],
    no_drafts: bool,
    mode: Mode | None,
    urls: bool,
    explain: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Find the sections that answer a question, with citations.

    Looks at the files first and indexes what changed, so there is nothing to run before. An answer
    is a few cited lines; `pit-memory read REF` prints the whole section behind a citation. `9 more`
    below it counts what --limit and --budget left out. On a terminal a title opens the page; --urls
    prints the address: on your site, else at your forge, else of the file.
    """
    from pit_memory.cli.render import print_answer, print_json, print_lines
    from pit_memory.core.answers.answer_json import answer_json
    from pit_memory.core.answers.answer_text import answer_text
    from pit_memory.core.answers.explanation import explanation_text
    from pit_memory.operations.searching.search import SearchRequest
    from pit_memory.wiring import open_services

    if bool(question) == (quote is not None):
        message = "give a question, or --quote TEXT: one of the two"
        raise click.UsageError(message)
    with open_services(root) as services:
        request = SearchRequest(
            query=" ".join(question) if quote is None else quote,
            quotes=quote is not None,
            limit=services.settings.search.limit if limit is None else limit,
            budget=services.settings.search.budget if budget is None else budget,
            path=path,
            source=source,
            tags=tags,
            include_drafts=not no_drafts,
            mode=mode,
        )
        if explain:
            told = services.explain(request)
            if as_json:
                print_json(asdict(told))
            else:
                print_lines(*explanation_text(told).split("\n"))
            return
        answer = services.search(request)
        if as_json or urls or sys.stdout.isatty():  # an agent that reads the text pays for nothing
            answer = services.with_addresses(answer)
    if as_json:
        print_json(answer_json(answer))
    else:
        print_answer(answer_text(answer), answer.hits, urls=urls)
