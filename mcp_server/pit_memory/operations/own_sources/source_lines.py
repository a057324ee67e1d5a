"""Write, change and remove the lines of added sources in a settings file; the rest stays as it is.

Comments, order and line ends are kept, a new file is made where there was none.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import tomlkit
from tomlkit.items import AoT, Array, InlineTable, Table

from pit_memory.core.settings.added_sources import AddedSource
from pit_memory.errors import SettingsError
from pit_memory.workspace.files import make_folder, read_bytes, reason, write_atomic
from pit_memory.workspace.settings_tables import MAX_FILE_BYTES

SourcesTable = Literal["docs", "personal"]
"""The table whose `sources` hold the line: the project's or the person's."""


def add_line(file: Path, table: SourcesTable, source: AddedSource) -> None:
    """Add a source at the end of its list.

    Raises:
        SettingsError: the file can't be read or is not TOML.
        StorageFullError: it can't be written.
    """
    values = _values(source)

    def add(document: tomlkit.TOMLDocument) -> None:
        lines = _lines(document, table)
        if isinstance(lines, Array):
            lines.append(_filled(tomlkit.inline_table(), values))
        else:
            lines.append(_filled(tomlkit.table(), values))

    _edit(file, add)


def set_projects(file: Path, name: str, projects: Sequence[str]) -> None:
    """Set in which projects a person's source is searched; an empty list takes the key away."""

    def change(document: tomlkit.TOMLDocument) -> None:
        for line in _lines(document, "personal"):
            if line["name"] == name:
                line["projects"] = list(projects)
                if not projects:
                    del line["projects"]

    _edit(file, change)


def remove_line(file: Path, table: SourcesTable, name: str) -> None:
    """Remove a source; a list that is empty then goes, and its table if that holds nothing else."""

    def remove(document: tomlkit.TOMLDocument) -> None:
        lines = _lines(document, table)
        for number in reversed(range(len(lines))):
            if lines[number]["name"] == name:
                del lines[number]
        if not len(lines):
            del document[table]["sources"]
        if not len(document[table]):
            del document[table]

    _edit(file, remove)


def _values(source: AddedSource) -> dict[str, Any]:
    lists = {"include": source.include, "exclude": source.exclude, "projects": source.projects}
    return {
        "name": source.name,
        "path": source.path,
        **{key: list(value) for key, value in lists.items() if value},
    }


def _filled(line: "Table | InlineTable", values: dict[str, Any]) -> "Table | InlineTable":
    for key, value in values.items():
        line[key] = value
    return line


def _lines(document: tomlkit.TOMLDocument, table: SourcesTable) -> Any:  # noqa: ANN401 -- tomlkit's own kinds of list
    """The list of sources, made where it is missing or empty."""
    if table not in document:
        document[table] = tomlkit.table(is_super_table=True)
    owner: Any = document[table]
    if "sources" in owner and not len(owner["sources"]):
        del owner["sources"]
    if "sources" not in owner:
        owner.append("sources", AoT([]))
    return owner["sources"]


def _edit(file: Path, change: Callable[[tomlkit.TOMLDocument], None]) -> None:
    try:
        text = read_bytes(file, MAX_FILE_BYTES).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "it is not UTF-8"
        message = f"can't read {file}: {why}; correct it or move it away"
        raise SettingsError(message) from error
    document = tomlkit.parse(text)
    change(document)
    written = tomlkit.dumps(document)
    if text and not text.endswith("\n"):
        written = written.rstrip("\n") + "\n"
    make_folder(file.parent)
    write_atomic(file, written.encode())
