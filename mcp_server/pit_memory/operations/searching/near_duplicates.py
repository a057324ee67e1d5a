"""What is there already and may say the same, found by the one search."""

from collections.abc import Iterator

from pit_memory.core.documents.citations import format_ref
from pit_memory.core.kinds import Collection
from pit_memory.core.search.likeness import (
    NEARLY_THE_SAME,
    have_other_numbers,
    likeness,
    told_otherwise,
)
from pit_memory.core.serving.access import Access
from pit_memory.core.text.safe_text import safe_name
from pit_memory.core.writing.receipts import NearDuplicate
from pit_memory.core.writing.writings import Writing
from pit_memory.operations.searching.hits import read_sections
from pit_memory.operations.searching.search import (
    SearchedStore,
    SearchRequest,
    ranked_sections,
    understood,
)

_COMPARED = 8
"""Best sections that are compared word by word."""
_QUERY_CHARACTERS = 1_000
"""Of a text, to search for what is like it."""


def near_duplicates(
    searched: SearchedStore, access: Access, collection: Collection, writing: Writing
) -> Iterator[tuple[NearDuplicate, bool]]:
    """Yield sections that say nearly the same, and whether they do so with the same numbers.

    Those too of which a single sentence is nearly the same, with other numbers.

    Args:
        searched: the store, after a look.
        access: of who writes; what isn't there for them is not compared with.
        collection: where the text would be searched.
        writing: the text.
    """
    text = f"{writing.title}\n{writing.body}"
    query = understood([searched], text[:_QUERY_CHARACTERS])
    request = SearchRequest(
        query=query.text,
        collection="docs" if collection == "memory" else collection,
        mode="keyword",
        assignment=access.assignment if collection == "facts" else None,
        audiences=() if access.sees_all else access.audiences,
    )
    findings, ranked = ranked_sections([searched], query, request)
    for section in read_sections(findings, ranked[:_COMPARED]):
        there = f"{section.chunk.document.title}\n{section.chunk.text}"
        is_alike = likeness(text, there) >= NEARLY_THE_SAME
        other = is_alike and have_other_numbers(text, there)
        sentence = "" if is_alike else told_otherwise(section.chunk.text, writing.body)
        if not (is_alike or sentence):
            continue
        why = "says nearly the same" + (" with other numbers" if other or sentence else "")
        if sentence:
            why += f": {safe_name(sentence)}"
        title_there = section.chunk.document.title
        yield NearDuplicate(format_ref(section.ref), title_there, why), not (other or sentence)
