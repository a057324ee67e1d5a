"""Search filters as terms of the keyword index: what an entry carries, what a question asks for."""

from collections.abc import Iterator
from dataclasses import dataclass

from pit_memory.core.documents.incident_record import day_number, folded_service
from pit_memory.core.search.legs import SearchFilters
from pit_memory.stores.catalogue_filters import folded_tag, folded_tags
from pit_memory.stores.path_filter import PathFilter
from pit_memory.stores.rows import WholeDocument

FILTER_FIELDS = (
    "collection",
    "kind",
    "status",
    "audience",
    "assignment",
    "source",
    "path",
    "tag",
    "service",
)
DAY_FIELD = "day"
"""The day of an incident as a number (`core.documents.incident_record.day_number`)."""
FILE_MARK = "="
"""Begins the term of a value; a path's own term, too."""
FOLDER_MARK = "/"
"""Begins the term of a folder that a path lies in."""
_NO_VALUE = "-"


@dataclass(frozen=True, slots=True)
class Condition:
    """One of these terms must occur in a field (or, negated, none of them)."""

    field: str
    terms: tuple[str, ...]
    globs: PathFilter | None = None
    """Paths that are meant as well; which those are only the index knows."""
    negated: bool = False
    at_least: int | None = None
    """For a field of whole numbers: the least one; there are no terms then."""


def terms_of(whole: WholeDocument) -> Iterator[tuple[str, str]]:
    """(field, term) of everything that a document can be filtered by."""
    document = whole.document
    yield "collection", filter_term(document.collection)
    yield "kind", filter_term(document.kind)
    yield "status", filter_term(document.status)
    yield "audience", filter_term(document.audience)
    yield "assignment", filter_term(document.assignment)
    yield "source", filter_term(whole.source)
    yield "path", filter_term(document.path)
    yield "path", FOLDER_MARK  # the root
    for at, sign in enumerate(document.path):
        if sign == "/":
            yield "path", FOLDER_MARK + document.path[:at]
    for tag in folded_tags(document.tags):
        yield "tag", filter_term(tag)
    for service in document.incident.services if document.incident else ():
        yield "service", filter_term(folded_service(service))


def conditions_of(filters: SearchFilters) -> Iterator[Condition]:
    """What an entry must meet, all of it.

    Raises:
        UsageError: a path filter is a glob that can't be compiled.
    """
    yield Condition("assignment", (filter_term(filters.assignment),))
    for field, allowed in (
        ("source", filters.sources),
        ("collection", filters.collections),
        ("kind", filters.kinds),
        ("status", filters.statuses),
        ("audience", filters.audiences),
    ):
        if allowed:
            yield Condition(field, tuple(map(filter_term, allowed)))
    for tag in filters.tags:
        yield Condition("tag", (filter_term(folded_tag(tag)),))
    if filters.services:
        yield Condition(
            "service", tuple(filter_term(folded_service(it)) for it in filters.services)
        )
    if filters.since:
        yield Condition(DAY_FIELD, (), at_least=day_number(filters.since))
    if filters.paths:
        yield _path_condition(PathFilter(filters.paths), negated=False)
    if filters.left_out:
        yield _path_condition(PathFilter(filters.left_out), negated=True)


def _path_condition(paths: PathFilter, *, negated: bool) -> Condition:
    terms = [term for name in paths.literals for term in (FILE_MARK + name, FOLDER_MARK + name)]
    return Condition("path", tuple(terms), paths if paths.has_globs else None, negated)


def filter_term(value: str | None) -> str:
    """The term of a value; one of its own stands for none."""
    return _NO_VALUE if value is None else FILE_MARK + value
