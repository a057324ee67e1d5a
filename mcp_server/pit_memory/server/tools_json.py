"""Write what `mcp_server/front.py` answers with: `python -m pit_memory.server.tools_json FILE`."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from fastmcp import Client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from pit_memory import __version__
from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.answers.read_answers import ReadAnswer
from pit_memory.core.facts.fact_answers import ChangeReceipt, RecallAnswer, StoreReceipt
from pit_memory.core.facts.facts import NewFact
from pit_memory.core.serving.access import LOCAL, Access
from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.core.writing.receipts import WriteReceipt
from pit_memory.operations.searching.search import SearchRequest
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

    def recall(self, access: Access, query: str, limit: int) -> RecallAnswer:
        self._refuse(access, query, limit)

    def store_fact(self, access: Access, new: NewFact) -> StoreReceipt:
        self._refuse(access, new)

    def retract_fact(self, access: Access, fact_id: str, reason: str) -> ChangeReceipt:
        self._refuse(access, fact_id, reason)

    def read_fact(self, access: Access, ref: str, budget: int) -> ReadAnswer:
        self._refuse(access, ref, budget)

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


def _somebody() -> Access:
    """Lists every tool; the front leaves out those of facts where no assignment is resolved."""
    return replace(LOCAL, assignment="any")


async def _listed_tools() -> list[object]:
    async with Client(build_server(_NeverAsked(), who_asks=_somebody)) as client:
        tools = await client.list_tools()
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(tools_json(), encoding="utf-8")
