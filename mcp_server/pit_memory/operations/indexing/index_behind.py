"""An index that a look could not bring up to the files: what the leg by words says of it."""

from dataclasses import replace

from pit_memory.core.answers.answers import LegReport
from pit_memory.operations.indexing.look import LookReport


def behind_as_seen(keyword: LegReport, seen: LookReport) -> LegReport:
    """What the leg by words reports after a look: degraded where its index may be behind the files.

    A look that left files for later says their number; that is no trouble of the leg.
    """
    if keyword.state != "ran" or not seen.behind:
        return keyword
    return replace(keyword, state="degraded", reason=seen.behind)
