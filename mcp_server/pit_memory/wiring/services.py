"""A project's services, opened."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from pit_memory.core.settings.engine_settings import VectorsSettings
from pit_memory.core.source import Source
from pit_memory.errors import PitMemoryError, SourceError
from pit_memory.operations.searching.searched_sources import own_source
from pit_memory.wiring.background import BackgroundKind, background_lock, background_of
from pit_memory.wiring.facts import facts_home, facts_of
from pit_memory.wiring.meaning import SharedMeaning, shared_meaning
from pit_memory.wiring.project import plugin_folder, project_root
from pit_memory.wiring.sources import personal_memory, searched_sources
from pit_memory.wiring.who_asks import local_access
from pit_memory.workspace.installation import installation
from pit_memory.workspace.places import Places, canary_folder, places, store_folder, user_store
from pit_memory.workspace.settings_files import LoadedSettings, load

if TYPE_CHECKING:
    from pit_memory.operations.drafts.draft_desk import DraftDesk
    from pit_memory.operations.meter import Meter
    from pit_memory.operations.searching.opened_store import OpenedStore
    from pit_memory.operations.services import Answering, Services
    from pit_memory.operations.upkeep.doctor import Room
    from pit_memory.operations.writing.write import WritableProject


Made = TypeVar("Made")


def import_services(root: Path | None, environ: Mapping[str, str] = os.environ) -> None:
    """Import what `open_services` would for a project; opens nothing and makes nothing.

    For a server that waits for its first call.
    """
    import pit_memory.operations.searching.searched_store
    import pit_memory.operations.services
    import pit_memory.stores.store

    try:
        loaded = load(project_root(root), places(environ), environ, lenient=True)
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
    answering: "Answering | None" = None,
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
        answering: processes that answer in place of this one.

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
    loaded = load(top, where, environ, lenient=True)
    folder = store_folder(where, top)
    if not top.is_dir() and not folder.is_dir():
        message = f"{top} is no folder; give the project's with --root"
        raise SourceError(message)
    with ExitStack() as stack:
        find = partial(
            searched_sources, top, loaded, where, environ, everywhere=everywhere, shared=shared
        )
        searched = find()
        parts = shared_meaning(stack, loaded.settings, where, for_many=shared)
        more = (canary_source(canary_folder(where)),) if canary else ()
        server = loaded.settings.vectors
        stores = [_opened(stack, folder, lambda: (*find().own, *more), parts, server=server)]
        if searched.personal:
            person = lambda: find().personal  # noqa: E731
            stores.append(_opened(stack, user_store(where), person, parts, searched.overlap))
        follow_up = background_of(background, stores, where, top, environ)
        stack.callback(follow_up.stop)
        usage = UsageCounter(folder)
        stack.callback(usage.save)
        yield Services(
            root=top,
            settings=loaded.settings,
            notes=(*loaded.problems, *searched.notes),
            stores=tuple(stores),
            background=follow_up,
            write_to=partial(_writable, loaded=loaded, where=where, environ=environ),
            open_facts=_once(lambda: facts_of(stack, loaded, where, environ, parts)),
            access=local_access(root, loaded.settings),
            has_facts=facts_home(loaded.settings, where, environ).root.is_dir,
            meter=meter or Meter(),
            usage=usage,
            answering=answering,
            is_shared=shared,
        )


def _opened(
    stack: ExitStack,
    folder: Path,
    find_sources: Callable[[], tuple[Source, ...]],
    shared: SharedMeaning,
    elsewhere: tuple[str, ...] = (),
    server: VectorsSettings | None = None,
) -> "OpenedStore":
    """Open a store and what searches it."""
    from pit_memory.operations.searching.opened_store import OpenedStore
    from pit_memory.operations.searching.searched_store import SearchedStore
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
            sources=find_sources(),
            elsewhere=elsewhere,
            beside=shared.beside,
        ),
    )


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


def _writable(
    services: "Services", loaded: LoadedSettings, where: Places, environ: Mapping[str, str]
) -> "WritableProject":
    """What writes; raises SettingsError where a key is wrong: it may say where to, or whether."""
    from pit_memory.operations.writing.write import WritableProject

    loaded.refuse_mistakes()
    return WritableProject(
        root=services.root,
        settings=services.settings,
        own=own_source(services.root, services.settings),
        personal=personal_memory(where),
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
    from pit_memory.operations.drafts.draft_desk import DraftDesk

    return DraftDesk(services, approved_by)


def catch_up_behind(root: Path | None) -> None:
    """Finish what searches left undone, at the lowest priority, unless another process is at it."""
    from pit_memory.operations.upkeep.catch_up import catch_up
    from pit_memory.workspace.priority import lower_process_priority

    lower_process_priority()
    with open_services(root, background="none") as services:
        lock = background_lock(services.store)
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
    from pit_memory.operations.upkeep.doctor import Room

    top, where = project_root(root), places(environ)
    return Room(
        root=top,
        where=where,
        plugin=plugin_folder(environ),
        installed=installation(Path(sys.prefix)),
        settings=lambda: load(top, where, environ, lenient=True),
        services=lambda: open_services(top, environ=environ, background="none", canary=True),
    )
