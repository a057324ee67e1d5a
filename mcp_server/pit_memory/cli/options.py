"""Options that several commands share, spelled once."""

from pathlib import Path

import click

root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=True),
    default=None,
    metavar="DIR",
    help="The tree to work on [default: the enclosing git repository, else this folder].",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
mode_option = click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    help="Which legs to ask [default: both, where both can run].",
)
force_option = click.option(
    "--force", is_flag=True, help="Write it though something near it is there."
)
