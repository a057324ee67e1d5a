"""The only place that names concrete classes: settings in, a project's services out."""

import os
import posixpath
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pit_memory.core.citations import parse_ref
from pit_memory.core.memory_entries import PREAMBLE
from pit_memory.core.settings import Settings
from pit_memory.core.source import Source
from pit_memory.errors import EmbedderError, SourceError, StorageFullError, StoreError
from pit_memory.operations.addresses import Wanted, addresses
from pit_memory.operations.read import ReadAnswer, read
from pit_memory.workspace.compiled_push import known_native
from pit_memory.workspace.corpus_rules import current_folder
from pit_memory.workspace.git import toplevel
from pit_memory.workspace.installation import installation, model_is_pending
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.native_memory import native_memory
from pit_memory.workspace.places import (
    Places,
    model_verdict,
    person_memory,
    places,
    store_folder,
    vector_cache,
)
from pit_memory.workspace.settings_files import LoadedSettings, load

if TYPE_CHECKING:
    from pit_memory.operations.background import Background
    from pit_memory.operations.services import Meaning, Services
    from pit_memory.operations.write import WritableProject
    from pit_memory.stores.catalogue import Catalogue
    from pit_memory.stores.store import Store

_PERSONAL = "personal-memory"
BackgroundKind = Literal["process", "thread", "none"]
"""Where work goes on after an answer: for one-shot commands, for the server, nowhere."""


def project_root(given: Path | None) -> Path:
    """Return the project a command is about: the given folder, else the enclosing work tree."""
    if given is not None:
        return given.absolute().resolve()
    here = current_folder()
    return toplevel(here) or here


def plugin_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the plugin's own folder, as its launcher says; None without the launcher."""
    named = environ.get("PIT_MEMORY_PLUGIN_ROOT")
    return Path(named) if named else None


def project_settings(root: Path, environ: Mapping[str, str] = os.environ) -> LoadedSettings:
    """Read the settings of a project."""
    return load(root, places(environ), environ)


def project_sources(
    root: Path, settings: Settings, where: Places, environ: Mapping[str, str]
) -> tuple[Source, ...]:
    """Return the sources of a project: its own documents, and the person's push memory."""
    docs, home = settings.docs, posixpath.normpath(settings.memory.home)
    own = Source(
        name="",
        root=str(root),
        include=(*docs.include, f"{home}/*.md") if docs.include else (),
        exclude=docs.exclude,
        hidden=docs.hidden,
        max_file_bytes=docs.max_file_bytes,
        entries=home,
    )
    return (own, *_person_memory_sources(root, where, environ))


def _person_memory_sources(
    root: Path, where: Places, environ: Mapping[str, str]
) -> Iterator[Source]:
    """The person's own push memory, and the client's notes on this project, where there are any."""
    native = known_native(where, root) or native_memory(environ, root)
    for name, folder in ((_PERSONAL, person_memory(where)), ("claude-memory", native)):
        if folder and any(Path(folder).glob("*.md")):
            yield _memory_source(name, str(folder))


def _memory_source(name: str, folder: str) -> Source:
    # What stands in the preamble or the client's index is in every session anyway.
    return Source(name, folder, collection="memory", exclude=(PREAMBLE,), entries="")


def _writable(services: "Services", where: Places, environ: Mapping[str, str]) -> "WritableProject":
    from pit_memory.operations.write import WritableProject

    sources = services.sources
    return WritableProject(
        root=services.root,
        settings=services.settings,
        own=next(source for source in sources if not source.name),
        personal=_memory_source(_PERSONAL, str(person_memory(where))),
        sources=sources,
        store=services.store,
        searched=services.searched,
        where=where,
        environ=environ,
        plugin=plugin_folder(environ),
    )


def read_ref(root: Path | None, ref: str, budget: int) -> ReadAnswer:
    """Show what a citation names; a store is opened only to find text that moved."""
    top = project_root(root)
    folder = store_folder(places(os.environ), top)
    with ExitStack() as stack:

        def catalogue() -> "Catalogue | None":
            if not folder.is_dir() or not find_spec("tantivy"):
                return None
            from pit_memory.stores.store import Store

            store = Store.open(folder)
            stack.callback(store.close)
            return store.catalogue

        return read(ref, {"": top}, catalogue=catalogue, budget=budget)


def address_of(root: Path | None, answer: ReadAnswer) -> str | None:
    """Return the address at which a person opens what was read."""
    top = project_root(root)
    settings = project_settings(top).settings
    sources = project_sources(top, settings, places(os.environ), os.environ)
    anchor = parse_ref(answer.ref).anchor or ""
    wanted = Wanted(answer.source, answer.path, anchor, answer.whole)
    roots = {source.name: Path(source.root) for source in sources}
    return addresses([wanted], roots, settings.links.forge)[wanted]


