"""What an agent is told of a tool's arguments: names, types and defaults that tell something.

Every schema is in every session. Bounds are checked all the same: the error names argument, value
and bound in one line.
"""

from collections.abc import Mapping
from typing import Any

_SAYS_NOTHING: tuple[object, ...] = (None, "", False)
"""Defaults that mean "not given"."""
_BOUNDS = frozenset(("minLength", "maxLength", "minimum", "maximum"))


def lean(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a tool's arguments, as it is shown."""
    properties = {name: _property(it) for name, it in schema["properties"].items()}
    return {**schema, "properties": properties}


def _property(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key not in _BOUNDS}
    if kept.get("default", True) in _SAYS_NOTHING:
        del kept["default"]
    choices = [it for it in kept.pop("anyOf", ()) if it != {"type": "null"}]
    if len(choices) == 1:
        kept |= choices[0]
    elif choices:
        kept["anyOf"] = choices
    return kept
