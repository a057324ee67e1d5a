"""Make the MCP server: FastMCP with our tools, limits and wording of errors."""

import inspect
from typing import TYPE_CHECKING

from fastmcp import FastMCP

from pit_memory import __version__
from pit_memory.core.access import LOCAL, Access, Need
from pit_memory.server.access import ServicesByAccess, ToolsByAccess, WhoAsks
from pit_memory.server.errors import OneLineErrors
from pit_memory.server.texts import ELSEWHERE
from pit_memory.server.tool_calls import ToolCalls
from pit_memory.server.tools import Services, Tools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NAME = "pit-memory"
ALWAYS_LOADED = {"anthropic/alwaysLoad": True}
"""Without it Claude Code shows the model only the tool's name, behind another tool."""
READ_ONLY = {"readOnlyHint": True}
ADDS_ONLY = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
"""New files of this machine; nothing that is there is changed."""
NEEDS: "Mapping[str, Need]" = {
    "docs_search": "nothing",
    "docs_read": "nothing",
    "incidents_search": "nothing",
    "memory_write": "writes",
}
"""What each tool asks of a connection."""


def _local() -> Access:
    return LOCAL


def build_server(
    services: Services,
    instructions: str = ELSEWHERE,
    who_asks: WhoAsks = _local,
    calls: ToolCalls | None = None,
) -> FastMCP:
    """Make the MCP server over a set of services; it holds no state of its own.

    Tools answer in plain text: next to structured content the model would not see the text.

    Args:
        services: what the tools ask.
        instructions: what clients are told about the server as a whole.
        who_asks: what the connection of a call may see and do.
        calls: counts and logs them; None where nobody wants to know.
    """
    tools = Tools(ServicesByAccess(services, who_asks))
    always: tuple[Callable[..., str], ...] = (tools.docs_search,)
    on_demand: tuple[Callable[..., str], ...] = (tools.incidents_search, tools.docs_read)
    writing: tuple[Callable[..., str], ...] = (tools.memory_write,)
    arguments = {
        tool.__name__: tuple(inspect.signature(tool).parameters)
        for tool in (*always, *on_demand, *writing)
    }
    server = FastMCP(
        name=NAME,
        version=__version__,
        instructions=instructions,
        mask_error_details=True,
        middleware=[
            *([calls] if calls else []),
            ToolsByAccess(NEEDS, who_asks),
            OneLineErrors(arguments),
        ],
    )
    for tool in always:
        server.tool(tool, output_schema=None, annotations=READ_ONLY, meta=ALWAYS_LOADED)
    for tool in on_demand:
        server.tool(tool, output_schema=None, annotations=READ_ONLY)
    for tool in writing:
        server.tool(tool, output_schema=None, annotations=ADDS_ONLY)
    return server
