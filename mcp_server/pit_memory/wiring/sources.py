"""What is searched in a project, and the desk at which sources are added and removed."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.push.memory_entries import PREAMBLE
from pit_memory.core.source import Source
from pit_memory.operations.searching.searched_sources import SearchedSources, sources_of
from pit_memory.wiring.project import is_project, project_root
from pit_memory.workspace.compiled_push import known_native
from pit_memory.workspace.native_memory import native_memory
from pit_memory.workspace.places import (
    Places,
    person_memory,
    places,
    store_folder,
    user_store,
    vector_cache,
)
from pit_memory.workspace.settings_files import LoadedSettings, load

if TYPE_CHECKING:
    from pit_memory.operations.indexing.forget_source import Forgotten
    from pit_memory.operations.own_sources.added_sources import Desk

_PERSONAL = "personal-memory"
"""Source of the person's own push memory."""


def searched_sources(
    root: Path,
    loaded: LoadedSettings,
    where: Places,
    environ: Mapping[str, str],
    *,
    everywhere: bool = False,
    shared: bool = False,
) -> SearchedSources:
    """Return what is searched in a project: its own documents, and what the person added.

    Args:
        root: of the project.
        loaded: its settings.
        where: the folders of this person.
        environ: names the home folder.
        everywhere: also those of the person's sources that are not searched there.
        shared: for many readers, so without what belongs to this person alone.
    """
    return sources_of(
        root,
        loaded.settings,
        home=environ.get("HOME", ""),
        is_project=is_project(root, environ),
        memory=() if shared else tuple(_person_memory_sources(root, where, environ)),
        everywhere=everywhere,
    )


def _person_memory_sources(
    root: Path, where: Places, environ: Mapping[str, str]
) -> Iterator[Source]:
    """The person's own push memory, and the client's notes on this project, where there are any."""
    native = known_native(where, root) or native_memory(environ, root)
    for name, folder in ((_PERSONAL, person_memory(where)), ("claude-memory", native)):
        if folder and _holds_pages(folder):
            yield _memory_source(name, str(folder))


def personal_memory(where: Places) -> Source:
    """Return the person's own push memory, whether or not there is any yet."""
    return _memory_source(_PERSONAL, str(person_memory(where)))


def known_notes(root: Path, where: Places, environ: Mapping[str, str]) -> Path | None:
    """Return the folder of the client's own notes on a project; None where there is none."""
    folder = known_native(where, root) or native_memory(environ, root)
    return Path(folder) if folder and Path(folder).is_dir() else None


def _holds_pages(folder: Path | str) -> bool:
    try:
        return any(name.endswith(".md") for name in os.listdir(folder))  # noqa: PTH208 -- asked often
    except OSError:  # none, or not this person's to read
        return False


def _memory_source(name: str, folder: str) -> Source:
    # What stands in the preamble or the client's index is in every session anyway.
    return Source(name, folder, collection="memory", exclude=(PREAMBLE,), entries="")


def desk(root: Path | None, environ: Mapping[str, str] = os.environ) -> "Desk":
    """Stand in a project, or in the current folder, to add and remove sources.

    A wrong key of the settings is ignored, and among the desk's notes.
    """
    from pit_memory.operations.own_sources.added_sources import desk_of

    top, where = project_root(root), places(environ)
    loaded = load(top, where, environ, lenient=True)
    return desk_of(top, is_project(top, environ), loaded, where, environ)


def remove_source(here: "Desk", name: str) -> "tuple[Path | None, Forgotten | None]":
    """Take a source's line away, and forget its index and the vectors that nothing else uses.

    Returns:
        The settings file that had the line, and what was forgotten; None where there was nothing.

    Raises:
        NotFoundError: no line and no index is called so.
        SettingsError: which sources there are is not known; nothing was changed.
    """
    from pit_memory.operations.indexing.forget_source import forget_source
    from pit_memory.operations.own_sources.added_sources import forget, unknown_source
    from pit_memory.stores.store import Store
    from pit_memory.stores.vector_cache import VectorCache

    line = forget(here, name)
    own, person = store_folder(here.where, here.root), user_store(here.where)
    folders = {"docs": [own], "personal": [person]}[line[0]] if line else [own, person]
    with ExitStack() as stack:
        cache = None
        if vector_cache(here.where).exists():
            cache = VectorCache.open(vector_cache(here.where))
            stack.callback(cache.close)
        forgotten = None
        for folder in filter(Path.is_dir, folders):
            store = Store.open(folder)
            stack.callback(store.close)
            forgotten = forgotten or forget_source(store, name, cache, folder.parent)
    if line is None and forgotten is None:
        raise unknown_source(name, [added.name for _, added in here.all()])
    return line[1] if line else None, forgotten
