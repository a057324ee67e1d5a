"""The process an MCP client starts: answers at once, runs the real server only for tool calls.

Standard library only and small, since every session has one. `initialize` and `tools/list` are
answered from `tools.json`. The first `tools/call` starts the real server from its own environment,
greets it as the client greeted us, and from then on lines pass through unchanged. All modules are
loaded at the start, so that the plugin's folder may be replaced under a running session.
"""

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120

from front_answers import Answers
from front_environment import Environment
from front_session import Buildable, Limits, Session


def serve(answers: Answers, environment: Buildable, limits: Limits) -> None:
    """Serve one client on stdin and stdout until it leaves or a signal ends us."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)
    Session(answers, environment, limits).run()


def _leave(signum: int, frame: object) -> NoReturn:  # noqa: ARG001
    """End by way of the `finally` that also ends the child."""
    raise SystemExit(0)


def main() -> None:
    """Serve the client that started us."""
    folder = Path(__file__).resolve().parent
    answers = Answers((folder / "tools.json").read_text(encoding="utf-8"))
    serve(answers, Environment(folder.parent), Limits())


if __name__ == "__main__":
    main()
