"""Options that several commands share, spelled once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=True),
    default=None,
    metavar="DIR",
    help="The tree to work on [default: the enclosing git repository, else this folder].",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
