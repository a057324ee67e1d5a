"""Fold copies of a section, in other versions and languages of its page, into one hit."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pit_memory.core.documents.copies import path_without_variant, recency
from pit_memory.core.search.fusion import Fused
from pit_memory.core.search.likeness import likeness
from pit_memory.operations.searching.gathering import Findings
from pit_memory.operations.searching.searched_store import SectionCard

NEAR_COPY = 0.8
"""Likeness from which a section says what it said in the other version."""


class Folded(NamedTuple):
    """Sections without their copies."""

    ranked: list[Fused[SectionCard]]
    """One of each section's copies, at the rank of the best."""
    copies: Mapping[SectionCard, Sequence[SectionCard]]
    """A section that is left to its copies, best first."""


def fold_copies(findings: Findings, ranked: Sequence[Fused[SectionCard]]) -> Folded:
    """Keep one of each section's copies.

    It is the one in the question's language, then of the newest version, then the best.
    """
    groups: list[list[Fused[SectionCard]]] = []
    of_name: defaultdict[str, list[list[Fused[SectionCard]]]] = defaultdict(list)
    names = {page: page.copy_name for page in {fused.place.page for fused in ranked}}
    pages_called = Counter(names.values())
    if len(pages_called) == len(names):
        return Folded(list(ranked), {})
    alone = {name for name, pages in pages_called.items() if pages == 1}
    for fused in ranked:
        name = names[fused.place.page]
        if name in alone:
            groups.append([fused])
            continue
        same_name = of_name[name]
        group = next((it for it in same_name if _is_copy(findings, it, fused.place)), None)
        if group is None:
            group = []
            groups.append(group)
            same_name.append(group)
        group.append(fused)
    folded: list[Fused[SectionCard]] = []
    copies: dict[SectionCard, list[SectionCard]] = {}
    for group in groups:
        if len(group) == 1:
            folded.append(group[0])
            continue
        shown = max(group, key=lambda it: _preference(findings, it.place))
        folded.append(group[0]._replace(place=shown.place))
        copies[shown.place] = [it.place for it in group if it is not shown]
    return Folded(folded, copies)


def _preference(findings: Findings, card: SectionCard) -> tuple[bool, tuple[int, ...]]:
    return card.language == findings.query.language, recency(card.page.path)


def _is_copy(findings: Findings, group: Sequence[Fused[SectionCard]], card: SectionCard) -> bool:
    """Whether a section says what one of a group says, on another page of that name."""
    first = group[0].place
    same, alike = first.hash == card.hash, first.page.sections == card.page.sections
    is_version = path_without_variant(first.page.path) == path_without_variant(card.page.path)
    if not is_version and not (same and alike):
        return False  # two collections on one subject share a section now and then
    if any(fused.place.page is card.page for fused in group):
        return False
    if same:
        return True
    if first.language != card.language:
        return alike and first.ordinal == card.ordinal
    if first.heading != card.heading:
        return False
    return likeness(_text(findings, first), _text(findings, card)) >= NEAR_COPY


def _text(findings: Findings, card: SectionCard) -> str:
    chunk = findings.chunks[card]
    return card.store.store.catalogue.texts([chunk]).get(chunk, "")
