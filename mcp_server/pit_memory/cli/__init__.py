"""The command line: parse, call one operation, render. Results go to stdout, talk to stderr."""

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0 done (finding nothing is done), 1 the user must act, 2 usage, 3 a defect of ours.
    """
    from pit_memory.cli.app import run

    return run(sys.argv[1:] if argv is None else argv)
