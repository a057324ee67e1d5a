"""The settings of push memory, read without any other: a hook must be quick."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pit_memory.core.push.memory_entries import DEFAULT_HOME
from pit_memory.core.push.session_block import DEFAULT_BUDGET
from pit_memory.core.records import NamedTuple
from pit_memory.workspace.compiled_push import BUDGET_VARIABLE, HOME_VARIABLE
from pit_memory.workspace.places import Places, person_settings, project_settings
from pit_memory.workspace.settings_tables import tables_naming


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
        if tables := tables_naming(file, "memory", "push"):
            home, budget = _value(tables, "memory", "home"), _value(tables, "push", "budget")
            yield _Said(home, budget, is_trusted)
    variables = environ.get(HOME_VARIABLE), environ.get(BUDGET_VARIABLE)
    if any(variables):
        home, budget = variables[0] or None, int(variables[1]) if variables[1] else None
        yield _Said(home, budget, is_trusted=True)


def _value(tables: Mapping[str, object], table: str, name: str) -> object:
    values = tables.get(table, {})
    if not isinstance(values, dict):
        raise ValueError(table)  # noqa: TRY004 -- all that is wrong is told by one place
    return values.get(name)


def _checked(said: list[_Said]) -> PushSettings:
    from pit_memory.core.settings.push_setting_values import BUDGET, HOME
    from pit_memory.core.settings.setting_values import OutsideError

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
