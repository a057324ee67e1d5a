"""What the real server would drop without an answer, so that the client would wait for ever."""

import json

TYPE_CHECKING = False  # `typing` itself would cost more than all our own files.
if TYPE_CHECKING:
    from front_answers import Json

MAX_NESTING = 100
"""Levels of lists and objects; the real server's parser gives up at 200."""


def why_unreadable(line: bytes, message: "Json") -> str:
    """Say why the real server can't read a request that is JSON; empty where it can."""
    if message.get("jsonrpc") != "2.0":
        return 'not a JSON-RPC 2.0 message; it needs "jsonrpc": "2.0"'
    if not isinstance(message.get("params", {}), (dict, type(None))):
        return "the params must be an object"
    if line.count(b"[") + line.count(b"{") > MAX_NESTING and _nests_deeper(message, MAX_NESTING):
        return f"it nests lists and objects deeper than {MAX_NESTING} levels"
    if b"\\ud" in line.lower() and _has_half_a_character(message):
        return "a text has half of a character (a lone surrogate) in it; leave it out"
    return ""


def _nests_deeper(value: object, levels: int) -> bool:
    below = [value]
    for _ in range(levels + 1):
        lists = [item for item in below if isinstance(item, list)]
        objects = [item for item in below if isinstance(item, dict)]
        below = [item for found in lists for item in found]
        below += [item for found in objects for item in found.values()]
    return bool(below)


def _has_half_a_character(message: "Json") -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
