"""The process an MCP client starts: answers at once, runs the real server behind it.

Standard library only and small, since every session has one. `initialize` and `tools/list` are
answered from `tools.json`. The real server is started from its own environment in the first quiet
moment, or by the first `tools/call`; we greet it as the client greeted us, and from then on lines
pass through unchanged. What isn't needed for the handshake is loaded right after it, so that the
plugin's folder may then be replaced under a running session.
"""

import os
import signal
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - no pathlib yet
sys.path.insert(0, FOLDER)

from front_answers import Answers  # noqa: E402
from front_session import Limits, Session  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from front_session import Buildable


def serve(answers: Answers, find_environment: "Callable[[], Buildable]", limits: Limits) -> None:
    """Serve one client on stdin and stdout until it leaves or a signal ends us."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    # Clients of the open plugin format start a server in the plugin's folder, not in the project.
    elsewhere = os.path.realpath(os.curdir) == os.path.realpath(os.path.dirname(FOLDER))  # noqa: PTH120
    asks = elsewhere and "--root" not in sys.argv
    Session(answers, find_environment, limits, asks_for_folder=asks).run()


def _leave(signum: int, frame: object) -> "NoReturn":  # noqa: ARG001
    """End by way of the `finally` that also ends the child."""
    raise SystemExit(0)


def _find_environment() -> "Buildable":
    from pathlib import Path

    from front_environment import Environment

    arguments = sys.argv[2:]  # What follows `serve` is for the real server.
    return Environment(Path(FOLDER).resolve().parent, arguments)


def _has_assignment() -> bool:
    from front_assignment import is_resolved

    return is_resolved(sys.argv[2:])


def _open_closed_streams() -> None:
    """Do without stderr; end where there is no way to speak to a client."""
    from pit_memory.errors import UsageError, exit_code
    from pit_memory.workspace.standard_streams import open_closed_streams, why_no_client

    if why := why_no_client(open_closed_streams()):
        print(f"pit-memory: {why}", file=sys.stderr)
        raise SystemExit(exit_code(UsageError(why)))


def main() -> None:
    """Serve the client that started us."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_closed_streams()
    with open(f"{FOLDER}/tools.json", encoding="utf-8") as file:  # noqa: PTH123
        answers = Answers(file.read(), _has_assignment)
    serve(answers, _find_environment, Limits())


if __name__ == "__main__":
    main()
