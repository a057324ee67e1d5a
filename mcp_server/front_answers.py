"""What the front says itself: handshake and tool list from `tools.json`, and why a call failed."""

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, object]

FACT_TOOLS = "kb_memory_"
"""How the names of the tools begin that need an assignment."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
EMPTY_LISTS = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
"""Asked by clients that don't look at the capabilities first; there are none."""
CLAUDE_CODE = "claude-code"
"""Its name in `clientInfo`, and that of its instructions: the session hook says the rest."""


class Answers:
    """Answers to everything but tool calls."""

    def __init__(
        self, tools_json: str, has_assignment: "Callable[[], bool]" = lambda: False
    ) -> None:
        """Take the text of `tools.json`, so that the file may vanish later.

        Args:
            tools_json: the text.
            has_assignment: whether facts have an assignment here: else there are no tools for them.
        """
        self._has_assignment = has_assignment
        texts = json.loads(tools_json)
        self._server = texts["serverInfo"]
        self._versions = texts["protocolVersions"]
        self._instructions = texts["instructions"]
        self._tools = texts["tools"]

    def initialize(self, request_id: object, hello: Json) -> bytes:
        """The handshake: the version the client asked for where we speak it, else our newest."""
        asked = hello.get("protocolVersion")
        client = hello.get("clientInfo")
        name = client.get("name") if isinstance(client, dict) else None
        who = CLAUDE_CODE if name == CLAUDE_CODE else "other"
        return result(
            request_id,
            {
                "protocolVersion": asked if asked in self._versions else self._versions[-1],
                "capabilities": {"tools": {"listChanged": False}},
                "serverInfo": self._server,
                "instructions": self._instructions[who],
            },
        )

    def other(self, request_id: object, method: str) -> bytes:
        """Any request that needs no search."""
        if method == "tools/list":
            return result(request_id, {"tools": self._listed()})
        if method == "ping":
            return result(request_id, {})
        if method in EMPTY_LISTS:
            return result(request_id, {EMPTY_LISTS[method]: []})
        return error(request_id, METHOD_NOT_FOUND, f"method not found: {method[:100]}")

    def _listed(self) -> "list[Json]":
        tools: list[Json] = self._tools
        if self._has_assignment():
            return tools
        return [tool for tool in tools if not str(tool["name"]).startswith(FACT_TOOLS)]

    def first_hello(self) -> Json:
        """What to greet the real server with for a client that never sent `initialize`."""
        return {
            "protocolVersion": self._versions[-1],
            "capabilities": {},
            "clientInfo": {"name": "unknown", "version": "0"},
        }


def result(request_id: object, value: Json) -> bytes:
    """A JSON-RPC answer, one line."""
    return _line({"jsonrpc": "2.0", "id": request_id, "result": value})


def error(request_id: object, code: int, message: str) -> bytes:
    """A JSON-RPC error, one line; `request_id` is None where the request had no readable one."""
    return _line({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})


def failed_call(request_id: object, text: str) -> bytes:
    """A tool result the model reads as an error, one line."""
    content = [{"type": "text", "text": text}]
    return result(request_id, {"content": content, "isError": True})


def request(request_id: object, method: str, params: Json) -> bytes:
    """A request of our own, one line."""
    return _line({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})


def notification(method: str, params: Json | None = None) -> bytes:
    """A notification of our own, one line."""
    message: Json = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return _line(message)


def first_folder(answer: Json) -> str:
    """Path of the first folder that a client's answer to `roots/list` names; empty without one."""
    from urllib.parse import unquote, urlsplit

    found = answer.get("result")
    roots = found.get("roots") if isinstance(found, dict) else None
    for root in roots if isinstance(roots, list) else []:
        uri = root.get("uri") if isinstance(root, dict) else None
        if isinstance(uri, str) and uri.startswith("file://"):
            return unquote(urlsplit(uri).path)
    return ""


def key(request_id: object) -> str:
    """A request's id as a dictionary key that keeps 1 and "1" apart."""
    return json.dumps(request_id)


def _line(message: Json) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()
