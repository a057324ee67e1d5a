"""The block a session starts with: rules, gotchas, what the documents are about.

The same knowledge gives the same bytes: the host keeps one copy of a context it already has, so
resuming and forking a session costs nothing.
"""

from collections.abc import Iterable, Iterator, Sequence

from pit_memory.core.push.memory_entries import HOST_TYPES, MemoryEntry, entry_text
from pit_memory.core.records import NamedTuple
from pit_memory.core.text.safe_text import safe_line
from pit_memory.core.tokens import estimate

DEFAULT_BUDGET = 1200
"""Tokens of everything that is always in context."""
SUBAGENT_BUDGET = 400
"""Tokens of what a subagent gets."""
MOST_UNITS = 9_500
"""UTF-16 code units: the host puts an output of more than 10,000 into a file."""
FIRST_RULE = "search-first"
"""Slug of the rule that stands at the top, whatever its place by name."""

_TITLE = "# Memory of this project (pit-memory)"
_HEADINGS = {"rule": "", "gotcha": "Gotchas:", "preference": "This person prefers:"}
_MAP_HEADING = "Documented here (docs_search):"
_PREAMBLE_SHARE = 3
_MAP_SHARE = 6
"""People's own preambles may take a third of the budget, the domain map a sixth."""
_REST_TOKENS, _REST_UNITS = 60, 400
"""Kept free for the names of what does not fit."""


class Preamble(NamedTuple):
    """People's own words at the top of a memory folder."""

    place: str
    """Its file, as people are told."""
    text: str


class Area(NamedTuple):
    """An area of the project's documents."""

    path: str
    """Its folder; empty for the files beside the folders."""
    words: tuple[str, ...]
    """Frequent words of its titles."""


class Part(NamedTuple):
    """An entry that could stand in the block, with its cost."""

    entry: MemoryEntry
    tokens: int
    is_shown: bool


class SessionBlock(NamedTuple):
    """What a session gets, and what its entries cost."""

    text: str
    """Ends in a line end; empty where there is nothing to say."""
    parts: tuple[Part, ...]


def session_block(
    entries: Iterable[MemoryEntry],
    *,
    preambles: Sequence[Preamble] = (),
    areas: Sequence[Area] = (),
    notes: Sequence[str] = (),
    budget: int = DEFAULT_BUDGET,
) -> SessionBlock:
    """Make the block of a session, within its budget.

    What does not fit is named. Left out first are entries with a trigger, as they are shown at the
    call they are about, then preferences, gotchas and rules, by name from the end.

    Args:
        entries: one a slug.
        preambles: the person's, the project's.
        areas: of the project's documents, the most important first.
        notes: what could not be read, one line each.
        budget: tokens of the whole block.
    """
    room = _Room(budget, MOST_UNITS)
    top = room.take_lines([_TITLE, *map(safe_line, notes)])
    own = _own_words(preambles, room.share(_PREAMBLE_SHARE))
    documented = room.share(_MAP_SHARE).take_lines([_MAP_HEADING, *_area_lines(areas)])
    texts = _texts(entries)
    shown = _fitting(texts, room)
    lines = list(top)
    for kind, heading in _HEADINGS.items():
        items = [texts[entry] for entry in texts if entry in shown and entry.kind == kind]
        lines += [heading, *items] if heading and items else items
    lines += own
    lines += documented if len(documented) > 1 else []
    if rest := [entry for entry in texts if entry not in shown]:
        lines.append(_named(rest))
    parts = [Part(entry, estimate(text), entry in shown) for entry, text in texts.items()]
    has_content = len(lines) > 1
    return SessionBlock("\n".join(lines) + "\n" if has_content else "", tuple(parts))


def subagent_block(entries: Iterable[MemoryEntry], *, budget: int = DEFAULT_BUDGET) -> SessionBlock:
    """Make the block of a subagent: the rules alone."""
    rules = [entry for entry in entries if entry.kind == "rule"]
    return session_block(rules, budget=min(budget, SUBAGENT_BUDGET))


