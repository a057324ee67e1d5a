"""Write what `mcp_server/front.py` answers with: `python -m pit_memory.server.tools_json FILE`."""

import asyncio
import json
import sys
from pathlib import Path
from typing import NoReturn

from fastmcp import Client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from pit_memory import __version__
from pit_memory.core.answers import SearchAnswer
from pit_memory.core.read_answers import ReadAnswer
from pit_memory.core.receipts import WriteReceipt
from pit_memory.operations.search import SearchRequest
from pit_memory.operations.write import WriteRequest
from pit_memory.server.factory import NAME, build_server
from pit_memory.server.texts import ELSEWHERE, IN_CLAUDE_CODE


class _NeverAsked:
    """Services behind a server that only lists its tools."""

    def search(self, request: SearchRequest) -> SearchAnswer:
        self._refuse(request)

    def read(
        self, ref: str, budget: int, audiences: tuple[str, ...], *, links: bool = False
    ) -> ReadAnswer:
        self._refuse(ref, budget, audiences, links)

    def write(self, request: WriteRequest) -> WriteReceipt:
        self._refuse(request)

    def _refuse(self, *asked: object) -> NoReturn:
        raise AssertionError(asked)


def tools_json() -> str:
    """The text of `tools.json`: same server, same bytes."""
    texts = {
        "serverInfo": {"name": NAME, "version": __version__},
        "protocolVersions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "instructions": {"claude-code": IN_CLAUDE_CODE, "other": ELSEWHERE},
        "tools": asyncio.run(_listed_tools()),
    }
    return json.dumps(texts, indent=1, ensure_ascii=False) + "\n"


async def _listed_tools() -> list[object]:
    async with Client(build_server(_NeverAsked())) as client:
        tools = await client.list_tools()
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(tools_json(), encoding="utf-8")
