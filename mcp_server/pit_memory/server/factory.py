"""Make the MCP server: FastMCP with our tools, limits and wording of errors."""

import inspect
from functools import wraps
from typing import TYPE_CHECKING

from fastmcp import FastMCP
from fastmcp.server.middleware.tool_injection import ToolInjectionMiddleware
from fastmcp.tools.base import Tool
from mcp_types import ToolAnnotations

from pit_memory import __version__
from pit_memory.core.serving.access import LOCAL, Access, Need
from pit_memory.core.serving.server_folders import ServerFolders
from pit_memory.server.access import HIDES_NOTHING, ServicesByAccess, ToolsByAccess, WhoAsks
from pit_memory.server.calling import ToolCaller
from pit_memory.server.lean_schema import lean
from pit_memory.server.texts import ELSEWHERE
from pit_memory.server.tool_calls import ToolCalls
from pit_memory.server.tools import Services, Tools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fastmcp.server.middleware import Middleware

NAME = "pit-memory"
ALWAYS_LOADED = {"anthropic/alwaysLoad": True}
"""Without it Claude Code shows the model only the tool's name, behind another tool."""
READ_ONLY = ToolAnnotations(read_only_hint=True)
ADDS_ONLY = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
"""New files of this machine; nothing that is there is changed."""
TAKES_BACK = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
WRITE_TOOL = "memory_write"
NEEDS: "Mapping[str, Need]" = {
    "docs_search": "nothing",
    "docs_read": "nothing",
    "incidents_search": "nothing",
    WRITE_TOOL: "writes",
    "kb_memory_store": "facts to write",
    "kb_memory_recall": "assignment",
    "kb_memory_retract": "facts to write",
}
"""What each tool asks of a connection."""


def _local() -> Access:
    return LOCAL


def _without_docstring(tool: "Callable[..., str]") -> "Callable[..., str]":
    """The same tool to call; FastMCP would load a parser to look for arguments in its docstring."""

    @wraps(tool)
    def call(*positional: object, **named: object) -> str:
        return tool(*positional, **named)

    call.__doc__, call.__qualname__ = None, call.__name__  # by which the class's would be found
    return call


class ToolServer(FastMCP):
    """FastMCP, and what answers the calls of its tools."""

    def __init__(
        self, caller: ToolCaller, middleware: "Sequence[Middleware]", instructions: str
    ) -> None:
        """Take what answers, what sees its calls before, and what clients are told."""
        super().__init__(
            name=NAME,
            version=__version__,
            instructions=instructions,
            mask_error_details=True,
            middleware=[*middleware, caller],
        )
        self.caller = caller


def build_server(
    services: Services,
    instructions: str = ELSEWHERE,
    who_asks: WhoAsks = _local,
    calls: ToolCalls | None = None,
    is_left_out: "Callable[[str], bool]" = lambda tool: False,  # noqa: ARG005 -- none is
    folders: ServerFolders = HIDES_NOTHING,
) -> ToolServer:
    """Make the MCP server over a set of services; it holds no state of its own.

    Tools answer in plain text: next to structured content the model would not see the text.

    Args:
        services: what the tools ask.
        instructions: what clients are told about the server as a whole.
        who_asks: what the connection of a call may see and do.
        calls: counts and logs them; None where nobody wants to know.
        is_left_out: tells at each call whether a tool, by its name, is there for nobody now.
        folders: of the server, which nobody is told of who asks from elsewhere.
    """
    tools = Tools(ServicesByAccess(services, who_asks, folders))
    always: tuple[Callable[..., str], ...] = (tools.docs_search,)
    on_demand: tuple[Callable[..., str], ...] = (
        tools.incidents_search,
        tools.docs_read,
        tools.kb_memory_recall,
    )
    writing: tuple[Callable[..., str], ...] = (tools.memory_write, tools.kb_memory_store)
    taking_back: tuple[Callable[..., str], ...] = (tools.kb_memory_retract,)
    hints = {
        **dict.fromkeys((*always, *on_demand), READ_ONLY),
        **dict.fromkeys(writing, ADDS_ONLY),
        **dict.fromkeys(taking_back, TAKES_BACK),
    }
    made = [
        Tool.from_function(
            _without_docstring(function),
            description=inspect.getdoc(function),
            output_schema=None,
            annotations=annotations,
            meta=ALWAYS_LOADED if function in always else None,
        )
        for function, annotations in hints.items()
    ]
    by_access = ToolsByAccess(NEEDS, who_asks, is_left_out)
    caller = ToolCaller(hints, by_access.exists)
    return ToolServer(
        caller,
        [
            *([calls] if calls else []),
            by_access,
            # Added to the server, each call would be looked up in what a session may have hidden:
            # 0.2 s of imports in the first one.
            ToolInjectionMiddleware(
                [tool.model_copy(update={"parameters": lean(tool.parameters)}) for tool in made]
            ),
        ],
        instructions,
    )
