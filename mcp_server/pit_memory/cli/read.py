"""`pit-memory read`: print what a citation points at."""

from pathlib import Path

import click

from pit_memory.cli.options import json_option, root_option


@click.command(
    epilog="""\b
Examples:
  pit-memory read docs/keys.md#rotation@5d41c0aa
  pit-memory read docs/keys.md:L40-L58
  pit-memory read docs/keys.md
"""
)
@click.argument("ref")
@click.option("--budget", type=int, metavar="TOKENS", help="Size of the answer [default: 2000].")
@click.option("--links", is_flag=True, help="Also where its links lead, and what links to it.")
@click.option("--all-links", is_flag=True, help="The same, however many links there are.")
@root_option
@json_option
def command(
    ref: str,
    budget: int | None,
    links: bool,
    all_links: bool,
    root: Path | None,
    as_json: bool,
) -> None:
    """Print what a citation points at, from the file.

    REF is what a search printed: path#anchor@hash; the path begins at the root of the tree,
    wherever you are. The anchor, a line range or the hash may be left out. With a hash the answer
    says whether the text is the same, moved, changed or gone.
    """
    from pit_memory.cli.render import print_answer, print_json
    from pit_memory.core.answers.read_text import read_json, read_text
    from pit_memory.core.facts.facts import is_fact_ref
    from pit_memory.operations.reading.read import DEFAULT_BUDGET
    from pit_memory.wiring import address_of, read_ref

    answer = read_ref(
        root,
        ref,
        DEFAULT_BUDGET if budget is None else budget,
        links=links or all_links,
        all_links=all_links,
    )
    if as_json:
        url = None if is_fact_ref(ref) else address_of(root, answer)
        print_json({**read_json(answer), "url": url})
    else:
        print_answer(read_text(answer))
