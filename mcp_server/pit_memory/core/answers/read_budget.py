"""Fit a passage into its token budget, with the way to the rest."""

from collections.abc import Sequence
from dataclasses import replace

from pit_memory.core.answers.answers import SnippetLine
from pit_memory.core.answers.read_answers import ReadAnswer
from pit_memory.core.answers.read_text import read_line, read_text
from pit_memory.core.documents.citations import Ref, format_ref
from pit_memory.core.text.safe_text import safe_line
from pit_memory.core.tokens import estimate, line_cost

_CUT = "…"
_NOTE_TOKENS = 25
"""For the note that a line is cut."""
_SHORTER = 0.9
"""Of a line that is still too long: tokens are not spread evenly over it."""


def fit_lines(answer: ReadAnswer, file_lines: Sequence[str], budget: int) -> ReadAnswer:
    """The answer with as many of its lines as the budget holds, from the first on.

    Args:
        answer: what the ref names, without lines.
        file_lines: all lines of the file.
        budget: estimated tokens of the whole answer.

    Returns:
        At least one line, if the file has any; a line too long for the budget is cut, which a note
        says, and what follows is named by `next_ref`.
    """
    first, last = answer.whole
    room = budget - _cost_around(answer)
    lines: list[SnippetLine] = []
    notes = answer.notes
    for number, text in enumerate(file_lines[first - 1 : last], start=first):
        line = SnippetLine(number, safe_line(text))
        cost = line_cost(read_line(line))
        if cost > room and not lines:
            line = SnippetLine(number, _cut(line.text, room - _NOTE_TOKENS))
            notes = (*notes, f"line {number} is cut: it has {len(text):,} characters")
            cost = room
        if cost > room:
            break
        room -= cost
        lines.append(line)
    shown = lines[-1].line if lines else first
    fitted = replace(
        answer,
        lines=tuple(lines),
        shown=(first, shown),
        next_ref=_rest(answer, shown + 1) if shown < last else None,
        notes=notes,
    )
    return replace(fitted, used_tokens=estimate(read_text(fitted)))


def _rest(answer: ReadAnswer, first: int) -> str:
    return format_ref(Ref(answer.path, answer.source or None, lines=(first, answer.whole[1])))


def _cost_around(answer: ReadAnswer) -> float:
    """Tokens of everything but the lines, the way to the rest included."""
    largest = replace(answer, shown=answer.whole, next_ref=_rest(answer, answer.whole[1]))
    return sum(map(line_cost, read_text(largest).split("\n")))


def _cut(text: str, room: float) -> str:
    while text and line_cost(text) > room:
        text = text[: int(len(text) * min(_SHORTER, room / line_cost(text)))] if room > 0 else ""
    return text + _CUT
