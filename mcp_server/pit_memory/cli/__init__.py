"""The command line: parse, call one operation, render. Results go to stdout, talk to stderr."""

import gc
import sys
from collections.abc import Sequence

_COLLECTED_AFTER = 100_000
"""New objects: a command lives shortly, and looking through what it keeps is a tenth of parsing."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0 done (finding nothing is done), 1 the user must act, 2 usage, 3 a defect of ours.
    """
    from pit_memory.cli.app import run

    gc.set_threshold(_COLLECTED_AFTER, *gc.get_threshold()[1:])

    return run(sys.argv[1:] if argv is None else argv)