class _Room:
    """What may still be said."""

    def __init__(self, tokens: int, units: int, whole: "_Room | None" = None) -> None:
        self._tokens = tokens
        self._units = units
        self._whole = whole

    def share(self, parts: int) -> "_Room":
        """A part of the room; what is taken of it is taken of the whole."""
        return _Room(self._tokens // parts, self._units // parts, self)

    def fits(self, tokens: int, units: int) -> bool:
        return tokens <= self._tokens and units <= self._units

    def take(self, text: str, spare_tokens: int = 0, spare_units: int = 0) -> bool:
        """Take the room of some lines, unless it is too little, or less than the spare stays."""
        tokens, units = _size(text)
        if not self.fits(tokens + spare_tokens, units + spare_units):
            return False
        self._spend(tokens, units)
        return True

    def take_lines(
        self, lines: Iterable[str], spare_tokens: int = 0, spare_units: int = 0
    ) -> list[str]:
        """Take lines as long as they fit, and the spare stays."""
        taken = []
        for line in lines:
            if not self.take(line, spare_tokens, spare_units):
                break
            taken.append(line)
        return taken

    def _spend(self, tokens: int, units: int) -> None:
        self._tokens -= tokens
        self._units -= units
        if self._whole:
            self._whole._spend(tokens, units)


def _size(text: str) -> tuple[int, int]:
    """Tokens and UTF-16 units of some lines with their line end; one token more for rounding."""
    return estimate(text) + 1, len(text.encode("utf-16-le", "replace")) // 2 + 1


def _texts(entries: Iterable[MemoryEntry]) -> dict[MemoryEntry, str]:
    """The entries in the order they are shown; what says the same as another is left out."""
    kinds = list(HOST_TYPES)
    ordered = sorted(
        entries, key=lambda entry: (kinds.index(entry.kind), entry.slug != FIRST_RULE, entry.slug)
    )
    texts: dict[str, MemoryEntry] = {}
    for entry in ordered:
        texts.setdefault(entry_text(entry), entry)
    return {entry: text for text, entry in texts.items()}


def _fitting(texts: dict[MemoryEntry, str], room: _Room) -> set[MemoryEntry]:
    """Those entries that fit, the most important first."""
    headings = [heading for heading in _HEADINGS.values() if heading]
    sizes = [_size(text) for text in (*headings, *texts.values())]
    everything = sum(tokens for tokens, _ in sizes), sum(units for _, units in sizes)
    if room.fits(*everything):
        return set(texts)
    room.take_lines(headings)
    # What is too large for any block must not push out the others.
    able = [entry for entry in texts if room.fits(*_size(texts[entry]))]
    ordered = sorted(able, key=lambda entry: entry.has_trigger)
    taken = room.take_lines((texts[entry] for entry in ordered), _REST_TOKENS, _REST_UNITS)
    return set(ordered[: len(taken)])


def _own_words(preambles: Sequence[Preamble], room: _Room) -> list[str]:
    lines = []
    for preamble in preambles:
        written = [safe_line(line).rstrip() for line in preamble.text.split("\n")]
        note = f"(more in {safe_line(preamble.place)})"
        taken = room.take_lines(written, *_size(note))
        lines += taken
        if len(taken) < len(written) and room.take(note):
            lines.append(note)
    return lines


def _area_lines(areas: Sequence[Area]) -> Iterator[str]:
    """What each area is about; the files beside the folders have no name that would tell."""
    for area in areas:
        if area.words:
            yield safe_line(f"- {area.path or 'top'}: {', '.join(area.words)}")
        elif area.path:
            yield safe_line(f"- {area.path}")


def _named(rest: Sequence[MemoryEntry]) -> str:
    """Name what is left out, as far as there is room for names."""
    room = _Room(_REST_TOKENS, _REST_UNITS)
    opening = "Left out for room (docs_search finds it): "
    room.take(f"{opening} and 10,000 more")
    names = room.take_lines(safe_line(f"{entry.kind} {entry.slug}") for entry in rest)
    more = f" and {len(rest) - len(names):,} more" if len(names) < len(rest) else ""
    return opening + ", ".join(names) + more
