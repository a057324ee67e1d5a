"""The only place that names concrete classes: settings in, a project's services out."""

import os
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, TypeVar

from pit_memory.core.access import LOCAL, Access
from pit_memory.core.citations import parse_ref
from pit_memory.core.facts import is_fact_ref
from pit_memory.core.memory_entries import PREAMBLE
from pit_memory.core.settings import EmbeddingSettings, Settings, VectorsSettings
from pit_memory.core.source import Source
from pit_memory.errors import (
    EmbedderError,
    PitMemoryError,
    SourceError,
    StorageFullError,
    StoreError,
)
from pit_memory.operations.installed_parts import why_no_qdrant_client
from pit_memory.operations.read import ReadAnswer, read
from pit_memory.operations.searched_sources import SearchedSources, own_source, sources_of
from pit_memory.workspace.assignment_setting import resolved_assignment
from pit_memory.workspace.compiled_push import known_native
from pit_memory.workspace.corpus_rules import current_folder
from pit_memory.workspace.fact_home import FactHome, fact_home
from pit_memory.workspace.files import file_stamp
from pit_memory.workspace.git import person_name, toplevel
from pit_memory.workspace.installation import installation, model_is_pending
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.native_memory import native_memory
from pit_memory.workspace.places import (
    Places,
    canary_folder,
    change_lock,
    commit_lock,
    facts_folder,
    model_cards,
    model_verdict,
    person_memory,
    person_settings,
    places,
    proposed_counts,
    store_folder,
    stores,
    user_store,
    vector_cache,
)
from pit_memory.workspace.places import project_settings as settings_file
from pit_memory.workspace.settings_files import LoadedSettings, load

if TYPE_CHECKING:
    from pit_memory.core.embedding import Embedder
    from pit_memory.core.vectors import VectorStore
    from pit_memory.embedders.builtin import BuiltinEmbedder
    from pit_memory.embedders.ollama import OllamaEmbedder
    from pit_memory.operations.added_sources import Desk
    from pit_memory.operations.background import Background
    from pit_memory.operations.doctor import Room
    from pit_memory.operations.draft_desk import DraftDesk
    from pit_memory.operations.facts import Facts
    from pit_memory.operations.forget_source import Forgotten
    from pit_memory.operations.meter import Meter
    from pit_memory.operations.services import Meaning, OpenedStore, Services
    from pit_memory.operations.write import WritableProject
    from pit_memory.stores.catalogue import Catalogue
    from pit_memory.stores.qdrant_points import QdrantPoints
    from pit_memory.stores.store import Store
    from pit_memory.stores.vector_cache import VectorCache

_PERSONAL = "personal-memory"
"""Source of the person's own push memory."""
Made = TypeVar("Made")
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


def settings_stamp(root: Path | None, environ: Mapping[str, str] = os.environ) -> Hashable:
    """Return another value where a settings file of a project, or the person's, has changed."""
    files = (settings_file(project_root(root)), person_settings(places(environ)))
    return tuple(file_stamp(file) for file in files)


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


def is_project(root: Path, environ: Mapping[str, str]) -> bool:
    """Tell whether a folder is a project: a work tree, or one with settings; a home is none."""
    home = environ.get("HOME", "")
    if home and (os.path.realpath(home) + "/").startswith(str(root).rstrip("/") + "/"):
        return False
    return settings_file(root).is_file() or (root / ".git").exists()


def _person_memory_sources(
    root: Path, where: Places, environ: Mapping[str, str]
) -> Iterator[Source]:
    """The person's own push memory, and the client's notes on this project, where there are any."""
    native = known_native(where, root) or native_memory(environ, root)
    for name, folder in ((_PERSONAL, person_memory(where)), ("claude-memory", native)):
        if folder and _holds_pages(Path(folder)):
            yield _memory_source(name, str(folder))


