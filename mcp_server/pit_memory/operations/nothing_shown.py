"""What is said where a search shows nothing: what could not be read, and where else to ask."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.answers import SearchAnswer
from pit_memory.core.plurals import counted
from pit_memory.core.safe_text import safe_line
from pit_memory.operations.look import LookReport
from pit_memory.operations.search import SearchRequest

if TYPE_CHECKING:
    from pit_memory.stores.catalogue import Catalogue


def with_what_may_answer(
    answer: SearchAnswer,
    request: SearchRequest,
    seen: LookReport,
    catalogues: "Sequence[Catalogue]",
    root: Path,
) -> SearchAnswer:
    """An answer that shows nothing, with what may answer all the same; another one as it is.

    Args:
        answer: of the search.
        request: what was asked.
        seen: by the look before it.
        catalogues: of the stores that were asked.
        root: of the project.
    """
    if answer.hits or answer.more:
        return answer
    unread = seen.not_looked + _unreadable(request, catalogues)
    failed = not seen.complete and not seen.pending_files
    answer = replace(answer, is_behind=failed or unread > 0)
    if not answer.abstained:
        return answer
    where = [_unread_note(unread)] if unread else []
    where += _elsewhere(request, catalogues)
    if not (answer.nearest or seen.notes or seen.pending_files):
        where += _where_asked(request, catalogues, root)
    return replace(answer, notes=(*answer.notes, *where))


def _unreadable(request: SearchRequest, catalogues: "Sequence[Catalogue]") -> int:
    """How many files of the sources that are asked could not be read."""
    problems = (problem for each in catalogues for problem in each.problems(request.source))
    return len({(it.source, it.path) for it in problems if it.rule == "unreadable"})


def _unread_note(count: int) -> str:
    files = counted(count, "file or folder", "files or folders")
    return f"{files} could not be read, and may answer: pit-memory status --problems"


def _elsewhere(request: SearchRequest, catalogues: "Sequence[Catalogue]") -> Iterator[str]:
    """What was not searched, and may answer."""
    if request.collection != "docs":
        return
    if records := sum(it.incident_counts(request.audiences)[0] for it in catalogues):
        verb = "is" if records == 1 else "are"
        found = counted(records, "incident record")
        yield f"there {verb} {found}: ask with incidents_search (`pit-memory incidents search`)"


def _where_asked(
    request: SearchRequest, catalogues: "Sequence[Catalogue]", root: Path
) -> Iterator[str]:
    """Nothing at all is near the question: the place is wrong more likely than the words."""
    if not any(catalogue.counts().documents for catalogue in catalogues):
        yield f"there are no documents below {root}"
        return
    if request.source:
        yield f"searched only in the source {safe_line(request.source)}"
    if request.path:
        yield f"searched only in {safe_line(request.path)}, seen from {root}"
    if request.tags:
        tags = safe_line(", ".join(request.tags))
        yield f"searched only documents tagged {tags}"
