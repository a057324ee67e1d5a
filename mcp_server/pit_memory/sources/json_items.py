"""Items of JSON exports, one after another: an export of any size in bounded memory."""

import json
from collections.abc import Iterator
from typing import IO

_CHUNK = 1 << 16
"""Characters read at once."""
_MAX_ITEM = 50_000_000
"""Characters of one item; an export of issues has none near it."""
_LISTS = ("issues", "items", "incidents", "records", "data")
"""Keys under which exports hold their list."""

Item = tuple[int, object, str]
"""Number of a line or an item (from 1), its value, and why it has none (then the value is None)."""


def json_lines(stream: IO[str]) -> Iterator[Item]:
    """The objects of a JSONL stream by line; a line that is none is told with its number."""
    for number, line in enumerate(stream, start=1):
        if line.strip():
            try:
                yield number, json.loads(line), ""
            except (ValueError, RecursionError) as error:
                yield number, None, f"not JSON ({error})"


def json_items(stream: IO[str]) -> Iterator[Item]:
    """The items of a list, or of an object that holds one, or the object itself.

    A list is read item by item; what stands behind a broken one can't be read.
    """
    buffer = stream.read(_CHUNK).lstrip("\ufeff \t\r\n")
    if buffer.startswith("["):
        yield from _list_items(stream, buffer[1:])
        return
    try:
        value = json.loads(buffer + stream.read(_MAX_ITEM))
    except (ValueError, RecursionError) as error:
        yield 1, None, f"not JSON ({error})"
        return
    held = (
        next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
        if (isinstance(value, dict))
        else None
    )
    for number, item in enumerate(held if held is not None else [value], start=1):
        yield number, item, ""


def _list_items(stream: IO[str], buffer: str) -> Iterator[Item]:
    decoder = json.JSONDecoder()
    number = 0
    while True:
        buffer = buffer.lstrip(", \t\r\n")
        if buffer.startswith("]"):
            return
        try:
            value, end = decoder.raw_decode(buffer)
        except (ValueError, RecursionError) as error:
            more = stream.read(max(_CHUNK, len(buffer)))  # doubles: a large item is tried few times
            if not more or len(buffer) > _MAX_ITEM:
                yield number + 1, None, f"not JSON ({error}); what follows can't be read"
                return
            buffer += more
            continue
        if end == len(buffer) and (more := stream.read(_CHUNK)):  # a number may go on
            buffer += more
            continue
        number += 1
        yield number, value, ""
        buffer = buffer[end:]