def known_notes(root: Path, where: Places, environ: Mapping[str, str]) -> Path | None:
    """Return the folder of the client's own notes on a project; None where there is none."""
    folder = known_native(where, root) or native_memory(environ, root)
    return Path(folder) if folder and Path(folder).is_dir() else None


def _holds_pages(folder: Path) -> bool:
    try:
        return any(path.suffix == ".md" for path in folder.iterdir())
    except OSError:  # none, or not this person's to read
        return False


def _memory_source(name: str, folder: str) -> Source:
    # What stands in the preamble or the client's index is in every session anyway.
    return Source(name, folder, collection="memory", exclude=(PREAMBLE,), entries="")


def _writable(services: "Services", where: Places, environ: Mapping[str, str]) -> "WritableProject":
    from pit_memory.operations.write import WritableProject

    return WritableProject(
        root=services.root,
        settings=services.settings,
        own=own_source(services.root, services.settings),
        personal=_memory_source(_PERSONAL, str(person_memory(where))),
        sources=services.stores[0].sources,
        store=services.store,
        searched=services.stores[0].searched,
        where=where,
        environ=environ,
        plugin=plugin_folder(environ),
        open_facts=services.open_facts,
    )


def draft_desk(services: "Services", approved_by: str = "") -> "DraftDesk":
    """Return the drafts of an opened project, and who approves what is done with them."""
    from pit_memory.operations.draft_desk import DraftDesk

    return DraftDesk(services.write_to(services), approved_by)


def read_ref(root: Path | None, ref: str, budget: int, *, links: bool = False) -> ReadAnswer:
    """Show what a citation names; stores are opened, and looked at, only to find what moved."""
    if is_fact_ref(ref):
        from pit_memory.operations.recall import read_fact_ref

        with open_facts(root) as (facts, access):
            return read_fact_ref(facts, access, ref, budget)
    with reading(root) as read_one:
        return read_one(ref, budget, links=links)


@contextmanager
def reading(root: Path | None) -> "Iterator[Callable[..., ReadAnswer]]":
    """Read what citations name: a function of ref and budget, for the time of the block."""
    top = project_root(root)
    where = places(os.environ)
    searched = searched_sources(top, load(top, where, os.environ), where, os.environ)
    with ExitStack() as stack:

        def catalogues() -> "list[Catalogue]":
            if not find_spec("tantivy"):
                return []
            from pit_memory.operations.look import LookedStore, look_and_ask
            from pit_memory.stores.store import Store

            looked = []
            for folder, sources in (
                (store_folder(where, top), searched.own),
                (user_store(where), searched.personal),
            ):
                if folder.is_dir():
                    store = Store.open(folder)
                    stack.callback(store.close)
                    looked.append(LookedStore(store, sources))
            return look_and_ask(looked, lambda _: [each.store.catalogue for each in looked])

        def read_one(ref: str, budget: int, *, links: bool = False) -> ReadAnswer:
            return read(ref, searched.all, catalogues=catalogues, budget=budget, links=links)

        yield read_one


def address_of(root: Path | None, answer: ReadAnswer) -> str | None:
    """Return the address at which a person opens what was read."""
    from pit_memory.operations.addresses import Wanted, addresses

    top = project_root(root)
    loaded = project_settings(top)
    settings = loaded.settings
    sources = searched_sources(top, loaded, places(os.environ), os.environ).all
    anchor = parse_ref(answer.ref).anchor or ""
    wanted = Wanted(answer.source, answer.path, anchor, answer.whole)
    roots = {source.name: Path(source.root) for source in sources}
    return addresses([wanted], roots, settings.links.forge)[wanted]


