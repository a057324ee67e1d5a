"""Search filters as a question to the catalogue: which documents pass."""

# ruff: noqa: S608 -- statements are put together from constants, values are always bound

import sqlite3
from collections.abc import Iterable
from typing import Any

from pit_memory.core.documents.incident_record import MONTH_LENGTH, folded_service
from pit_memory.core.search.legs import SearchFilters
from pit_memory.stores.path_filter import PathFilter
from pit_memory.stores.rows import texts_of_json


def matching_ids(connection: sqlite3.Connection, filters: SearchFilters) -> frozenset[int] | None:
    """Ids of the documents that pass the filters; None where every document does.

    Raises:
        UsageError: a path filter is a glob that can't be compiled.
    """
    conditions, values = _conditions(filters)
    rows = connection.execute(
        f"SELECT id, path, tags FROM documents WHERE {' AND '.join(conditions)}", values
    ).fetchall()
    if filters.paths:
        wanted = PathFilter(filters.paths)
        rows = [row for row in rows if wanted.match(row[1])]
    if filters.left_out:
        unwanted = PathFilter(filters.left_out)
        rows = [row for row in rows if not unwanted.match(row[1])]
    if filters.tags:
        tags = {folded_tag(tag) for tag in filters.tags}
        rows = [row for row in rows if tags <= folded_tags(texts_of_json(row[2]))]
    if filters.assignment is not None:  # never "every document", whatever else the store holds
        return frozenset(row[0] for row in rows)
    (total,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    return None if len(rows) == total else frozenset(row[0] for row in rows)


def folded_tags(tags: Iterable[str]) -> set[str]:
    """Tags as tags compare; `a/b` is also an `a`."""
    folded = set()
    for tag in map(folded_tag, tags):
        folded.add(tag)
        while "/" in tag:
            tag = tag.rpartition("/")[0]  # noqa: PLW2901 -- each tag with those above it
            folded.add(tag)
    return folded - {""}


def folded_tag(tag: str) -> str:
    """A tag as tags compare: without case and without the sign that marks one in a text."""
    return tag.removeprefix("#").casefold()


def _conditions(filters: SearchFilters) -> tuple[list[str], list[Any]]:
    conditions, values = ["assignment IS ?"], [filters.assignment]
    if filters.since:
        conditions.append("date != '' AND (date >= ? OR date = ?)")
        values += [filters.since, filters.since[:MONTH_LENGTH]]
    if filters.services:
        conditions.append(
            "EXISTS (SELECT 1 FROM json_each(services) "
            f"WHERE json_each.value IN ({', '.join('?' * len(filters.services))}))"
        )
        values += map(folded_service, filters.services)
    for column, allowed in (
        ("source", filters.sources),
        ("collection", filters.collections),
        ("kind", filters.kinds),
        ("status", filters.statuses),
        ("audience", filters.audiences),
    ):
        if allowed:
            conditions.append(f"{column} IN ({', '.join('?' * len(allowed))})")
            values.extend(allowed)
    return conditions, values
