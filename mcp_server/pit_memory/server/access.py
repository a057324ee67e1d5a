"""What a connection may see and do, in one place: whatever tools ask, they ask through this."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from fastmcp.exceptions import NotFoundError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext

from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.answers.read_answers import ReadAnswer
from pit_memory.core.facts.fact_answers import ChangeReceipt, RecallAnswer, StoreReceipt
from pit_memory.core.facts.facts import NewFact, is_fact_ref
from pit_memory.core.serving.access import Access, Need
from pit_memory.core.serving.server_folders import ServerFolders
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.core.writing.receipts import WriteReceipt
from pit_memory.errors import PitMemoryError
from pit_memory.operations.searching.search import SearchRequest
from pit_memory.server.tools import Services

if TYPE_CHECKING:
    from fastmcp.tools.base import Tool, ToolResult
    from mcp_types import CallToolRequestParams, ListToolsRequest

Told = TypeVar(
    "Told", SearchAnswer, RecallAnswer, ReadAnswer, WriteReceipt, StoreReceipt, ChangeReceipt
)
WhoAsks = Callable[[], Access]
"""Asked at each call, in its thread: what the connection of this call may see and do."""
HIDES_NOTHING = ServerFolders()


class ServicesByAccess:
    """The services as one connection sees them (`server.tools.Services`)."""

    def __init__(
        self, services: Services, who_asks: WhoAsks, folders: ServerFolders = HIDES_NOTHING
    ) -> None:
        self._services = services
        self._who_asks = who_asks
        self._folders = folders

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Search what exists for who asks; facts by their assignment alone."""
        with self._asked() as access:
            if request.collection == "facts":
                asked = replace(request, assignment=access.assignment)
            else:
                audiences = () if access.sees_all else access.audiences
                asked = replace(request, audiences=audiences, assignment=None)
            return self._told(self._services.search(asked), access)

    def recall(self, query: str, limit: int) -> RecallAnswer:
        """Answer a question with facts of who asks."""
        with self._asked() as access:
            return self._told(self._services.recall(access, query, limit), access)

    def store_fact(self, new: NewFact) -> StoreReceipt:
        """Store one fact for who asks."""
        with self._asked() as access:
            return self._told(self._services.store_fact(access, new), access)

    def retract_fact(self, fact_id: str, reason: str) -> ChangeReceipt:
        """Take a fact of who asks back."""
        with self._asked() as access:
            return self._told(self._services.retract_fact(access, fact_id, reason), access)

    def read(self, ref: str, budget: int, *, links: bool = False) -> ReadAnswer:
        """Read what exists for who asks; facts by their assignment alone."""
        with self._asked() as access:
            if is_fact_ref(ref):
                return self._told(self._services.read_fact(access, ref, budget), access)
            found = self._services.read(ref, budget, access.audiences, links=links)
            return self._told(found, access)

    def write(self, request: WriteRequest) -> WriteReceipt:
        """Write as who asks."""
        with self._asked() as access:
            return self._told(self._services.write(replace(request, access=access)), access)

    @contextmanager
    def _asked(self) -> Iterator[Access]:
        """Who asks; an error names them no folder of the server, unless they sit at it."""
        access = self._who_asks()
        try:
            yield access
        except PitMemoryError as error:
            if not access.is_local:
                error.args = (self._folders.without(str(error)), *error.args[1:])
            raise

    def _told(self, answer: "Told", access: Access) -> "Told":
        return answer if access.is_local else self._folders.of(answer)


class ToolsByAccess(Middleware):
    """Lets each connection list and call only the tools that exist for it."""

    def __init__(
        self, needs: Mapping[str, Need], who_asks: WhoAsks, is_left_out: Callable[[str], bool]
    ) -> None:
        """Take what each tool needs, by its name; tools that aren't named are there for nobody."""
        self._needs = needs
        self._who_asks = who_asks
        self._is_left_out = is_left_out

    async def on_list_tools(
        self,
        context: "MiddlewareContext[ListToolsRequest]",
        call_next: "CallNext[ListToolsRequest, Sequence[Tool]]",
    ) -> "Sequence[Tool]":
        """List what exists for who asks."""
        return [tool for tool in await call_next(context) if self.exists(tool.name)]

    async def on_call_tool(
        self,
        context: "MiddlewareContext[CallToolRequestParams]",
        call_next: "CallNext[CallToolRequestParams, ToolResult]",
    ) -> "ToolResult":
        """Pass on a call of a tool that exists for who asks; another one is as good as unknown."""
        if not self.exists(context.message.name):
            message = f"Unknown tool: {context.message.name!r}"
            raise NotFoundError(message)
        return await call_next(context)

    def exists(self, tool: str) -> bool:
        """Tell whether a tool is there for who asks now."""
        need = self._needs.get(tool)
        if need is None or self._is_left_out(tool):
            return False
        return self._who_asks().meets(need)
