"""Why the sections of an answer rank as they do, for a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pit_memory.core.search.fusion import Parts
from pit_memory.core.text.languages import language_name

_SMALL = 0.005
"""Points that would be shown as zero."""
_LABELS = {
    "page": "the page as a whole",
    "heading": "the question names its heading",
    "title": "the question names its page",
    "whole_heading": "heading and question say the same",
    "literals": "holds a rare literal of the question",
    "dated": "near a date of the question",
    "boosted": "put before others by settings or front matter",
    "lowered": "change log, archive, blog, proposal, or put behind others",
    "bare": "a heading without text of its own",
}


@dataclass(frozen=True, slots=True)
class LegPlace:
    """Where one leg put a section."""

    rank: int
    """From 1."""
    of: int
    """Sections that the leg listed."""
    score: float
    """In the leg's own unit: BM25, or cosine."""


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """A section with all that speaks for and against it."""

    ref: str
    breadcrumb: tuple[str, ...]
    words: LegPlace | None
    """None where the leg did not list it."""
    meaning: LegPlace | None
    without_meaning: bool
    """The model can't judge it, or not yet: words speak for both legs."""
    parts: Parts
    same_page: float
    """Points taken off for better sections of its page; above zero where it stands for a better
    copy, or before a section of its page whose heading only names the page."""
    copies: tuple[str, ...]
    """Paths of the versions and translations that are folded into it."""
    named: tuple[str, ...]
    """Stems of the question that it or its headings hold, the rarest first."""

    @property
    def score(self) -> float:
        """What it is ranked by."""
        return sum(self.parts) + self.same_page


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a question was understood, judged and ranked."""

    language: str
    stems: Mapping[str, float]
    """What words are looked for, to how much each tells (idf)."""
    literals: tuple[str, ...]
    by_meaning: bool
    """The meaning leg has answered."""
    legs: Sequence[tuple[str, str]]
    """Leg to what it did."""
    confidence: float | None
    """None for a question of one word, which is answered where that stands anywhere."""
    floor: float
    """Least confidence of an answer."""
    is_answer: bool
    hits: tuple[ExplainedHit, ...]


def explanation_text(told: Explanation) -> str:
    """The explanation as lines of text, without a line end."""
    stems = sorted(told.stems, key=lambda stem: -told.stems[stem])
    lines = [
        f"read as {language_name(told.language)}",
        "words by how much they tell: "
        + (", ".join(f"{stem} {told.stems[stem]:.1f}" for stem in stems) or "none"),
        "looked for literally: " + (", ".join(told.literals) or "nothing"),
        *(f"{leg}: {did}" for leg, did in told.legs),
        _judged(told),
    ]
    for rank, hit in enumerate(told.hits, start=1):
        lines += [
            "",
            f"{rank}. {hit.ref}  {' > '.join(hit.breadcrumb)}",
            *_table(hit, told.by_meaning),
        ]
    return "\n".join(lines)


def _judged(told: Explanation) -> str:
    outcome = "answered" if told.is_answer else "nothing relevant"
    if told.confidence is None:
        return f"one word, which must stand somewhere: {outcome}"
    return f"confidence {told.confidence:.2f}, an answer needs {told.floor:.2f}: {outcome}"


def _table(hit: ExplainedHit, by_meaning: bool) -> list[str]:
    named = f"names {', '.join(hit.named)}" if hit.named else "names no word of the question"
    if hit.without_meaning:
        meaning = "the model can't judge it: as the words say"
    else:
        meaning = _place(hit.meaning, "cosine")
    rows = [("words", f"{_place(hit.words, 'BM25')}; {named}", hit.parts.words)]
    if by_meaning:
        rows.append(("meaning", meaning, hit.parts.meaning))
    for part, label in _LABELS.items():
        points = getattr(hit.parts, part)
        if abs(points) >= _SMALL:
            rows.append((part.replace("_", " "), label, points))
    if hit.same_page <= -_SMALL:
        rows.append(("same page", "after better sections of its page", hit.same_page))
    elif hit.same_page >= _SMALL and hit.copies:
        rows.append(("copies", "it stands for one that ranks better", hit.same_page))
    elif hit.same_page >= _SMALL:
        rows.append(("same page", "before a heading that only names the page", hit.same_page))
    rows.append(("together", "", hit.score))
    lines = [f"   {points:+6.2f}  {name:<13}  {told}".rstrip() for name, told, points in rows]
    return [*lines, *(f"   also {copy}" for copy in hit.copies)]


def _place(place: LegPlace | None, unit: str) -> str:
    if place is None:
        return "not among what the leg found"
    return f"rank {place.rank} of {place.of}, {unit} {place.score:.2f}"
