"""The settings of push memory, read without any other: a hook must be quick."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pit_memory.core.memory_entries import DEFAULT_HOME
from pit_memory.core.records import NamedTuple
from pit_memory.core.session_block import DEFAULT_BUDGET
from pit_memory.workspace.files import read_bytes
from pit_memory.workspace.places import Places, person_settings, project_settings

HOME_VARIABLE, BUDGET_VARIABLE = "PIT_MEMORY_MEMORY_HOME", "PIT_MEMORY_PUSH_BUDGET"
_MOST_BYTES = 1_000_000
_TABLES = (b"memory", b"push")
"""A file that holds neither word says nothing of push memory."""


class PushSettings(NamedTuple):
    """Where a project's entries are, and how much a session gets."""

    home: str = DEFAULT_HOME
    """`memory.home`, relative to the root."""
    budget: int = DEFAULT_BUDGET
    """`push.budget`, in tokens."""


def push_settings(root: Path, where: Places, environ: Mapping[str, str]) -> PushSettings:
    """Read `memory.home` and `push.budget`, as `settings_files.load` would.

    Raises:
        SettingsError: a file that speaks of them can't be read, or a value isn't what it must be.
    """
    try:
        said = list(_said(root, where, environ))
        return _checked(said) if said else PushSettings()
    except (OSError, ValueError):
        pass
    from pit_memory.workspace.settings_files import load  # says what is wrong, and where

    settings = load(root, where, environ).settings
    return PushSettings(settings.memory.home, settings.push.budget)


class _Said(NamedTuple):
    home: object
    budget: object
    is_trusted: bool


def _said(root: Path, where: Places, environ: Mapping[str, str]) -> Iterator[_Said]:
    """Yield what each place says, the weakest first; None for what it doesn't."""
    for file, is_trusted in ((person_settings(where), True), (project_settings(root), False)):
        try:
            data = read_bytes(file, _MOST_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not any(table in data for table in _TABLES):
            continue
        import tomllib  # as dear as the rest of a hook, and mostly not needed

        tables = tomllib.loads(data.decode("utf-8-sig"))
        yield _Said(_value(tables, "memory", "home"), _value(tables, "push", "budget"), is_trusted)
    home, budget = environ.get(HOME_VARIABLE), environ.get(BUDGET_VARIABLE)
    if home or budget:
        yield _Said(home or None, int(budget) if budget else None, is_trusted=True)


def _value(tables: Mapping[str, object], table: str, name: str) -> object:
    values = tables.get(table, {})
    if not isinstance(values, dict):
        raise ValueError(table)  # noqa: TRY004 -- all that is wrong is told by one place
    return values.get(name)


def _checked(said: list[_Said]) -> PushSettings:
    from pit_memory.core.push_setting_values import BUDGET, HOME
    from pit_memory.core.setting_values import OutsideError

    settings = PushSettings()
    for place in said:
        try:
            if place.home is not None:
                settings = settings._replace(home=HOME.read(place.home))
        except OutsideError:
            if place.is_trusted:
                raise
        if place.budget is not None:
            settings = settings._replace(budget=BUDGET.read(place.budget))
    return settings
