"""Services that a question names and no record has."""

from collections.abc import Collection, Iterable

from pit_memory.core.documents.incident_record import folded_service
from pit_memory.core.text.nearest import nearest
from pit_memory.core.text.safe_text import safe_line


def unknown_services(names: Iterable[str], known: Collection[str]) -> list[str]:
    """One line for each name that no record has, with the one that may be meant.

    Args:
        names: as people write them.
        known: the services of the records, folded.
    """
    lines = []
    for name in names:
        if folded_service(name) not in known:
            near = nearest(folded_service(name), known)
            guess = f"; did you mean {near}?" if near else ""
            lines.append(f"no incident names the service {safe_line(name)}{guess}")
    return lines
