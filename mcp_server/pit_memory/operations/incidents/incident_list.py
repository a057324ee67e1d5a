"""The incidents there are: newest first, counted by service and month."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pit_memory.core.documents.citations import Ref, format_ref
from pit_memory.core.documents.incident_record import MONTH_LENGTH, Incident
from pit_memory.core.incidents.unknown_services import unknown_services
from pit_memory.core.search.legs import SearchFilters
from pit_memory.stores.catalogue import Catalogue

NO_SERVICE = "(no service)"
NO_DATE = "(no date)"


@dataclass(frozen=True, slots=True)
class ListedIncident:
    """A record as a list shows it."""

    ref: str
    title: str
    status: str
    """Of the document: `draft` or `published`."""
    incident: Incident


@dataclass(frozen=True, slots=True)
class IncidentList:
    """Records and what they come to."""

    incidents: tuple[ListedIncident, ...]
    """The newest first, those without a date last."""
    by_service: Mapping[str, int]
    """The most frequent first; an incident counts for each service that it names."""
    by_month: Mapping[str, int]
    """The latest first."""
    notes: tuple[str, ...] = ()
    """What may be missing or is ignored, one line each."""


def list_incidents(
    catalogues: Sequence[Catalogue],
    services: Sequence[str] = (),
    since: str = "",
    notes: Sequence[str] = (),
) -> IncidentList:
    """List the records of incidents.

    Args:
        catalogues: of the stores, after a look.
        services: only incidents of any of these; empty: of all.
        since: only incidents of that ISO date or later; empty: of any day, also of none.
        notes: what is to be said with them.
    """
    filters = SearchFilters(collections=("incidents",), services=tuple(services), since=since)
    rows = [row for catalogue in catalogues for row in catalogue.documents_passing(filters)]
    listed = [
        ListedIncident(
            format_ref(Ref(row.path, row.source or None)),
            row.title,
            row.status,
            row.incident or Incident(),
        )
        for row in rows
    ]
    listed.sort(key=lambda it: it.ref)
    listed.sort(key=lambda it: it.incident.date, reverse=True)
    known = {name for it in catalogues for name in it.incident_services(())} if services else set()
    named = (name for it in listed for name in it.incident.services or (NO_SERVICE,))
    months = Counter(it.incident.date[:MONTH_LENGTH] or NO_DATE for it in listed)
    return IncidentList(
        tuple(listed),
        by_service=dict(Counter(named).most_common()),
        by_month=dict(sorted(months.items(), reverse=True)),
        notes=(*notes, *unknown_services(services, known)),
    )
