"""What a setting takes: each kind of value with its words, its check and its form on one line."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from pit_memory.core.incidents.import_mapping import mapping_of
from pit_memory.core.text.globs import Globs
from pit_memory.core.text.nearest import nearest
from pit_memory.errors import UsageError

T = TypeVar("T")


class OutsideError(ValueError):
    """A value names something outside the tree it speaks of."""


class Takes(Generic[T]):
    """A kind of value. No dataclass: hooks that read one setting import this."""

    __slots__ = ("parse", "read", "words")

    def __init__(
        self, words: str, read: Callable[[object], T], parse: Callable[[str], object] | None
    ) -> None:
        self.words = words
        """What is expected, as in "expected ...": `a whole number from 1 to 100`."""
        self.read = read
        """From a value as TOML gives it. Raises ValueError, with what was expected, or
        OutsideError.
        """
        self.parse = parse
        """From one line of text to a value as TOML gives it; None where no line can hold one."""


def whole_number(at_least: int, at_most: int) -> Takes[int]:
    """Take an integer between two bounds, both included."""
    words = f"a whole number from {at_least:,} to {at_most:,}"

    def read(value: object) -> int:
        if (
            not isinstance(value, int)
            or isinstance(value, bool)
            or not at_least <= value <= at_most
        ):
            raise ValueError(words)
        return value

    def parse(text: str) -> object:
        try:
            return int(text)
        except ValueError:
            return text

    return Takes(words, read, parse)


def one_of(*choices: str) -> Takes[str]:
    """Take one of a few words."""
    words = " or ".join(f'"{choice}"' for choice in choices)

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(words)
        return value

    return Takes(words, read, str)


def tables_of(make: Callable[..., T], columns: Mapping[str, Takes[Any]]) -> Takes[tuple[T, ...]]:
    """Take a list of tables (`[[name]]`), each made into a record; every column may be missing."""
    words = f"a list of tables with {', '.join(columns)}"

    def read_table(value: object) -> T:
        if not isinstance(value, dict):
            raise ValueError(words)  # noqa: TRY004 -- every wrong value is one error to the caller
        made = {}
        for name, item in value.items():
            if name not in columns:
                hint = nearest(name, columns)
                message = f"{words}, not {name!r}" + (f" (did you mean {hint!r}?)" if hint else "")
                raise ValueError(message)
            try:
                made[name] = columns[name].read(item)
            except ValueError as error:
                raise type(error)(f"{error} as {name!r}") from error
        return make(**made)

    def read(value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise ValueError(words)  # noqa: TRY004 -- as above
        return tuple(read_table(item) for item in value)

    return Takes(words, read, None)


def _read_globs(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(GLOBS.words)
    for glob in value:
        _stay_inside(glob)
    try:
        Globs(value)
    except UsageError as error:
        message = f"{GLOBS.words} ({error})"
        raise ValueError(message) from error
    return tuple(value)


def _read_path(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(PATH.words)
    if value.startswith("/"):
        message = f"a path inside the tree, not {value!r}"
        raise OutsideError(message)
    _stay_inside(value)
    return value


def _stay_inside(path: str) -> None:
    if ".." in path.split("/") or path.startswith("~") or "\0" in path:
        message = f"a path inside the tree, not {path!r}"
        raise OutsideError(message)


def _split_at_commas(text: str) -> object:
    return [item.strip() for item in text.split(",") if item.strip()]


GLOBS: Takes[tuple[str, ...]] = Takes("a list of globs", _read_globs, _split_at_commas)
"""Globs (`core.text.globs`) below the root; on one line separated by commas."""


def _read_mapping(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(FIELD_MAPPING.words)
    mapping_of(value)
    return tuple(value)


FIELD_MAPPING: Takes[tuple[str, ...]] = Takes(
    'a list of "field = key"', _read_mapping, _split_at_commas
)
"""Fields of incident records, each with the key of an export that holds it."""

PATH: Takes[str] = Takes("a path relative to the root", _read_path, str)
"""A path, or a glob of folders, below the root."""


def text(words: str, fits: Callable[[str], bool] = bool) -> Takes[str]:
    """Take one line of text, or an empty one for "not set".

    Args:
        words: what is expected.
        fits: whether a text that isn't empty can be taken.
    """

    def read(value: object) -> str:
        if not isinstance(value, str) or not value.isprintable() or (value and not fits(value)):
            raise ValueError(words)
        return value

    return Takes(words, read, str)


def table_of(make: Callable[..., T], columns: Mapping[str, Takes[Any]]) -> Takes[T | None]:
    """Take one table (`[name]`), made into a record; on one line it is written as JSON.

    Every column may be missing; a table without any is the same as none.
    """
    several = tables_of(make, columns)
    words = f"a table with {', '.join(columns)}"

    def read(value: object) -> T | None:
        if value is None or value == {}:
            return None
        if not isinstance(value, dict):
            raise ValueError(words)  # noqa: TRY004 -- every wrong value is one error to the caller
        return several.read([value])[0]

    def parse(line: str) -> object:
        try:
            return json.loads(line)
        except ValueError:
            return line

    return Takes(words, read, parse)


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(FLAG.words)  # noqa: TRY004 -- every wrong value is one error to the caller
    return value


def _parse_flag(line: str) -> object:
    return {"true": True, "false": False}.get(line.strip().lower(), line)


def _read_names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(
        isinstance(item, str) and item.strip() and item.isprintable() for item in value
    ):
        raise ValueError(NAMES.words)
    return tuple(item.strip() for item in value)


def _is_web_address(value: str) -> bool:
    return re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", value) is not None


FLAG: Takes[bool] = Takes("true or false", _read_flag, _parse_flag)

NAMES: Takes[tuple[str, ...]] = Takes("a list of names", _read_names, _split_at_commas)
"""On one line separated by commas."""

WEB_ADDRESS: Takes[str] = text("an address that begins with http:// or https://", _is_web_address)
"""Without a user name, a question mark or a fragment."""

FILE: Takes[str] = text("an absolute path of a file", lambda value: value.startswith("/"))
"""Outside of any tree."""