def import_services(root: Path | None, environ: Mapping[str, str] = os.environ) -> None:
    """Import what `open_services` would for a project; opens nothing and makes nothing.

    For a server that waits for its first call.
    """
    import pit_memory.operations.searched_store
    import pit_memory.operations.services
    import pit_memory.stores.store

    try:
        loaded = load(project_root(root), places(environ), environ)
    except PitMemoryError:
        return  # the first call says it
    if loaded.settings.embedding.provider != "none" and find_spec("onnxruntime"):
        import pit_memory.embedders.minilm
        import pit_memory.stores.semantic_leg
        import pit_memory.stores.vectors  # noqa: F401


@contextmanager
def open_services(
    root: Path | None,
    *,
    environ: Mapping[str, str] = os.environ,
    background: BackgroundKind = "process",
    everywhere: bool = False,
    shared: bool = False,
    canary: bool = False,
    meter: "Meter | None" = None,
) -> Iterator["Services"]:
    """Open a project's store, model and settings; closes them at the end of the block.

    Args:
        root: the project; None for the one that encloses the current folder.
        environ: settings and folders come from it.
        background: who finishes what an answer leaves undone.
        everywhere: also those of the person's sources that are not searched there.
        shared: for many readers, so without what belongs to this person alone.
        canary: with the document by which a server checks itself.
        meter: what counts; None for a new one.

    Raises:
        SourceError: the project is no folder and never was; where it was, its index answers.
        SettingsError, StoreError, StorageFullError: with the reason and the next step.
    """
    from pit_memory.operations.canary import canary_source
    from pit_memory.operations.meter import Meter
    from pit_memory.operations.services import Services
    from pit_memory.operations.usage import UsageCounter

    top = project_root(root)
    where = places(environ)
    loaded = load(top, where, environ)
    folder = store_folder(where, top)
    if not top.is_dir() and not folder.is_dir():
        message = f"{top} is no folder; give the project's with --root"
        raise SourceError(message)
    with ExitStack() as stack:
        find = partial(
            searched_sources, top, loaded, where, environ, everywhere=everywhere, shared=shared
        )
        searched = find()
        parts = _shared_meaning(stack, loaded.settings, where)
        more = (canary_source(canary_folder(where)),) if canary else ()
        server = loaded.settings.vectors
        stores = [_opened(stack, folder, lambda: (*find().own, *more), parts, server=server)]
        if searched.personal:
            person = lambda: find().personal  # noqa: E731
            stores.append(_opened(stack, user_store(where), person, parts, searched.overlap))
        follow_up = _background(background, stores, where, top, environ)
        stack.callback(follow_up.stop)
        usage = UsageCounter(folder)
        stack.callback(usage.save)
        yield Services(
            root=top,
            settings=loaded.settings,
            notes=(*loaded.problems, *searched.notes),
            stores=tuple(stores),
            background=follow_up,
            write_to=partial(_writable, where=where, environ=environ),
            open_facts=_once(lambda: _open_facts(stack, loaded, where, environ, parts)),
            access=local_access(root, loaded.settings),
            has_facts=facts_home(loaded.settings, where, environ).root.is_dir,
            meter=meter or Meter(),
            usage=usage,
            is_shared=shared,
        )


def _opened(
    stack: ExitStack,
    folder: Path,
    find_sources: Callable[[], tuple[Source, ...]],
    shared: "_SharedMeaning",
    elsewhere: tuple[str, ...] = (),
    server: VectorsSettings | None = None,
) -> "OpenedStore":
    """Open a store and what searches it."""
    from pit_memory.operations.searched_store import SearchedStore
    from pit_memory.operations.services import OpenedStore
    from pit_memory.stores.store import Store

    store = Store.open(folder)
    stack.callback(store.close)
    meaning = shared.of(store, server)
    return OpenedStore(
        store,
        find_sources,
        meaning,
        SearchedStore(
            store,
            meaning.leg if meaning else None,
            shared.without,
            sources=lambda: {source.name for source in find_sources()},
            elsewhere=elsewhere,
        ),
    )


