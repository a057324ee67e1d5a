"""Whether a record that comes with a known id is the known incident, or another one of that id.

An issue's address is its own. A file's name, or a number in an export, is not: two teams have a
`report.md`, two systems a first incident.
"""

import hashlib
import re

from pit_memory.core.front_matter.scalars import read_scalars
from pit_memory.core.incidents.import_marks import OWN_KEYS
from pit_memory.core.search.likeness import overlap

_SAID_AGAIN = 0.5
"""Share of the telling words of the shorter text that the longer one has. A report that grew from
two lines keeps them; what two reports share is the headings of the form and the trade's words."""
_END = "---"
_WHEN_MADE = re.compile(r"[\s._-]*\(?(?:\d[\d:TZ]*[\s._-]*)+\)?$")
"""At the end of an export's name: `-2024-05`, ` (2)`, `_20240517T1200Z`."""


def export_name(stem: str) -> str:
    """What the exports of one system are called, whenever each was made."""
    return _WHEN_MADE.sub("", stem) or stem


def is_another_incident(known: str, told: str) -> bool:
    """Tell whether two records of one id, as an import writes them, tell of two incidents.

    In doubt they are one. Another title alone is none: titles are mended.
    """
    (title, date, text), (title_told, date_told, text_told) = _read(known), _read(told)
    if title.casefold() == title_told.casefold():
        return False
    if overlap(text, text_told) < _SAID_AGAIN:
        return True
    return "" != date != date_told != "" and not overlap(title, title_told)


def own_id(source_id: str, title: str) -> str:
    """The id of an incident whose own is that of another one."""
    mark = hashlib.sha256(title.casefold().encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{source_id}~{mark}"


def _read(record: str) -> tuple[str, str, str]:
    """Title, date and text of a record; without what an import says there of itself."""
    lines = record.split("\n")
    end = lines.index(_END, 1) if _END in lines[1:] else 0
    told = [line for line in lines[1:end] if not line.startswith(OWN_KEYS)]
    values = read_scalars([_END, *told, _END]).values
    said = [line.partition(":")[2] for line in told]
    body = [line for line in lines[end + 1 :] if not line.startswith("#")]
    return values.get("title", ""), values.get("date", ""), "\n".join([*said, *body])
