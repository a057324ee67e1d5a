"""Add, allow and remove sources of the person's own: lines of the settings, files never touched."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pit_memory.core.settings.added_sources import AddedSource, is_name, name_for
from pit_memory.core.source import inside
from pit_memory.core.text.globs import Globs
from pit_memory.core.text.nearest import nearest
from pit_memory.errors import NotFoundError, SourceError, UsageError
from pit_memory.operations.own_sources.source_lines import (
    SourcesTable,
    add_line,
    remove_line,
    set_projects,
)
from pit_memory.operations.searching.searched_sources import expanded, is_allowed
from pit_memory.sources.census import Census, count_documents
from pit_memory.sources.formats import ENDINGS
from pit_memory.sources.sieve import Rules
from pit_memory.workspace.places import Places, person_settings, project_settings
from pit_memory.workspace.settings_files import LoadedSettings


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a person stands when they add or remove a source."""

    root: Path
    """Of the project, or the current folder outside of any; symlinks resolved."""
    is_project: bool
    loaded: LoadedSettings
    where: Places
    home: str
    """Empty where there is none."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What of the settings is ignored, one line each."""
        return self.loaded.problems

    def refuse_wrong_list(self) -> None:
        """Raise SettingsError where the list of the person's sources is ignored, as it is wrong.

        What it names is not known then: neither which names are taken, nor what has an index.
        """
        self.loaded.refuse_mistakes("personal")

    def file(self, table: SourcesTable) -> Path:
        """The settings file that holds a table's sources."""
        return project_settings(self.root) if table == "docs" else person_settings(self.where)

    def all(self) -> list[tuple[SourcesTable, AddedSource]]:
        """Every added source, with the table it stands in."""
        settings = self.loaded.settings
        own = settings.docs.sources if self.is_project else ()
        person = settings.personal.sources
        return [*(("docs", it) for it in own), *(("personal", it) for it in person)]

    def folder(self, table: SourcesTable, added: AddedSource) -> str:
        """The real path of a source's folder."""
        if table == "docs":
            return os.path.realpath(self.root / added.path)
        return os.path.realpath(expanded(added.path, self.home))


@dataclass(frozen=True, slots=True)
class Added:
    """What `add` did."""

    name: str
    folder: str
    file: Path
    """The settings file that has the line."""
    personal: bool
    allowed_in: tuple[str, ...]
    """Projects where a personal source is searched, beside the places outside of projects."""
    census: Census
    was_there: bool
    """The folder was a source before; only the project may be new."""
    is_project_itself: bool = False
    """It is the project where the person stands, whose documents are searched there anyway."""


def add(
    desk: Desk,
    given: str,
    *,
    name: str | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    agreed: Callable[[str, Census], bool] = lambda _folder, _census: False,
) -> Added:
    """Make a folder a source: of the project where it lies inside it, else of the person.

    Args:
        desk: where the person stands.
        given: the folder as the person wrote it.
        name: what stands before `::` in its refs; None for the folder's own name.
        include: globs below the folder; none means every file of a known format.
        exclude: globs below the folder.
        agreed: asked before the whole machine or a whole home folder is added; gets the folder and
            what was counted there.

    Raises:
        SourceError: no such folder, or it is a file, or it can't be read.
        UsageError: a wrong name or glob, a name that is taken, or nobody agreed.
        SettingsError, StorageFullError: the settings file can't be changed.
    """
    desk.refuse_wrong_list()
    folder = _folder(given, desk.home)
    Globs((*include, *exclude))
    known = next(((t, it) for t, it in desk.all() if desk.folder(t, it) == folder), None)
    if known:
        return _allow_known(desk, *known, folder, name, (tuple(include), tuple(exclude)))
    names = {it.name for _, it in desk.all()}
    chosen = _checked_name(name, names) if name else name_for(Path(folder).name, names)
    census = count_documents(Path(folder), Rules(tuple(include), tuple(exclude), endings=ENDINGS))
    if _is_everything(folder, desk.home) and not agreed(folder, census):
        message = (
            f"{folder} is a whole {'home folder' if folder != '/' else 'machine'} with "
            f"{census.words()}; add a folder of it, or give --yes"
        )
        raise UsageError(message)
    relative = inside(str(desk.root), folder) if desk.is_project else None
    table: SourcesTable = "personal" if relative is None else "docs"
    path = _shortened(folder, desk.home) if relative is None else relative
    line = AddedSource(chosen, path, tuple(include), tuple(exclude))
    if table == "personal" and desk.is_project and folder != str(desk.root):
        line = replace(line, projects=(_shortened(str(desk.root), desk.home),))
    add_line(desk.file(table), table, line)
    return Added(
        chosen,
        folder,
        desk.file(table),
        table == "personal",
        line.projects,
        census,
        was_there=False,
        is_project_itself=desk.is_project and folder == str(desk.root),
    )


