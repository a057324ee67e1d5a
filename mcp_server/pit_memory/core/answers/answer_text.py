"""Answers as text for agents and people who read plain text.

Retrieved text stands in numbered, indented lines below the ref it comes from: it is data, and
nothing in it can look like a line of ours.
"""

from collections.abc import Sequence

from pit_memory.core.answers.answers import Hit, SearchAnswer, SnippetLine
from pit_memory.core.documents.incident_record import Incident
from pit_memory.core.incidents.incident_fields import duration_text
from pit_memory.core.text.plurals import counted
from pit_memory.core.text.safe_text import safe_name

_CRUMB = " > "
_MARK = " · "


def answer_text(answer: SearchAnswer) -> str:
    """The whole answer as text, within its budget; ends without a line end."""
    lines = []
    if answer.abstained:
        lines.append(_nothing(answer))
        lines += map(nearest_line, answer.nearest)
    elif not answer.hits and answer.more:
        lines.append(f"nothing fits into {answer.budget} tokens; ask with a larger budget")
    elif not answer.hits and answer.is_behind:
        lines.append("nothing to show: the files that answer can't be read now")
    elif not answer.hits:
        lines.append("nothing to show: the files that answer have changed or are gone; ask again")
    elif answer.lead:
        lines.append(answer.lead)
    for rank, hit in enumerate(answer.hits, start=1):
        lines.append(hit_header(rank, hit))
        lines += map(hit_line, hit.snippet)
    return "\n".join([*lines, *_tail_lines(answer)])


def _nothing(answer: SearchAnswer) -> str:
    """Found nothing, which differs from: could not look."""
    if not answer.looked_everywhere:
        return "nothing found so far, and not all could be searched"
    return answer.lead or "nothing found: the documents do not seem to cover this"


def hit_header(rank: int, hit: Hit) -> str:
    """The first line of a hit: ref, lines, breadcrumb, and what a reader must know of it."""
    first, last = hit.lines
    place = f"L{first}" if first == last else f"L{first}-{last}"
    marks = [hit.status] if hit.status != "published" else []
    marks += [hit.kind] if hit.collection == "memory" else []
    marks += ["weak"] if hit.band == "weak" else []
    marks += [_also_in(hit.copies)] if hit.copies else []
    if hit.is_related:
        marks.append("runbook" if hit.kind == "runbook" else "docs")
    place = _MARK.join([place, *_incident_marks(hit.incident)]) if hit.incident else place
    return _MARK.join([f"{rank}. {hit.ref}  {place}  {_CRUMB.join(hit.breadcrumb)}", *marks])


def _incident_marks(incident: Incident) -> list[str]:
    """When, where, how bad and how long."""
    lasted = "" if incident.minutes is None else f"lasted {duration_text(incident.minutes)}"
    said = (", ".join(incident.services), incident.severity, lasted)
    return [incident.date or "no date", *(safe_name(it) for it in said if it)]


def _also_in(copies: Sequence[str]) -> str:
    """The first copy by name: a reader wants to know that there are others, and where."""
    others = f" and {len(copies) - 1} more" if len(copies) > 1 else ""
    return f"also {copies[0]}{others}"


def hit_line(line: SnippetLine) -> str:
    """One line of the file under its hit."""
    return f"   {line.line}: {line.text}"


def nearest_line(ref: str) -> str:
    """A heading that is near a question which nothing answers."""
    return f"nearest: {ref}"


def _tail_lines(answer: SearchAnswer) -> list[str]:
    """What was cut or is wrong; nothing where all is well."""
    lines = []
    if answer.more:
        lines.append(f"{answer.more} more{_MARK}{answer.used_tokens} of {answer.budget} tokens")
    if answer.semantic.state == "degraded":
        said = "by words only" if answer.mode == "keyword" else "meaning"
        lines.append(f"{said}: {answer.semantic.reason}")
    if answer.pending_files:
        lines.append(f"{counted(answer.pending_files, 'file')} not indexed yet")
    return [*lines, *answer.notes]
