"""An index that a look could not bring up to the files: what the leg by words says of it."""

from dataclasses import replace

from pit_memory.core.answers import LegReport
from pit_memory.operations.look import LookReport

_BEHIND = "the index may be behind your files: "
"""How a look says that the disk is full or another process holds the index (`operations.look`)."""


def behind_as_seen(keyword: LegReport, seen: LookReport) -> LegReport:
    """What the leg by words reports after a look: degraded where its index may be behind the files.

    A look that left files for later says their number; that is no trouble of the leg.
    """
    reason = next((note for note in seen.notes if note.startswith(_BEHIND)), "")
    if keyword.state != "ran" or not reason:
        return keyword
    return replace(keyword, state="degraded", reason=reason)
