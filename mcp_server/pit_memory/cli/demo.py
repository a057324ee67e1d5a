"""`pit-memory demo`: see it work on the project's own docs."""

import os
import shutil
from pathlib import Path

import click

from pit_memory.errors import SourceError

QUESTIONS = (
    "what happens to a renamed file",
    "what is in a citation",
    "PIT_MEMORY_DATA",
)
"""One in prose, one how-to, one literal: the three ways people ask."""

DEMO_BUDGET = 260
"""Tokens an answer: three answers fit on a screen."""
DEMO_HITS = 2


@click.command()
def command() -> None:
    """Index the project's own docs and answer three questions.

    Everything goes into a temporary store that is removed afterwards; nothing of yours is read.
    """
    from pit_memory.cli.render import print_answer, say
    from pit_memory.cli.sync import finish_index
    from pit_memory.core.answers.answer_text import answer_text
    from pit_memory.operations.searching.search import SearchRequest
    from pit_memory.wiring import open_services
    from pit_memory.workspace.scratch import scratch_folder

    plugin = Path(os.environ.get("PIT_MEMORY_PLUGIN_ROOT", "."))
    docs = plugin / "docs"
    if not docs.is_dir():
        raise SourceError(
            f"{docs} is not there: the demo answers from the project's own docs, so run it as "
            "`bin/pit-memory demo` from a clone. For your own docs: pit-memory search QUESTION"
        )
    with scratch_folder() as folder:
        environ = {
            **os.environ,
            "PIT_MEMORY_DATA": str(folder),
            "PIT_MEMORY_DOCS_INCLUDE": "docs/**",
        }
        with open_services(plugin, environ=environ, background="none") as services:
            finish_index(services)
            for question in QUESTIONS:
                answer = services.search(
                    SearchRequest(query=question, limit=DEMO_HITS, budget=DEMO_BUDGET)
                )
                click.echo(click.style(f'$ pit-memory search "{question}"', bold=True))
                print_answer(answer_text(answer))
                click.echo()
    name = "pit-memory" if shutil.which("pit-memory") else plugin / "bin" / "pit-memory"
    say(f'Now ask your own docs: cd there, then  {name} search "your question"')
