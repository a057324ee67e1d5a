"""Serve the tools over stdin and stdout until stdin closes: `python -m pit_memory.server`."""

import argparse
import gc
import logging
import os
import sys
from pathlib import Path
from threading import Thread

from pit_memory.workspace.installation import hold, model_is_pending


def main() -> int:
    """Serve one client about one project: the given one, else the one that encloses this folder."""
    parser = argparse.ArgumentParser(prog="pit-memory serve")
    parser.add_argument("--root", type=Path, help="the project; default: the enclosing repository")
    root: Path | None = parser.parse_args().root
    prefix = Path(sys.prefix)
    hold(prefix)
    # Before the import: FastMCP would read the project's `.env`, and draw boxes around its log.
    os.environ["FASTMCP_ENV_FILE"] = os.devnull
    os.environ["FASTMCP_LOG_ENABLED"] = "false"
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    logging.getLogger("fastmcp").setLevel(logging.ERROR)  # The agent reads its wrong arguments.

    # The libraries make 100,000 objects that stay: going through them over and over is a third of
    # the start, and later 50 ms in the middle of some answer.
    gc.disable()
    from pit_memory.server.factory import build_server
    from pit_memory.server.on_demand import ServicesOnDemand
    from pit_memory.wiring import import_services, open_services, settings_stamp

    services = ServicesOnDemand(
        lambda: open_services(root, background="thread"),
        lambda: model_is_pending(prefix),
        lambda: settings_stamp(root),
    )
    server = build_server(services)
    gc.freeze()
    gc.enable()
    Thread(target=import_services, args=(root,), name="imports").start()
    try:
        server.run("stdio", show_banner=False)
    finally:
        services.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
