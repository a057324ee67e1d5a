"""The person's facts, opened."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.settings.settings import Settings
from pit_memory.wiring.meaning import SharedMeaning, shared_meaning
from pit_memory.wiring.project import project_root
from pit_memory.wiring.who_asks import local_access
from pit_memory.workspace.fact_home import FactHome, fact_home
from pit_memory.workspace.git import person_name
from pit_memory.workspace.locks import FileLock
from pit_memory.workspace.places import (
    Places,
    change_lock,
    commit_lock,
    facts_folder,
    places,
    proposed_counts,
    store_folder,
)
from pit_memory.workspace.settings_files import LoadedSettings, load

if TYPE_CHECKING:
    from pit_memory.core.serving.access import Access
    from pit_memory.operations.facts.facts import Facts


@contextmanager
def open_facts(
    root: Path | None, environ: Mapping[str, str] = os.environ
) -> Iterator["tuple[Facts, Access]"]:
    """Open the person's facts, and resolve whose are asked for; closes them at the block's end.

    Raises:
        SettingsError, StoreError, StorageFullError: with the reason and the next step.
    """
    where = places(environ)
    loaded = load(project_root(root), where, environ, lenient=True)
    with ExitStack() as stack:
        shared = shared_meaning(stack, loaded.settings, where)
        facts = facts_of(stack, loaded, where, environ, shared)
        yield facts, local_access(root, loaded.settings)


def facts_of(
    stack: ExitStack,
    loaded: LoadedSettings,
    where: Places,
    environ: Mapping[str, str],
    shared: SharedMeaning,
) -> "Facts":
    """Open the person's facts, until the stack closes, with the model that others share.

    Raises SettingsError where a key that says how they are committed is wrong.
    """
    from pit_memory.operations.facts.facts import Facts
    from pit_memory.operations.searching.searched_store import SearchedStore
    from pit_memory.stores.store import Store

    loaded.refuse_mistakes("commit")
    settings = loaded.settings
    home = facts_home(settings, where, environ)
    store = Store.open(store_folder(where, home.root))
    stack.callback(store.close)
    meaning = shared.of(store, None)  # small beside the documents: searched here
    return Facts(
        home=home,
        store=store,
        searched=SearchedStore(
            store, meaning.leg if meaning else None, shared.without, beside=shared.beside
        ),
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


def facts_home(
    settings: Settings, where: Places, environ: Mapping[str, str] = os.environ
) -> FactHome:
    """Find the home of facts; it need not exist."""
    named = settings.facts.home
    if named.startswith("~/"):
        named = os.path.join(environ.get("HOME", "/"), named[2:])  # noqa: PTH118 -- a text yet
    return fact_home(Path(named) if named else facts_folder(where), is_own=not named)


def fill_facts_behind(root: Path | None, environ: Mapping[str, str] = os.environ) -> None:
    """Have a process of its own embed the facts that have no vector yet."""
    from pit_memory.workspace.detached import start_detached

    arguments = ("sync", "--background", "--root", str(project_root(root)))
    start_detached(arguments, environ, str(places(environ).data))
