"""What a draft says that is published already, shown side by side."""

import difflib
from collections.abc import Iterator, Sequence

from pit_memory.core.documents.citations import Ref, format_ref
from pit_memory.core.search.likeness import likeness
from pit_memory.core.search.queries import analyse
from pit_memory.core.writing.draft_cards import Overlap
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.operations.searching.hits import ReadSection, read_sections
from pit_memory.operations.searching.search import SearchedStore, SearchRequest, ranked_sections

_COMPARED = 8
"""Best sections that are compared word by word."""
_RELATED = 0.3
"""Likeness from which a person should look at both; half of what counts as the same said again."""
_SHOWN = 3
_QUERY_CHARACTERS = 1_000


def find_overlaps(searched: SearchedStore, title: str, text: str) -> Sequence[Overlap]:
    """The published sections that a draft overlaps, the likest first.

    Args:
        searched: the project's store, after a look.
        title: of the draft.
        text: of the draft, without front matter.
    """
    query = analyse(f"{title}\n{text}"[:_QUERY_CHARACTERS])
    request = SearchRequest(query.text, include_drafts=False, mode="keyword")
    findings, ranked = ranked_sections([searched], query, request)
    found = list(_alike(read_sections(findings, ranked[:_COMPARED]), title, text))
    found.sort(key=lambda overlap: -overlap.likeness)
    return tuple(found[:_SHOWN])


def _alike(sections: Sequence[ReadSection], title: str, text: str) -> Iterator[Overlap]:
    for section in sections:
        document = section.chunk.document
        if document.collection != "docs" or document.path.startswith(f"{DRAFTS_HOME}/"):
            continue
        alike = likeness(f"{title}\n{text}", f"{document.title}\n{section.chunk.text}")
        if alike < _RELATED:
            continue
        ref = Ref(document.path, document.source or None, section.chunk.section.anchor or None)
        crumbs = " > ".join(section.chunk.section.breadcrumb) or document.title
        yield Overlap(format_ref(ref), crumbs, round(alike, 2), _changes(section.chunk.text, text))


def _changes(published: str, draft: str) -> tuple[str, ...]:
    """Lines of both, `difflib.ndiff` without its hints: blank lines and headings left out."""
    old, new = _lines(published), _lines(draft)
    return tuple(line for line in difflib.ndiff(old, new) if not line.startswith("?"))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip() and line.lstrip()[0] != "#"]
