"""The setting `incidents.fields`: which keys of an export hold which field of a record."""

from collections.abc import Sequence

from pit_memory.core.incidents.incident_fields import FIELD_NAMES

_FIELDS = (*FIELD_NAMES, "title", "body", "tags", "id")
MAPPED_FIELDS = ("id", "title", "body", *(name for name in FIELD_NAMES if name != "source"), "tags")
"""Fields in the order in which people think of them."""


def mapping_of(lines: Sequence[str]) -> dict[str, str]:
    """The setting `incidents.fields`: field of a record to key of an export.

    Raises:
        ValueError: a line is no `field = key` with a field that records have.
    """
    mapping = {}
    for line in lines:
        field, sign, key = (part.strip() for part in line.partition("="))
        if not sign or not key or field not in _FIELDS:
            message = f'lines such as "cause = root_cause_analysis", not {line!r}'
            raise ValueError(message)
        mapping[field] = key
    return mapping
