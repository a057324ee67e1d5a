"""How a failed call is told to an agent: one line with argument, value and bound, or the reason."""

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastmcp.exceptions import ToolError

from pit_memory.core.text.safe_text import safe_name
from pit_memory.errors import PitMemoryError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

SHOWN_VALUE_CHARS = 60
"""Longer values are cut in an error line."""
_SHOWN_NAMES = 5
"""Of arguments that there are not; of more it says how many."""
PLAIN_WORDS = (
    ("less than or equal to", "at most"),
    ("greater than or equal to", "at least"),
    ("a valid integer", "a whole number"),
    ("a valid boolean", "true or false"),
    ("a valid", "a"),
)
"""How pydantic says it, how we do."""
DEFECT = (
    "pit-memory failed with a defect of its own ({name}), not because of your arguments; "
    "the server's log has the details. Use grep meanwhile."
)


@contextmanager
def errors_for_the_agent() -> Iterator[None]:
    """Let the agent read what it can act on."""
    try:
        yield
    except PitMemoryError as error:
        raise ToolError(" ".join(str(error).split("\n")), log_level=logging.INFO) from error


def argument_errors(errors: "Sequence[ErrorDetails]", known: Sequence[str]) -> str:
    """Every wrong argument of a call on one line: argument, value, bound.

    Args:
        errors: what pydantic found.
        known: names of the tool's arguments.
    """
    unknown = [_name(error) for error in errors if error["type"] == "unexpected_keyword_argument"]
    lines = [_wrong_value(error) for error in errors if _name(error) not in unknown]
    if unknown:
        more = len(unknown) - _SHOWN_NAMES
        names = ", ".join(map(safe_name, unknown[:_SHOWN_NAMES])) + (
            f" and {more:,} more" if more > 0 else ""
        )
        lines.append(f"{names}: no such argument; there are {', '.join(known)}")
    return "; ".join(lines)


def _wrong_value(error: "ErrorDetails") -> str:
    if error["type"] == "missing_argument":
        return f"{_name(error)}: missing; it is required"
    bound = error["msg"].split(" should ", 1)[-1].split(",", 1)[0]
    for technical, plain in PLAIN_WORDS:
        bound = bound.replace(technical, plain)
    return f"{_name(error)}: {_shown(error['input'])} must {bound}"


def _name(error: "ErrorDetails") -> str:
    return ".".join(str(part) for part in error["loc"])


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= SHOWN_VALUE_CHARS else text[:SHOWN_VALUE_CHARS] + "…"
