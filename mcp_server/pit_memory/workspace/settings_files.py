"""Reading settings: the person's file, the project's file, the environment, flags.

The trust rule: a project's file comes with a clone, so it may only speak about its own tree. What
else it says is reported and ignored.

A wrong key is an error to whoever writes or checks; whoever only asks is answered without it, and
told (`core.settings.setting_mistakes` says of which keys this is not so).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pit_memory.core.settings.setting_keys import Key
from pit_memory.core.settings.setting_mistakes import Mistake, guards, shown_value
from pit_memory.core.settings.setting_values import OutsideError
from pit_memory.core.settings.settings import KEYS, TABLES, Settings, settings_of
from pit_memory.core.text.nearest import nearest
from pit_memory.core.text.safe_text import safe_line
from pit_memory.errors import SettingsError
from pit_memory.workspace.files import read_bytes, reason
from pit_memory.workspace.places import Places, person_settings, project_settings
from pit_memory.workspace.settings_tables import MAX_FILE_BYTES

ENVIRONMENT_PREFIX = "PIT_MEMORY_"
NOT_SETTINGS = frozenset({"PIT_MEMORY_DATA", "PIT_MEMORY_CONFIG", "PIT_MEMORY_PLUGIN_ROOT"})
"""Variables of our own that are no keys: folders (`workspace.places`), what the launcher says."""

_HEADER = re.compile(r"\s*\[\[?\s*([\w.-]+)\s*\]")
_ASSIGNMENT = re.compile(r"\s*([\w.-]+)\s*=")


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, where each value came from, and what was ignored."""

    settings: Settings
    problems: tuple[str, ...]
    """What was ignored and why, one line each; for answers and `status`."""
    origins: Mapping[str, str]
    """Key to the file, variable or flag that set it; keys at their default are missing."""
    mistakes: tuple[Mistake, ...] = ()
    """Those of the problems that are wrong keys; none unless they were to be left out."""

    def refuse_mistakes(self, table: str = "") -> None:
        """Raise SettingsError where a key is wrong: for whoever writes by these settings.

        Args:
            table: only keys of this one, or of one like it; empty for all.
        """
        for mistake in self.mistakes:
            if not table or nearest(mistake.key.partition(".")[0], [table]):
                raise SettingsError(mistake.message)


def load(
    root: Path | None,
    where: Places,
    environ: Mapping[str, str],
    flags: Mapping[str, object] | None = None,
    *,
    lenient: bool = False,
) -> LoadedSettings:
    """Read the settings that hold for a project.

    Strength grows: defaults, the person's file, the project's file, environment, flags.

    Args:
        root: the project's root; None outside of any.
        where: tells where the person's file is.
        environ: variables; an empty one counts as unset.
        flags: values by dotted key, as TOML would give them.
        lenient: for whoever only asks: a wrong key is reported and ignored, unless it may keep
            something from being told.

    Raises:
        SettingsError: a file can't be read or is not TOML, a key is unknown, or a value is not what
            its key takes.
    """
    person_file = person_settings(where)
    found = _Found(person_file, lenient=lenient)
    found.read_file(person_file, trusted=True)
    if root is not None:
        found.read_file(project_settings(root), trusted=False)
    found.read_environment(environ)
    for name, value in (flags or {}).items():
        found.take_named(name, value, "flag", trusted=True)
    settings = settings_of(found.values)
    return LoadedSettings(settings, tuple(found.problems), found.origins, tuple(found.mistakes))


