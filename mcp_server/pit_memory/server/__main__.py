"""Serve the tools over stdin and stdout, or over HTTP: `python -m pit_memory.server [--http]`."""

import argparse
import gc
import logging
import os
import signal
import sys
from pathlib import Path
from threading import Thread

from pit_memory.core.text.safe_text import safe_line
from pit_memory.errors import PitMemoryError, UsageError, exit_code
from pit_memory.workspace.installation import hold
from pit_memory.workspace.standard_streams import open_closed_streams, why_no_client

_COLLECTED_AFTER = 50_000
"""New objects: a call makes thousands and frees them as it ends. Going through them every 700 was a
fifteenth of it, and now and then 30 ms in one call."""


def main() -> int:
    """Serve about one project: the given one, else the one that encloses this folder."""
    closed = open_closed_streams()
    options = _options()
    if not options.http and (why := why_no_client(closed)):
        return _stopped_by(UsageError(why))
    hold(Path(sys.prefix))
    # Before the import: FastMCP would read the project's `.env`, and draw boxes around its log.
    os.environ["FASTMCP_ENV_FILE"] = os.devnull
    os.environ["FASTMCP_LOG_ENABLED"] = "false"
    os.environ.setdefault("FASTMCP_TELEMETRY_MODE", "off")  # spans of each call that nobody reads
    # As `bin/pit-memory` does: threads that scan vectors wait for each other longer than they work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_COLLECTED_AFTER, *gc.get_threshold()[1:])
    if not options.http:
        return _serve_client(options.root)
    from pit_memory.server.team import serve_team

    try:
        serve_team(
            options.root,
            {
                "server.host": options.host,
                "server.port": options.port,
                "server.certfile": options.certfile,
                "server.keyfile": options.keyfile,
                "server.allowed_hosts": options.allow_host,
            },
        )
    except PitMemoryError as error:
        return _stopped_by(error)
    return 0


def _stopped_by(error: PitMemoryError) -> int:
    """Say what failed, no terminal obeys a name in it, and return the exit code."""
    for line in f"pit-memory: {error}".split("\n"):
        print(safe_line(line), file=sys.stderr)
    return exit_code(error)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="pit-memory serve")
    parser.add_argument("--root", type=Path, help="the project; default: the enclosing repository")
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--certfile")
    parser.add_argument("--keyfile")
    parser.add_argument("--allow-host", action="append")
    return parser.parse_args()


def _serve_client(root: Path | None) -> int:
    """Serve one client over stdin and stdout until stdin closes or a signal ends us."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else we are to ignore it
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # an exception would wait for the client
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    logging.getLogger("fastmcp").setLevel(logging.ERROR)  # The agent reads its wrong arguments.

    # The libraries make 100,000 objects that stay: going through them over and over is a third of
    # the start, and later 50 ms in the middle of some answer.
    gc.disable()
    from pit_memory.server.factory import build_server
    from pit_memory.server.on_demand import ServicesOnDemand
    from pit_memory.server.stdio import serve
    from pit_memory.wiring import (
        import_services,
        meaning_is_pending,
        open_services,
        settings_watch,
        who_asks_here,
    )

    services = ServicesOnDemand(
        lambda: open_services(root, background="thread"),
        lambda: meaning_is_pending(root),
        settings_watch(root),
    )
    server = build_server(services, who_asks=who_asks_here(root))
    gc.freeze()
    gc.enable()
    Thread(target=import_services, args=(root,), name="imports").start()
    try:
        serve(server)
    finally:
        services.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
