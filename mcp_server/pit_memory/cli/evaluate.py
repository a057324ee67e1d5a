"""`pit-memory eval`: measure retrieval on your own questions."""

from pathlib import Path

import click

from pit_memory.cli.options import mode_option, root_option
from pit_memory.core.answers.answers import Mode
from pit_memory.core.text.plurals import counted


@click.group()
def command() -> None:
    """Measure retrieval on your own questions."""


@command.command()
@click.option(
    "--queries",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="Q.jsonl",
    help='Questions, one JSON object a line: {"id", "query", "exclude"?, "scope"?}.',
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="RUN.jsonl",
    help='Results, one JSON object a line: {"query_id", "results": [{"path", "anchor"}]}.',
)
@click.option(
    "--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="Results a query."
)
@click.option(
    "--collection",
    type=click.Choice(["docs", "incidents", "facts"]),
    default=None,
    help="Where to search [default: docs; incidents where there are no docs].",
)
@mode_option
@root_option
def run(
    queries: Path,
    out: Path,
    limit: int,
    collection: str | None,
    mode: Mode | None,
    root: Path | None,
) -> None:
    """Answer every question of a file through the search path, ranking only.

    Finishes the words first, and the meaning where it is asked; then one line a question, best
    result first. Score the file with any tool for ranked retrieval. With `--collection facts` the
    `scope` of a question is its assignment, a result's path `<assignment>/facts` and its anchor the
    id that the fact was imported with.
    """
    from pit_memory.cli.given_files import text_of
    from pit_memory.cli.render import progress_bar, say
    from pit_memory.cli.sync import finish_index
    from pit_memory.operations.searching.evaluate import parse_queries, run_line
    from pit_memory.wiring import open_services
    from pit_memory.workspace.files import write_atomic

    questions = parse_queries(text_of(queries.read_bytes(), str(queries)).splitlines())
    with open_services(root, background="none") as services:
        if collection == "facts":
            scopes = {question.scope for question in questions if question.scope}
            services.finish_facts(scopes, meaning=mode != "keyword")
        else:
            finish_index(services, meaning=mode != "keyword")
        lines = []
        with progress_bar("Answering", "queries") as bar:
            for result in services.evaluate(
                questions, limit=limit, collection=collection, mode=mode
            ):
                lines.append(run_line(result))
                if bar:
                    bar(len(lines), len(questions))
    write_atomic(out, "".join(f"{line}\n" for line in lines).encode())
    say(f"{counted(len(lines), 'query', 'queries')} answered -> {out}")


@command.command()
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="Q.jsonl",
    help='Questions to write, as `eval run` takes them: {"id", "query", "type", "exclude"?}.',
)
@click.option(
    "--gold",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="GOLD.jsonl",
    help='What should be found, to write: {"query_id", "path", "anchor", "rel"}.',
)
@click.option(
    "--limit", type=click.IntRange(1), default=500, show_default=True, help="Questions at most."
)
@root_option
def make(out: Path, gold: Path, limit: int, root: Path | None) -> None:
    """Make a question set from your own documents, to measure with.

    What stands around a link is asked, and its target is what should be found; the page that the
    link stands on is left out of the results. A heading that is a question asks for its section.
    """
    from pit_memory.cli.render import say
    from pit_memory.cli.sync import finish_index
    from pit_memory.core.search.question_sets import gold_line, query_line
    from pit_memory.wiring import open_services
    from pit_memory.workspace.files import write_atomic

    with open_services(root, background="none") as services:
        finish_index(services, meaning=False)
        questions = services.make_questions(limit)
    write_atomic(out, "".join(f"{query_line(it)}\n" for it in questions).encode())
    write_atomic(gold, "".join(f"{gold_line(it)}\n" for it in questions).encode())
    if not questions:
        say("no questions: no document links another, and no heading ends in a question mark")
        return
    say(f"{counted(len(questions), 'question')} -> {out}, what should be found -> {gold}")