class _Found:
    """What was found so far; a later value replaces an earlier one."""

    def __init__(self, person_file: Path, *, lenient: bool) -> None:
        self._person_file = person_file
        self._lenient = lenient
        self.values: dict[str, object] = {}
        self.origins: dict[str, str] = {}
        self.problems: list[str] = []
        self.mistakes: list[Mistake] = []

    def read_file(self, path: Path, *, trusted: bool) -> None:
        text = _text_of(path, may_be_nowhere=not trusted)
        if text is None:
            return
        lines = _key_lines(text)
        for table, content in _parse(text, path).items():
            for name, value in _entries(table, content):
                place = f"{path}:{lines[name]}" if name in lines else str(path)
                self.take_named(name, value, place, trusted=trusted)

    def read_environment(self, environ: Mapping[str, str]) -> None:
        by_variable = {key.environment: key for key in KEYS.values() if key.takes.parse}
        for variable, text in sorted(environ.items()):
            if not variable.startswith(ENVIRONMENT_PREFIX) or variable in NOT_SETTINGS or not text:
                continue
            key = by_variable.get(variable)
            if key is None or key.takes.parse is None:
                hint = _hint(variable, by_variable)
                self.problems.append(f"{variable} is no setting and is ignored{hint}")
            else:
                self.take(key, key.takes.parse(text), variable, trusted=True)

    def take_named(self, name: str, value: object, place: str, *, trusted: bool) -> None:
        """Take a value by the name of its key, which need not be one."""
        if key := KEYS.get(name):
            self.take(key, value, place, trusted=trusted)
            return
        if name in TABLES:
            why = f"{name} is a table; write [{name}] and its keys below it"
        else:
            why = f"there is no setting {name}{_hint(name, KEYS, TABLES)}"
        self._refuse(name, value, place, why, trusted=trusted)

    def take(self, key: Key, value: object, place: str, *, trusted: bool) -> None:
        """Check a value and keep it; what an untrusted file may not say becomes a problem."""
        if key.by == "person" and not trusted and value not in key.harmless:
            self.problems.append(
                f"{place}: {key.name} is ignored, as a project may not set it; "
                f"set it in {self._person_file}"
                + (f" or as {key.environment}" if key.environment else "")
            )
            return
        try:
            checked = key.takes.read(value)
        except OutsideError as error:
            if trusted:
                self._refuse_value(key, value, place, error, trusted=trusted)
            else:
                self.problems.append(f"{place}: {key.name} is ignored: expected {error}")
            return
        except ValueError as error:
            self._refuse_value(key, value, place, error, trusted=trusted)
            return
        self.values[key.name] = checked
        self.origins[key.name] = place

    def _refuse_value(
        self, key: Key, value: object, place: str, error: ValueError, *, trusted: bool
    ) -> None:
        why = f"{key.name} = {shown_value(key.name, value)}: expected {error}"
        self._refuse(key.name, value, place, why, trusted=trusted)

    def _refuse(self, name: str, value: object, place: str, why: str, *, trusted: bool) -> None:
        """Raise for a mistake; where it may be left out, keep what is to be said of it."""
        message = f"{place}: {why}"
        if not self._lenient:
            raise SettingsError(message)
        if guards(name, value):
            kept = (
                f"until it is corrected nothing is answered: {name} may keep files out of answers"
            )
            raise SettingsError(f"{message}; {kept}")
        said = "" if name in KEYS else f"; {name} = {shown_value(name, value)}"
        what, step = f"{message}{said}", "correct it or take it away"
        problem = safe_line(f"{what} is ignored; {step}")
        self.problems.append(problem)
        self.mistakes.append(Mistake(name, safe_line(f"{what}; {step}"), problem, trusted))


def _text_of(path: Path, *, may_be_nowhere: bool) -> str | None:
    """Return a settings file's text; None where there is none.

    Args:
        path: the file.
        may_be_nowhere: its folder may be a file, of which a search says more than we could.
    """
    try:
        return read_bytes(path, MAX_FILE_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except OSError as error:
        if may_be_nowhere and isinstance(error, NotADirectoryError):
            return None
        is_below_file = isinstance(error, NotADirectoryError)
        why = "a file is where a folder should be" if is_below_file else reason(error)
        message = f"can't read {path}: {why}; correct it or move it away"
        raise SettingsError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8"
        raise SettingsError(message) from error


def _parse(text: str, path: Path) -> dict[str, object]:
    import tomllib  # 5 ms that a start without settings files need not pay

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"{path} is not TOML: {error}; correct that line"
        raise SettingsError(message) from error
    except RecursionError as error:
        message = f"{path} is nested too deeply; take brackets away"
        raise SettingsError(message) from error


def _entries(table: str, content: object) -> list[tuple[str, object]]:
    """Return the dotted names and values of one table; what isn't one stands for itself."""
    if table in TABLES and isinstance(content, dict):
        return [(f"{table}.{name}", value) for name, value in content.items()]
    return [(table, content)]


def _key_lines(text: str) -> dict[str, int]:
    """Find the line of each key by its look; good enough to point at it."""
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            name = table = header[1]
        elif assignment := _ASSIGNMENT.match(line):
            name = f"{table}.{assignment[1]}" if table else assignment[1]
        else:
            continue
        lines.setdefault(name, number)
    return lines


def _hint(name: str, *known: Iterable[str]) -> str:
    """The nearest name, of the first group that has one."""
    meant = next(filter(None, (nearest(name, names) for names in known)), None)
    return (
        f"; did you mean {meant}?" if meant else "; pit-memory's configuration reference lists all"
    )
