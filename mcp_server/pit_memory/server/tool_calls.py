"""Counts and logs each call of a tool; what was asked is in the log only where that is wanted."""

import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from fastmcp.exceptions import FastMCPError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext

from pit_memory.errors import PitMemoryError
from pit_memory.operations.meter import Meter
from pit_memory.server.calling import WrongArgumentsError
from pit_memory.server.request_log import event

if TYPE_CHECKING:
    from fastmcp.tools.base import ToolResult
    from mcp_types import CallToolRequestParams


class ToolCalls(Middleware):
    """Sees every call before and after it; goes in front of the middleware that rewords errors."""

    def __init__(self, tools: Collection[str], meter: Meter, *, log_content: bool) -> None:
        """Take the tools there are; a call of another one counts as `other`."""
        self._tools = tools
        self._meter = meter
        self._log_content = log_content

    async def on_call_tool(
        self,
        context: "MiddlewareContext[CallToolRequestParams]",
        call_next: "CallNext[CallToolRequestParams, ToolResult]",
    ) -> "ToolResult":
        """Pass a call on and say what came of it."""
        began = time.perf_counter()
        outcome = "refused"
        try:
            result = await call_next(context)
        except FastMCPError as error:
            told = PitMemoryError | WrongArgumentsError
            if error.__cause__ is not None and not isinstance(error.__cause__, told):
                outcome = "defect"
            raise
        else:
            outcome = "ok"
            return result
        finally:
            tool = context.message.name if context.message.name in self._tools else "other"
            self._meter.count("pit_memory_tool_calls_total", tool, outcome)
            content = {"arguments": context.message.arguments} if self._log_content else {}
            milliseconds = round((time.perf_counter() - began) * 1000)
            event("tool", tool=tool, outcome=outcome, ms=milliseconds, **content)
