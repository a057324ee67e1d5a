"""What a tree of documents is about: its top-level areas and the words of their titles."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST_AREAS = 12
MOST_WORDS = 6
_DOMINANT = 0.8
"""An area with a larger share of the sections says nothing: its folders are named instead."""
_WORD = re.compile(r"[^\W\d_][\w-]{2,}")
_TOO_COMMON = frozenset(
    (
        *("and", "are", "for", "from", "how", "into", "not", "the", "this"),
        *("that", "use", "using", "when", "what", "with", "you", "your"),
    )
)


@dataclass(frozen=True, slots=True)
class Area:
    """A folder of the tree, or the files that lie beside the folders."""

    path: str
    """Folder; empty for the files at the root."""
    sections: int
    words: tuple[str, ...]
    """The most frequent words of its titles, lower case."""


def areas(documents: Iterable[tuple[str, str, int]]) -> tuple[Area, ...]:
    """Name the top-level areas, those with the most sections first.

    Args:
        documents: path, title and number of sections of each.
    """
    rows = list(documents)
    base = ""
    while (deeper := _dominant_folder(rows, base)) is not None:
        base = deeper
    by_area: dict[str, list[tuple[str, str, int]]] = {}
    for row in rows:
        by_area.setdefault(_area(row[0], base), []).append(row)
    found = [
        Area(path, sum(row[2] for row in members), _frequent([row[1] for row in members], path))
        for path, members in by_area.items()
    ]
    found.sort(key=lambda area: (-area.sections, area.path))
    return tuple(found[:MOST_AREAS])


def _dominant_folder(rows: Sequence[tuple[str, str, int]], base: str) -> str | None:
    """The folder right below `base` that holds nearly everything."""
    sections: Counter[str] = Counter()
    for path, _, count in rows:
        sections[_area(path, base)] += count
    if not sections:
        return None
    area, count = sections.most_common(1)[0]
    is_deeper = len(area) > len(base)
    return area if is_deeper and count > _DOMINANT * sections.total() else None


def _area(path: str, base: str) -> str:
    """The folder right below `base` that a path lies in; outside of `base`, the top folder."""
    inside = path.startswith(base + "/") if base else True
    start = len(base) + 1 if base and inside else 0
    end = path.find("/", start)
    if end >= 0:
        return path[:end]
    return base if inside else ""


def _frequent(titles: Iterable[str], path: str) -> tuple[str, ...]:
    said = {word.lower() for word in _WORD.findall(path)}
    counts: Counter[str] = Counter()
    for title in titles:
        counts.update({word.lower() for word in _WORD.findall(title)} - _TOO_COMMON - said)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(word for word, _ in ranked[:MOST_WORDS])
