"""Sources that a person added: lines of the settings, checked, and the names they may have."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from pit_memory.core.settings.setting_values import GLOBS, PATH, Takes, tables_of

RESERVED_NAMES = frozenset({"personal-memory", "claude-memory", "pit-memory-canary"})
"""Sources that are there by themselves (`wiring`)."""
_NAME = re.compile(r"\w[\w.-]{0,63}")
_NOT_IN_A_NAME = re.compile(r"[^\w.-]+")
_NAME_WORDS = "a name of letters, digits, `.`, `-` and `_`"
_OUTSIDE_WORDS = "an absolute path, or one that begins with ~/"


@dataclass(frozen=True, slots=True)
class AddedSource:
    """One folder that a person added, as the settings say it."""

    name: str
    path: str
    """A project's: relative to its root. A person's: absolute, or `~/...`."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    """A person's source: roots of the projects where it is searched, in the form of `path`."""


def is_name(name: str) -> bool:
    """Tell whether a source may be called so."""
    return _NAME.fullmatch(name) is not None and name not in RESERVED_NAMES


def name_for(folder: str, taken: Collection[str]) -> str:
    """A free name for a folder: its own without what citations encode, numbered if need be."""
    name = _NOT_IN_A_NAME.sub("-", folder).strip("-._")[:40].rstrip("-._") or "source"
    free, number = name, 2
    while free in taken or not is_name(free):
        free, number = f"{name}-{number}", number + 1
    return free


def _made(
    name: str = "",
    path: str = "",
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    projects: tuple[str, ...] = (),
) -> AddedSource:
    if not name or not path:
        message = "tables with a `name` and a `path`"
        raise ValueError(message)
    return AddedSource(name, path, include, exclude, projects)


def _read_name(value: object) -> str:
    if not isinstance(value, str) or not is_name(value):
        raise ValueError(_NAME_WORDS)
    return value


def _read_outside(value: object) -> str:
    if not isinstance(value, str) or not value.startswith(("/", "~/")) or "\0" in value:
        raise ValueError(_OUTSIDE_WORDS)
    return value


def _read_projects(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(_PROJECTS.words)  # noqa: TRY004 -- every wrong value is one error
    return tuple(map(_read_outside, value))


def _each_once(takes: Takes[tuple[AddedSource, ...]]) -> Takes[tuple[AddedSource, ...]]:
    def read(value: object) -> tuple[AddedSource, ...]:
        sources = takes.read(value)
        names = [source.name for source in sources]
        for name in names:
            if names.count(name) > 1:
                message = f"each name once; {name!r} stands there {names.count(name)} times"
                raise ValueError(message)
        return sources

    return Takes(takes.words, read, None)


_SOURCE_NAME: Takes[str] = Takes(_NAME_WORDS, _read_name, None)
_OUTSIDE: Takes[str] = Takes(_OUTSIDE_WORDS, _read_outside, None)
_PROJECTS: Takes[tuple[str, ...]] = Takes("a list of absolute paths", _read_projects, None)
_COLUMNS: dict[str, Takes[Any]] = {"name": _SOURCE_NAME, "include": GLOBS, "exclude": GLOBS}

PROJECT_SOURCES = _each_once(tables_of(_made, {**_COLUMNS, "path": PATH}))
"""Folders of a project's own tree."""
PERSONAL_SOURCES = _each_once(
    tables_of(_made, {**_COLUMNS, "path": _OUTSIDE, "projects": _PROJECTS})
)
"""Folders anywhere on this machine."""
