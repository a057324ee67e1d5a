"""Fit an answer into its token budget: every hit its header first, then lines in turn."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from pit_memory.core.answers.answer_text import answer_text, hit_header, hit_line, nearest_line
from pit_memory.core.answers.answers import Hit, SearchAnswer
from pit_memory.core.text.plurals import counted
from pit_memory.core.tokens import estimate, line_cost

_NOTES_SHARE = 0.5
"""Of the budget, at most, for what is cut or wrong: an answer is more than its notes."""


def fit(answer: SearchAnswer) -> SearchAnswer:
    """The answer with as many hits and lines as its budget holds, and what it then costs.

    Args:
        answer: all hits that may be shown, their lines best first; `more` counts those beyond them.

    Returns:
        Hits from the first on, each with its header and, while there is room, its best line; what
        is left goes to second lines, then to third ones. Lines stand in the file's order.
    """
    notes = _fitting_notes(answer.notes, answer.budget * _NOTES_SHARE)
    answer = replace(answer, notes=notes, used_tokens=answer.budget)
    nothing_shown = replace(answer, hits=(), more=answer.more + len(answer.hits), nearest=())
    room = answer.budget - sum(map(line_cost, answer_text(nothing_shown).split("\n")))
    hits = _fitting_hits(answer.hits, room)
    fitted = replace(
        nothing_shown,
        hits=hits,
        more=nothing_shown.more - len(hits),
        nearest=tuple(_fitting_lines(answer.nearest, nearest_line, room)),
    )
    return replace(fitted, used_tokens=estimate(answer_text(fitted)))


def _fitting_hits(hits: Sequence[Hit], room: float) -> tuple[Hit, ...]:
    """As many hits as there is room for; incidents whole and in turn: half a story is none."""
    stories = list(takewhile(lambda hit: hit.incident is not None, hits))
    told: list[Hit] = []
    for rank, hit in enumerate(stories, start=1):
        lines = [hit_header(rank, hit), *map(hit_line, hit.snippet)]
        cost = sum(map(line_cost, lines))
        if cost > room and told:
            return tuple(told)
        room -= cost
        told.append(hit if room >= 0 else replace(hit, snippet=()))
    return (*told, *_fitting_sections(hits[len(told) :], len(told) + 1, room))


def _fitting_sections(hits: Sequence[Hit], first_rank: int, room: float) -> tuple[Hit, ...]:
    shown: list[int] = []
    for rank, hit in enumerate(hits, start=first_rank):
        header = line_cost(hit_header(rank, hit))
        if header > room:
            break
        room -= header
        shown.append(0)
        if hit.snippet and (line := line_cost(hit_line(hit.snippet[0]))) <= room:
            room -= line
            shown[-1] = 1
    for turn in range(1, max((len(hit.snippet) for hit in hits), default=0)):
        for index, hit in enumerate(hits[: len(shown)]):
            if shown[index] == turn < len(hit.snippet):
                line = line_cost(hit_line(hit.snippet[turn]))
                if line <= room:
                    room -= line
                    shown[index] += 1
    return tuple(
        replace(hit, snippet=tuple(sorted(hit.snippet[:lines], key=lambda line: line.line)))
        for hit, lines in zip(hits, shown, strict=False)
    )


def _fitting_notes(notes: Sequence[str], room: float) -> tuple[str, ...]:
    fitting = tuple(_fitting_lines(notes, str, room))
    if len(fitting) == len(notes):
        return fitting
    return (*fitting, f"{counted(len(notes) - len(fitting), 'more note')}: pit-memory status")


def _fitting_lines(
    texts: Sequence[str], line_of: Callable[[str], str], room: float
) -> Iterator[str]:
    for text in texts:
        room -= line_cost(line_of(text))
        if room < 0:
            return
        yield text
