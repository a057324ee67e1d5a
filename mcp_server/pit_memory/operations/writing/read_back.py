"""Find again what was written: indexed, and searched for by its own words."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pit_memory.core.kinds import written_kind
from pit_memory.core.source import Source
from pit_memory.core.writing.writings import Writing
from pit_memory.errors import PitMemoryError, StorageFullError, StoreError
from pit_memory.operations.indexing.sync import index_paths
from pit_memory.operations.searching.search import SearchRequest, search
from pit_memory.operations.searching.searched_store import SearchedStore
from pit_memory.sources.sieve import Sieve, Tally, rules_of
from pit_memory.workspace.git import is_ignored

_QUERY_CHARACTERS = 300


class Found(NamedTuple):
    """Whether a search finds what was written."""

    ref: str = ""
    """Citation of a section of it; empty where a search doesn't find it."""
    why: str = ""
    """Why not, one line; empty where it does."""


def read_back(
    searched: SearchedStore, source: Source, path: str, writing: Writing, *, is_committed: bool
) -> Found:
    """Index a file, and search for it by its own words; unless the next look would drop it.

    Args:
        searched: the store of its source.
        source: where it lies.
        path: relative to the source's root, POSIX.
        writing: what was written into it.
        is_committed: git knows it, so that its ignore rules hold no more.
    """
    try:
        if why := _why_left_out(source, path, is_committed=is_committed):
            return Found(why=why)
        index_paths(searched.store, source, [path])
        searched.let_answer(source)
        for query in _queries(writing):
            request = SearchRequest(
                query,
                collection=_collection_of(writing),
                path=_as_glob(path),
                source=source.name,
                mode="keyword",
            )
            hits = search([searched], request).hits
            if hits:
                return Found(hits[0].ref)
    except (StoreError, StorageFullError) as error:
        return Found(why=f"{error}; the next search tries again")
    except PitMemoryError as error:
        return Found(why=str(error))
    return Found(why="a search for its own words doesn't find it; `pit-memory sync` tells more")


def _why_left_out(source: Source, path: str, *, is_committed: bool) -> str:
    """Why the looks of all searches to come leave a file out; empty where they don't."""
    if not Sieve(rules_of(source), Tally()).documents([path]):
        return "the settings leave it out of the search (docs.include, docs.exclude)"
    if not is_committed and is_ignored(Path(source.root), path, even_tracked=False) is True:
        return "git ignores it, and so does the search"
    return ""


def _collection_of(writing: Writing) -> str:
    kind, _ = written_kind(writing.kind)
    return "docs" if kind.collection == "memory" else kind.collection


def _queries(writing: Writing) -> Iterator[str]:
    """Words it must be found by: its title, else the start of its text."""
    yield writing.title
    yield writing.body[:_QUERY_CHARACTERS]


def _as_glob(path: str) -> str:
    """A path as a filter that means this file alone."""
    return "".join(f"\\{sign}" if sign in "*?[\\" else sign for sign in path)
