"""A read passage as text for agents and people, and as JSON values."""

from pit_memory.core.answers.answers import SnippetLine
from pit_memory.core.answers.read_answers import ReadAnswer, ReadLink

_SHOWN_BELOW = 8
"""Sections below that are named; more cost tokens, and the page has them all."""


def read_text(answer: ReadAnswer) -> str:
    """Ref, state and numbered lines; what the budget cut is named by its ref."""
    return "\n".join(
        [_read_header(answer), *map(read_line, answer.lines), *_tail(answer), *answer.notes]
    )


def _read_header(answer: ReadAnswer) -> str:
    """The first line: ref, lines, breadcrumb, status and state where they matter."""
    first, last = answer.shown
    place = f"L{first}" if first == last else f"L{first}-{last}"
    marks = [mark for mark in (answer.status, answer.state) if mark not in {"published", "uncited"}]
    return " · ".join([f"{answer.ref}  {place}  {' > '.join(answer.breadcrumb)}", *marks])


def read_line(line: SnippetLine) -> str:
    """One numbered line of the file."""
    return f"{line.line}: {line.text}".rstrip()


def read_json(answer: ReadAnswer) -> dict[str, object]:
    """The answer as values, ready for `json.dumps`."""
    return {
        "ref": answer.ref,
        "state": answer.state,
        "source": answer.source,
        "path": answer.path,
        "title": answer.title,
        "breadcrumb": list(answer.breadcrumb),
        "status": answer.status,
        "shown": list(answer.shown),
        "whole": list(answer.whole),
        "lines": [{"line": line.line, "text": line.text} for line in answer.lines],
        "below": list(answer.below),
        "next_ref": answer.next_ref,
        "links": [_link_json(link) for link in answer.links],
        "backlinks": [_link_json(link) for link in answer.backlinks],
        "used_tokens": answer.used_tokens,
        "notes": list(answer.notes),
    }


def _link_json(link: ReadLink) -> dict[str, object]:
    return {"line": link.line, "target": link.target, "ref": link.ref}


def _tail(answer: ReadAnswer) -> list[str]:
    tail = []
    if answer.below:
        more = len(answer.below) - _SHOWN_BELOW
        names = " ".join(f"#{anchor}" for anchor in answer.below[:_SHOWN_BELOW])
        tail.append(f"below: {names}" + (f" and {more} more" if more > 0 else ""))
    if answer.next_ref:
        tail.append(f"rest: {answer.next_ref}")
    tail += [
        f"link L{link.line}: [[{link.target}]] -> {link.ref or 'nothing'}" for link in answer.links
    ]
    tail += [f"linked from: {link.ref}  L{link.line}" for link in answer.backlinks]
    return tail
