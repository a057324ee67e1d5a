"""A server over HTTP in this process, over a project with a page for each of two audiences."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pit_memory.core.settings.server_settings import AuthSettings, ServerSettings
from pit_memory.operations.upkeep.freshness import Freshness
from pit_memory.operations.upkeep.tokens import add_token
from pit_memory.server.factory import NEEDS, build_server
from pit_memory.server.http import HttpPlace, access_of_request, authenticator, http_application
from pit_memory.server.push_hook import HookRules, PushHook
from pit_memory.server.tool_calls import ToolCalls
from pit_memory.server.watching import Watching
from pit_memory.wiring import open_services, server_folders
from pit_memory.workspace.token_file import TokenFile
from tests.builders import write_files
from tests.mcp.asgi import MCP_HEADERS, request, running, tool_call

PUBLIC = HttpPlace("0.0.0.0", 8484)  # noqa: S104 -- nothing listens
SEARCH = tool_call("docs_search", query="zanzibar valve")
DOCS = {
    "docs/team.md": "# Zanzibar for the team\n\nThe zanzibar valve is opened by hand.\n",
    "docs/customer.md": "---\naudience: customer\n---\n# Zanzibar for customers\n\nCall us.\n",
}
SCRAPER = "a secret of the scraper"

Serve = Callable[..., "Server"]


def token(tokens, name="agent", **changed):
    given = {"assignment": None, "audiences": ["team"], "writes": False, "expires": "90d"}
    return add_token(tokens, name, **(given | changed)).secret


class Server:
    """A server over a project, asked one request at a time."""

    def __init__(self, services, settings, who, log_content=False):
        self.meter = services.meter
        self.app = build_server(
            services,
            who_asks=access_of_request,
            calls=ToolCalls(NEEDS, self.meter, log_content=log_content),
            folders=server_folders(services.root, services.settings),
        )
        freshness = Freshness(None, services.sync, 600.0)
        Watching(services, self.meter, freshness).add_routes(self.app)
        PushHook(HookRules("", (), ()), freshness.wake, self.meter).add_route(self.app)
        self.asgi = http_application(self.app, settings, who, self.meter)

    def ask(self, *requests):
        """The answers to several requests, in order; each is (method, path, keyword arguments)."""

        async def ask():
            async with running(self.asgi):
                return [
                    await request(self.asgi, method, path, **more)
                    for method, path, more in requests
                ]

        return asyncio.run(ask())

    def call(self, secret=None, body=SEARCH, **more):
        headers = MCP_HEADERS | ({"authorization": f"Bearer {secret}"} if secret else {})
        return self.ask(("POST", "/mcp", {"headers": headers, "body": body, **more}))[0]


@contextmanager
def serving(folder: Path, tokens: TokenFile) -> Iterator[Serve]:
    """Make servers over one project; the arguments are settings of the table `server`."""
    project = write_files(folder, DOCS)
    with open_services(project, background="none", shared=True, canary=True) as services:

        def serve(
            auth: AuthSettings = AuthSettings(),  # noqa: B008
            place: HttpPlace = PUBLIC,
            log_content: bool = False,
            **settings: Any,
        ) -> Server:
            made = ServerSettings(metrics_token=SCRAPER, **settings)
            return Server(services, made, authenticator(auth, tokens, place), log_content)

        yield serve
