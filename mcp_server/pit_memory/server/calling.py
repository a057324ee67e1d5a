"""Calls the tools: checks their arguments, and words what goes wrong for the agent."""

import inspect
import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from pydantic import TypeAdapter, ValidationError

from pit_memory.server.errors import DEFECT, argument_errors

if TYPE_CHECKING:
    from mcp_types import CallToolRequestParams

Tool = Callable[..., str]

log = logging.getLogger("pit_memory.server")


class WrongArgumentsError(Exception):
    """What an agent got wrong, on one line."""


class ToolCaller(Middleware):
    """The tools by name; safe to call from several threads where they are.

    As the last middleware it answers every call.
    """

    def __init__(self, tools: Collection[Tool], exists: Callable[[str], bool]) -> None:
        """Take the tools.

        Args:
            tools: functions with annotated arguments, called by their own names.
            exists: tells whether a tool, by its name, is there for who asks now.
        """
        self._tools = {tool.__name__: _CheckedTool(tool) for tool in tools}
        self.exists = exists
        self.defects: Counter[str] = Counter()
        """Unexpected exceptions so far, by type."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Answer a call of a tool that exists, in this thread.

        Raises:
            ToolError: one line for the agent; its cause is what went wrong.
        """
        tool = self._tools[name]
        try:
            return tool.with_arguments(arguments)()
        except ToolError:
            raise
        except WrongArgumentsError as error:
            raise ToolError(str(error), log_level=logging.INFO) from error
        except Exception as error:
            kind = type(error).__name__
            self.defects[kind] += 1
            log.warning("%s in %s, %d so far", kind, name, self.defects[kind])
            raise ToolError(DEFECT.format(name=kind), log_level=logging.INFO) from error

    async def on_call_tool(
        self,
        context: "MiddlewareContext[CallToolRequestParams]",
        call_next: "CallNext[CallToolRequestParams, ToolResult]",  # noqa: ARG002
    ) -> ToolResult:
        """Answer a call in a thread of its own, so that others are heard meanwhile."""
        asked = context.message
        text = await to_thread.run_sync(self.call, asked.name, asked.arguments or {})
        return ToolResult(text)


class _CheckedTool:
    """A tool with what checks its arguments, made at its first call."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    def with_arguments(self, given: Mapping[str, Any]) -> Callable[[], str]:
        """The call to make; raises WrongArgumentsError, which says all that is wrong."""
        try:
            call: Callable[[], str] = self._arguments.validate_python(given)
        except ValidationError as error:
            known = [*inspect.signature(self._tool).parameters]
            message = argument_errors(error.errors(include_url=False), known)
            raise WrongArgumentsError(message) from error
        return call

    @cached_property
    def _arguments(self) -> TypeAdapter[Any]:
        @wraps(self._tool)
        def call(*positional: object, **named: object) -> Callable[[], str]:
            return partial(self._tool, *positional, **named)

        checked: Any = call  # a function is as good as a type to it
        return TypeAdapter(checked)
