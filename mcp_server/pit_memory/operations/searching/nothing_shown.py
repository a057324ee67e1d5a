"""What is said where a search shows nothing: what could not be read, and where else to ask."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pit_memory.core.answers.answers import SearchAnswer
from pit_memory.core.text.nearest import nearest, nearest_path
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_line
from pit_memory.operations.indexing.look import LookReport
from pit_memory.operations.searching.search import SearchRequest, filters_of
from pit_memory.sources.formats import ending_of
from pit_memory.stores.catalogue_filters import folded_tag
from pit_memory.stores.path_filter import PathFilter

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
    answer = replace(answer, is_behind=seen.failed or unread > 0)
    if not answer.abstained:
        return answer
    where = [_unread_note(unread)] if unread else []
    where += _elsewhere(request, catalogues)
    if not (answer.nearest or seen.pending_files) and (request.names_documents or not seen.notes):
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
    found: Sequence[tuple[Collection[str], Collection[str]]] = ()
    if request.names_documents:  # only then are all of them asked for
        known = replace(filters_of(request), paths=(), tags=(), left_out=())
        found = [catalogue.paths_and_tags(known) for catalogue in catalogues]
    paths = {path for each, _ in found for path in each}
    tags = {tag for _, each in found for tag in each}
    if request.source:
        yield f"searched only in the source {safe_line(request.source)}"
    if request.path:
        said = f"searched only in {safe_line(request.path)}, seen from {root}"
        yield said + _unknown_path(request.path, paths)
    if request.tags:
        said = f"searched only documents tagged {safe_line(', '.join(request.tags))}"
        yield said + "".join(_unknown_tag(tag, tags) for tag in request.tags)


def _unknown_path(given: str, paths: Collection[str]) -> str:
    """That no document lies at a path, and which one may be meant; empty where one does."""
    meant = PathFilter((given,))
    if any(map(meant.match, paths)):
        return ""
    wanted = meant.literals[0]
    near = nearest_path(wanted, paths) if ending_of(wanted) else nearest(wanted, _folders_of(paths))
    return "; no document lies there" + (f", nearest: {safe_line(near)}" if near else "")


def _folders_of(paths: Collection[str]) -> set[str]:
    """Every folder that a file lies in or below; not the root."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def _unknown_tag(given: str, tags: Collection[str]) -> str:
    """That no document has a tag, and which one may be meant; empty where one has it."""
    if folded_tag(given) in tags:
        return ""
    near = nearest(folded_tag(given), tags)
    guess = f", nearest: `{safe_line(near)}`" if near else ""
    return f"; no document has the tag `{safe_line(given)}`{guess}"