@contextmanager
def open_services(
    root: Path | None,
    *,
    environ: Mapping[str, str] = os.environ,
    background: BackgroundKind = "process",
) -> Iterator["Services"]:
    """Open a project's store, model and settings; closes them at the end of the block.

    Args:
        root: the project; None for the one that encloses the current folder.
        environ: settings and folders come from it.
        background: who finishes what an answer leaves undone.

    Raises:
        SourceError: the project is no folder and never was; where it was, its index answers.
        SettingsError, StoreError, StorageFullError: with the reason and the next step.
    """
    from pit_memory.operations.searched_store import SearchedStore
    from pit_memory.operations.services import Services
    from pit_memory.stores.store import Store

    top = project_root(root)
    where = places(environ)
    loaded = load(top, where, environ)
    folder = store_folder(where, top)
    if not top.is_dir() and not folder.is_dir():
        message = f"{top} is no folder; give the project's with --root"
        raise SourceError(message)
    with ExitStack() as stack:
        store = Store.open(folder)
        stack.callback(store.close)
        find_sources = partial(project_sources, top, loaded.settings, where, environ)
        meaning, without_meaning = _meaning(stack, store, loaded.settings, where)
        follow_up = _background(background, store, find_sources, meaning, where, top, environ)
        stack.callback(follow_up.stop)
        yield Services(
            root=top,
            settings=loaded.settings,
            notes=loaded.problems,
            find_sources=find_sources,
            store=store,
            meaning=meaning,
            searched=SearchedStore(store, meaning.leg if meaning else None, without_meaning),
            background=follow_up,
            write_to=partial(_writable, where=where, environ=environ),
        )


def catch_up_behind(root: Path | None) -> None:
    """Finish what searches left undone, at the lowest priority, unless another process is at it."""
    from pit_memory.operations.catch_up import catch_up
    from pit_memory.workspace.priority import lower_process_priority

    lower_process_priority()
    with open_services(root, background="none") as services:
        lock = _background_lock(services.store)
        if lock.try_acquire():
            try:
                catch_up(services.store, services.sources, services.meaning)
            finally:
                lock.release()


def _meaning(
    stack: ExitStack, store: "Store", settings: Settings, where: Places
) -> tuple["Meaning | None", str]:
    """Return the parts that search by meaning, or None and why; no reason where it was chosen."""
    if settings.embedding.provider == "none":
        return None, ""
    from pit_memory.embedders.builtin import BuiltinEmbedder

    embedder = BuiltinEmbedder(model_verdict(where))
    try:
        embedder.check()
    except EmbedderError as error:
        return None, _why_no_model(error)
    from pit_memory.operations.services import Meaning
    from pit_memory.stores.semantic_leg import StoreMeaning
    from pit_memory.stores.vector_cache import VectorCache
    from pit_memory.stores.vectors import LocalVectors

    try:
        cache = VectorCache.open(vector_cache(where))
    except (StoreError, StorageFullError) as error:
        return None, str(error)
    stack.callback(cache.close)
    vectors = LocalVectors(
        store, cache, fingerprint=embedder.fingerprint, dimension=embedder.dimension
    )
    return Meaning(embedder, cache, vectors, StoreMeaning(embedder, vectors)), ""


def _why_no_model(error: EmbedderError) -> str:
    """Say why there is no model; in an environment of the launcher it may be on its way."""
    if not model_is_pending(Path(sys.prefix)):
        return str(error)
    built = installation(Path(sys.prefix))
    failure = built.model_failure if built else ""
    return failure or "the model is still being installed; meaning follows by itself"


def _background(
    kind: BackgroundKind,
    store: "Store",
    find_sources: Callable[[], tuple[Source, ...]],
    meaning: "Meaning | None",
    where: Places,
    root: Path,
    environ: Mapping[str, str],
) -> "Background":
    from pit_memory.operations.background import (
        NoBackground,
        ProcessBackground,
        ThreadBackground,
    )

    if kind == "thread":
        from pit_memory.operations.background_fill import BackgroundFill
        from pit_memory.operations.sync import sync

        fill = None
        if meaning:
            parts = [(store, meaning.vectors)]
            fill = BackgroundFill(parts, meaning.cache, meaning.embedder)
        return ThreadBackground(lambda: sync(store, find_sources()), fill)
    if kind == "process":
        from pit_memory.operations.catch_up import trouble_of
        from pit_memory.workspace.detached import start_detached

        arguments = ("sync", "--background", "--root", str(root))
        start = partial(start_detached, arguments, environ, str(where.data))
        runs = partial(_is_held, _background_lock(store))
        return ProcessBackground(start, runs, partial(trouble_of, store))
    return NoBackground()


def _background_lock(store: "Store") -> FileLock:
    """Held by the process that catches up, so that there is one."""
    return FileLock(store.folder / "background.lock")


def _is_held(lock: FileLock) -> bool:
    if lock.try_acquire():
        lock.release()
        return False
    return True