def desk(root: Path | None, environ: Mapping[str, str] = os.environ) -> "Desk":
    """Stand in a project, or in the current folder, to add and remove sources."""
    from pit_memory.operations.added_sources import desk_of

    top, where = project_root(root), places(environ)
    settings = load(top, where, environ).settings
    return desk_of(top, is_project(top, environ), settings, where, environ)


def remove_source(
    root: Path | None, name: str, environ: Mapping[str, str] = os.environ
) -> "tuple[Path | None, Forgotten | None]":
    """Take a source's line away, and forget its index and the vectors that nothing else uses.

    Returns:
        The settings file that had the line, and what was forgotten; None where there was nothing.

    Raises:
        NotFoundError: no line and no index is called so.
    """
    from pit_memory.operations.added_sources import forget, unknown_source
    from pit_memory.operations.forget_source import forget_source
    from pit_memory.stores.store import Store
    from pit_memory.stores.vector_cache import VectorCache

    here = desk(root, environ)
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


def local_access(root: Path | None, settings: Settings) -> Access:
    """Who asks at this machine: the person, with the assignment that the settings resolve.

    Args:
        root: the project; None for the one that encloses the current folder.
        settings: of the project.
    """
    return replace(LOCAL, assignment=resolved_assignment(settings.assignment, project_root(root)))


def who_asks_here(
    root: Path | None, environ: Mapping[str, str] = os.environ
) -> Callable[[], Access]:
    """Tell who asks at this machine; anew where the settings have changed.

    Where they are wrong, it is somebody without an assignment: the first call says what is wrong.
    """
    known: list[tuple[Hashable, Access]] = []

    def who() -> Access:
        stamp = settings_stamp(root, environ)
        if not known or known[0][0] != stamp:
            try:
                settings = load(project_root(root), places(environ), environ).settings
                access = local_access(root, settings)
            except PitMemoryError:
                access = LOCAL
            known[:] = [(stamp, access)]
        return known[0][1]

    return who


@contextmanager
def open_facts(
    root: Path | None, environ: Mapping[str, str] = os.environ
) -> Iterator["tuple[Facts, Access]"]:
    """Open the person's facts, and resolve whose are asked for; closes them at the block's end.

    Raises:
        SettingsError, StoreError, StorageFullError: with the reason and the next step.
    """
    where = places(environ)
    loaded = load(project_root(root), where, environ)
    with ExitStack() as stack:
        shared = _shared_meaning(stack, loaded.settings, where)
        facts = _open_facts(stack, loaded, where, environ, shared)
        yield facts, local_access(root, loaded.settings)


def facts_home(
    settings: Settings, where: Places, environ: Mapping[str, str] = os.environ
) -> FactHome:
    """Find the home of facts; it need not exist."""
    named = settings.facts.home
    if named.startswith("~/"):
        named = os.path.join(environ.get("HOME", "/"), named[2:])  # noqa: PTH118 -- a text yet
    return fact_home(Path(named) if named else facts_folder(where), is_own=not named)


def _once(make: "Callable[[], Made]") -> "Callable[[], Made]":
    """Make something when it is first asked for; several threads may ask."""
    making = Lock()
    made: list[Made] = []

    def get() -> "Made":
        with making:
            if not made:
                made.append(make())
            return made[0]

    return get


def _open_facts(
    stack: ExitStack,
    loaded: LoadedSettings,
    where: Places,
    environ: Mapping[str, str],
    shared: "_SharedMeaning",
) -> "Facts":
    from pit_memory.operations.facts import Facts
    from pit_memory.operations.searched_store import SearchedStore
    from pit_memory.stores.store import Store

    settings = loaded.settings
    home = facts_home(settings, where, environ)
    store = Store.open(store_folder(where, home.root))
    stack.callback(store.close)
    meaning = shared.of(store, None)  # small beside the documents: searched here
    return Facts(
        home=home,
        store=store,
        searched=SearchedStore(store, meaning.leg if meaning else None, shared.without),
        meaning=meaning,
        review=settings.facts.review,
        commit=settings.commit_policy("fact"),
        protected=settings.commit.protected if home.only is not None else (),
        changing=FileLock(change_lock(where, home.root)),
        counts=proposed_counts(where),
        committing=lambda git_folder: FileLock(commit_lock(where, git_folder)),
        find_author=partial(person_name, Path("/")),
        notes=loaded.problems,
    )


