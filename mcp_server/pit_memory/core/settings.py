"""The settings: one record, one table of keys made from it, and the reading of values.

A key is one line: a field of a table's record, made by `key`. Everything else (validation, the
environment's names, the reference page, the trust rule) comes from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Setter = Literal["project", "person"]
"""Who may set a key at most: `person` keys in a project's file are reported and ignored."""


@dataclass(frozen=True, slots=True)
class DocsSettings:
    """What is indexed."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    max_file_bytes: int = 10_000_000


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a search answers."""

    limit: int = 5
    budget: int = 800
    boost: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The model behind search by meaning."""

    provider: Literal["builtin", "none"] = "builtin"


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value."""

    docs: DocsSettings = DocsSettings()
    search: SearchSettings = SearchSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()


@dataclass(frozen=True, slots=True)
class Key:
    """A row of the table of keys."""

    name: str
    """Dotted, as in TOML."""
    type: str
    """What a value must be, in words."""
    default: object
    doc: str
    """One line."""
    by: Setter
    environment: str
    """Name of its environment variable; empty where it has none."""


def nearest(name: str, known: Mapping[str, object]) -> str | None:
    """Return the known name that a mistyped one most likely means."""
    raise NotImplementedError
