"""Reading what citations name, without opening all services."""

import os
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.documents.citations import parse_ref
from pit_memory.core.facts.facts import is_fact_ref
from pit_memory.operations.reading.read import ReadAnswer, read
from pit_memory.wiring.facts import open_facts
from pit_memory.wiring.project import project_root, project_settings
from pit_memory.wiring.sources import searched_sources
from pit_memory.workspace.places import places, store_folder, user_store
from pit_memory.workspace.settings_files import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pit_memory.stores.catalogue import Catalogue


def read_ref(
    root: Path | None, ref: str, budget: int, *, links: bool = False, all_links: bool = False
) -> ReadAnswer:
    """Show what a citation names; stores are opened, and looked at, only to find what moved."""
    if is_fact_ref(ref):
        from pit_memory.operations.facts.recall import read_fact_ref

        with open_facts(root) as (facts, access):
            return read_fact_ref(facts, access, ref, budget)
    with reading(root) as read_one:
        return read_one(ref, budget, links=links, all_links=all_links)


@contextmanager
def reading(root: Path | None) -> "Iterator[Callable[..., ReadAnswer]]":
    """Read what citations name: a function of ref and budget, for the time of the block."""
    top = project_root(root)
    where = places(os.environ)
    loaded = load(top, where, os.environ, lenient=True)
    searched = searched_sources(top, loaded, where, os.environ)
    with ExitStack() as stack:

        def catalogues() -> "list[Catalogue]":
            if not find_spec("tantivy"):
                return []
            from pit_memory.operations.indexing.look import LookedStore, look_and_ask
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

        def read_one(
            ref: str, budget: int, *, links: bool = False, all_links: bool = False
        ) -> ReadAnswer:
            answer = read(
                ref,
                searched.all,
                catalogues=catalogues,
                budget=budget,
                links=links,
                all_links=all_links,
            )
            notes = (*answer.notes, *loaded.problems, *searched.notes)
            return replace(answer, notes=notes)

        yield read_one


def address_of(root: Path | None, answer: ReadAnswer) -> str | None:
    """Return the address at which a person opens what was read."""
    from pit_memory.operations.reading.addresses import Wanted, addresses

    top = project_root(root)
    loaded = project_settings(top, lenient=True)
    settings = loaded.settings
    sources = searched_sources(top, loaded, places(os.environ), os.environ).all
    anchor = parse_ref(answer.ref).anchor or ""
    wanted = Wanted(answer.source, answer.path, anchor, answer.whole)
    roots = {source.name: Path(source.root) for source in sources}
    return addresses([wanted], roots, settings.links.forge)[wanted]