def allow(desk: Desk, name: str, *, project: Path | None = None, revoke: bool = False) -> Added:
    """Let a person's source be searched in a project, or no longer.

    Args:
        desk: where the person stands.
        name: of the source.
        project: its root; None for the one where the person stands.
        revoke: take the permission back.

    Raises:
        NotFoundError: there is no such source.
        SettingsError: which sources there are is not known.
        UsageError: it belongs to a project, or no project is meant.
    """
    table, added = _named(desk, name)
    if table == "docs":
        message = f"source {name!r} belongs to this project and is searched in it alone"
        raise UsageError(message)
    if project is None and not desk.is_project:
        message = (
            f"{desk.root} is no project (no git repository, no .pit-memory.toml): your sources are "
            "searched here anyway; name a project with --project"
        )
        raise UsageError(message)
    root = Path(os.path.realpath(project)) if project else desk.root
    if not revoke and not root.is_dir():
        message = f"{root} is no folder; give the root of a project"
        raise SourceError(message)
    projects = [
        it for it in added.projects if os.path.realpath(expanded(it, desk.home)) != str(root)
    ]
    if not revoke:
        projects.append(_shortened(str(root), desk.home))
    if tuple(projects) != added.projects:
        set_projects(desk.file(table), name, projects)
    folder = desk.folder(table, added)
    return Added(name, folder, desk.file(table), True, tuple(projects), Census(0, True), True)


def forget(desk: Desk, name: str) -> tuple[SourcesTable, Path] | None:
    """Take a source's line away; None where there is no such line.

    Returns:
        The table that had it, which tells the store of its index, and the file.

    Raises:
        SettingsError: which lines there are is not known, or the file can't be changed.
        StorageFullError: it can't be written.
    """
    desk.refuse_wrong_list()
    found = next(((table, it) for table, it in desk.all() if it.name == name), None)
    if found is None:
        return None
    remove_line(desk.file(found[0]), found[0], name)
    return found[0], desk.file(found[0])


def refuse_unknown(desk: Desk, names: Sequence[str]) -> None:
    """Raise for a name that is no added source's.

    Raises:
        NotFoundError: names the nearest.
        SettingsError: the list in which it may stand is ignored, as it is wrong.
    """
    known = [added.name for _, added in desk.all()]
    for name in names:
        if name not in known:
            desk.refuse_wrong_list()
            raise unknown_source(name, known)


def unknown_source(name: str, known: Sequence[str]) -> NotFoundError:
    """The error for a name that is no added source's."""
    near = nearest(name, known)
    guess = f"did you mean {near}?" if near else f"there are {', '.join(known) or 'none'}"
    return NotFoundError(f"no source {name!r} was added; {guess}")


def desk_of(
    root: Path, is_project: bool, loaded: LoadedSettings, where: Places, environ: Mapping[str, str]
) -> Desk:
    """Stand in a folder."""
    return Desk(root, is_project, loaded, where, environ.get("HOME", ""))


def _named(desk: Desk, name: str) -> tuple[SourcesTable, AddedSource]:
    refuse_unknown(desk, [name])
    return next((table, added) for table, added in desk.all() if added.name == name)


def _folder(given: str, home: str) -> str:
    path = Path(os.path.realpath(expanded(given, home)))
    if not path.exists():
        near = nearest(path.name, _names_in(path.parent))
        message = f"there is no {path}" + (f"; did you mean {path.parent / near}?" if near else "")
        raise SourceError(message)
    if not path.is_dir():
        message = (
            f"{path} is a file, and sources are folders; add its folder: "
            f"pit-memory docs add {path.parent} --include {path.name!r}"
        )
        raise SourceError(message)
    return str(path)


def _names_in(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError:
        return []


def _checked_name(name: str, taken: set[str]) -> str:
    if not is_name(name):
        message = f"--name {name!r}: expected letters, digits, `.`, `-` and `_`, not a name of ours"
        raise UsageError(message)
    if name in taken:
        message = f"--name {name!r}: another source is called so; `pit-memory docs list` names them"
        raise UsageError(message)
    return name


def _allow_known(
    desk: Desk,
    table: SourcesTable,
    added: AddedSource,
    folder: str,
    name: str | None,
    globs: tuple[tuple[str, ...], tuple[str, ...]],
) -> Added:
    """Take a folder that is a source already for a wish to search it in this project."""
    if (name and name != added.name) or (any(globs) and globs != (added.include, added.exclude)):
        message = (
            f"{folder} is the source {added.name!r} already; to change it, edit "
            f"{desk.file(table)}, or `pit-memory docs remove {added.name}` first"
        )
        raise UsageError(message)
    projects = added.projects
    here = desk.is_project and folder != str(desk.root)
    if table == "personal" and here and not is_allowed(added, desk.root, desk.home):
        projects = allow(desk, added.name).allowed_in
    census = count_documents(Path(folder), Rules(added.include, added.exclude, endings=ENDINGS))
    return Added(added.name, folder, desk.file(table), table == "personal", projects, census, True)


def _is_everything(folder: str, home: str) -> bool:
    """Whether a folder is a home, or holds one."""
    homes = {os.path.realpath(home)} if home else set()
    return folder in {"/", "/home", "/Users", "/root"} or any(
        path == folder or inside(folder, path) for path in homes
    )


def _shortened(path: str, home: str) -> str:
    """A path as the person's settings say it: the same file may serve several machines."""
    below = inside(os.path.realpath(home), path) if home else None
    return path if below is None else f"~/{below}"