def fill_facts_behind(root: Path | None, environ: Mapping[str, str] = os.environ) -> None:
    """Have a process of its own embed the facts that have no vector yet."""
    from pit_memory.workspace.detached import start_detached

    arguments = ("sync", "--background", "--root", str(project_root(root)))
    start_detached(arguments, environ, str(places(environ).data))


def all_stores(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all stores of this person."""
    return stores(places(environ))


def catch_up_behind(root: Path | None) -> None:
    """Finish what searches left undone, at the lowest priority, unless another process is at it."""
    from pit_memory.operations.catch_up import catch_up
    from pit_memory.workspace.priority import lower_process_priority

    lower_process_priority()
    with open_services(root, background="none") as services:
        lock = _background_lock(services.store)
        if lock.try_acquire():
            try:
                for opened in services.stores:
                    catch_up(opened.store, opened.sources, opened.meaning)
                if services.has_facts():
                    facts = services.open_facts()
                    catch_up(facts.store, (), facts.meaning)
            finally:
                lock.release()


def doctors_room(root: Path | None, environ: Mapping[str, str]) -> "Room":
    """Where `doctor` looks: the project, this installation and what opens both."""
    from pit_memory.operations.doctor import Room

    top, where = project_root(root), places(environ)
    return Room(
        root=top,
        where=where,
        plugin=plugin_folder(environ),
        installed=installation(Path(sys.prefix)),
        settings=lambda: load(top, where, environ),
        services=lambda: open_services(top, environ=environ, background="none", canary=True),
    )


class _SharedMeaning:
    """The model and the person's vectors, which every store shares, or why there are none."""

    def __init__(
        self,
        embedder: "Embedder | None",
        cache: "VectorCache | None",
        without: str = "",
        points: "QdrantPoints | None" = None,
    ) -> None:
        self._embedder = embedder
        self._cache = cache
        self._points = points
        self.without = without
        """Empty where there is a model, and where none was wanted."""

    def of(self, store: "Store", server: VectorsSettings | None) -> "Meaning | None":
        """The parts that search a store by meaning; on a server only where settings are given."""
        if self._embedder is None or self._cache is None:
            return None
        from pit_memory.operations.services import Meaning
        from pit_memory.stores.semantic_leg import StoreMeaning

        embedder, cache = self._embedder, self._cache
        vectors = self._vectors(store, cache, embedder, server)
        return Meaning(embedder, cache, vectors, StoreMeaning(embedder, vectors))

    def _vectors(
        self,
        store: "Store",
        cache: "VectorCache",
        embedder: "Embedder",
        server: VectorsSettings | None,
    ) -> "VectorStore":
        fingerprint, dimension = embedder.fingerprint, embedder.dimension
        if server is None or self._points is None:
            from pit_memory.stores.vectors import LocalVectors

            return LocalVectors(store, cache, fingerprint=fingerprint, dimension=dimension)
        from pit_memory.stores.qdrant_vectors import QdrantVectors

        return QdrantVectors(
            store,
            cache,
            self._points,
            fingerprint=fingerprint,
            dimension=dimension,
            namespace=server.namespace or store.folder.name,
            alias=server.prefix,
        )


def _points(stack: ExitStack, settings: VectorsSettings, embedder: "Embedder") -> "QdrantPoints":
    from pit_memory.core.vector_server import ServerOptions, collection_name
    from pit_memory.stores.qdrant_points import QdrantPoints, qdrant_client

    points = QdrantPoints(
        qdrant_client(settings.url, settings.api_key),
        settings.url,
        collection_name(settings.prefix, embedder.fingerprint),
        embedder.fingerprint,
        embedder.dimension,
        ServerOptions(settings.quantization, settings.on_disk, settings.shards, settings.replicas),
    )
    stack.callback(points.close)
    return points


def _embedder(settings: EmbeddingSettings, where: Places) -> "BuiltinEmbedder | OllamaEmbedder":
    if settings.provider == "ollama":
        from pit_memory.embedders.ollama import OllamaEmbedder, OllamaModel

        model = OllamaModel(
            settings.url,
            settings.model,
            settings.keep_alive,
            settings.query_prefix,
            settings.document_prefix,
        )
        return OllamaEmbedder(model, model_cards(where))
    from pit_memory.embedders.builtin import BuiltinEmbedder

    return BuiltinEmbedder(model_verdict(where))


def meaning_is_pending(root: Path | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether search by meaning, where there is none now, may come by itself.

    The builtin model may still be on its way, or a model server was never in reach so far.
    """
    where = places(environ)
    settings = load(project_root(root), where, environ).settings.embedding
    if settings.provider != "ollama":
        return settings.provider == "builtin" and model_is_pending(Path(sys.prefix))
    try:
        _embedder(settings, where).check()
    except EmbedderError:
        return True
    return False


def _shared_meaning(stack: ExitStack, settings: Settings, where: Places) -> _SharedMeaning:
    if settings.embedding.provider == "none":
        return _SharedMeaning(None, None)
    embedder = _embedder(settings.embedding, where)
    try:
        embedder.check()
    except EmbedderError as error:
        builtin = settings.embedding.provider == "builtin"
        return _SharedMeaning(None, None, _why_no_model(error) if builtin else str(error))
    on_server = settings.vectors.backend == "qdrant"
    if on_server and (missing := why_no_qdrant_client(Path(sys.prefix))):
        return _SharedMeaning(None, None, missing)
    from pit_memory.stores.vector_cache import VectorCache

    try:
        cache = VectorCache.open(vector_cache(where))
    except (StoreError, StorageFullError) as error:
        return _SharedMeaning(None, None, str(error))
    stack.callback(cache.close)
    points = _points(stack, settings.vectors, embedder) if on_server else None
    return _SharedMeaning(embedder, cache, points=points)


def _why_no_model(error: EmbedderError) -> str:
    """Say why there is no model; in an environment of the launcher it may be on its way."""
    if not model_is_pending(Path(sys.prefix)):
        return str(error)
    built = installation(Path(sys.prefix))
    failure = built.model_failure if built else ""
    return failure or "the model is still being installed; meaning follows by itself"


def _background(
    kind: BackgroundKind,
    stores: "Sequence[OpenedStore]",
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

        def index() -> None:
            for opened in stores:
                sync(opened.store, opened.sources)

        fill = None
        if meaning := stores[0].meaning:
            parts = [(opened.store, opened.meaning.vectors) for opened in stores if opened.meaning]
            fill = BackgroundFill(parts, meaning.cache, meaning.embedder)
        return ThreadBackground(index, fill)
    if kind == "process":
        from pit_memory.operations.catch_up import trouble_of
        from pit_memory.workspace.detached import start_detached

        def trouble() -> str:
            return next(filter(None, (trouble_of(opened.store) for opened in stores)), "")

        arguments = ("sync", "--background", "--root", str(root))
        start = partial(start_detached, arguments, environ, str(where.data))
        runs = partial(_is_held, _background_lock(stores[0].store))
        return ProcessBackground(start, runs, trouble)
    return NoBackground()


def _background_lock(store: "Store") -> FileLock:
    """Held by the process that catches up, so that there is one."""
    return FileLock(store.folder / "background.lock")


def _is_held(lock: FileLock) -> bool:
    if lock.try_acquire():
        lock.release()
        return False
    return True
