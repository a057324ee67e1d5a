"""A draft put into a document: where it lands, what its headings become, which anchors it has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.documents.merged_text import merge
from pit_memory.core.documents.sections import find_section, split
from pit_memory.errors import UsageError

PAGE = "# Page\n\n## One\n\nFirst.\n\n### Detail\n\nMore.\n\n## Two\n\nSecond.\n"
DRAFT = (
    "---\ntitle: D\ndraft: true\n---\n# D\n\nA fact.\n\n## Setup\n\nDo it.\n\n#### Deep\n\nIt is.\n"
)


def merged(page: str, anchor: str, draft: str, *, replace: bool = False):
    document = split(page)
    section = find_section(document.sections, anchor)
    assert section is not None
    return merge(document, section, split(draft), "D", replace=replace)


def test_a_new_subsection_comes_after_all_that_is_below_the_heading():
    result = merged(PAGE, "one", DRAFT)
    assert "\n".join(result.lines) == (
        "# Page\n\n## One\n\nFirst.\n\n### Detail\n\nMore.\n\n### D\n\nA fact.\n\n#### Setup\n\n"
        "Do it.\n\n###### Deep\n\nIt is.\n\n## Two\n\nSecond."
    )
    assert result.anchor == "d"
    assert result.anchors == {"d": "d", "setup": "setup", "deep": "deep"}


def test_a_replacement_keeps_the_heading_and_what_is_below_it():
    result = merged(PAGE, "one", DRAFT, replace=True)
    assert "\n".join(result.lines) == (
        "# Page\n\n## One\n\nA fact.\n\n### Setup\n\nDo it.\n\n##### Deep\n\nIt is.\n\n"
        "### Detail\n\nMore.\n\n## Two\n\nSecond."
    )
    assert (result.anchor, result.anchors["d"]) == ("one", "one")


def test_anchors_that_are_taken_get_their_number():
    result = merged("# Page\n\n## Setup\n\nHere.\n\n## Two\n\nX.\n", "two", DRAFT)
    assert result.anchors["setup"] == "setup-1"


def test_a_draft_without_a_title_and_with_underlined_headings():
    result = merged(PAGE, "two", "A fact.\n\nSetup\n-----\n\nDo it.\n")
    assert result.lines[-7:] == ("### D", "", "A fact.", "", "#### Setup", "", "Do it.")
    assert result.anchors == {"setup": "setup"}


def test_a_draft_whose_code_block_never_closes_is_refused():
    with pytest.raises(UsageError, match="never closed"):
        merged(PAGE, "one", "# D\n\n```sh\nmake\n")


@given(
    st.lists(st.sampled_from(["# A", "## B", "### C", "text", "", "```", "- x"]), max_size=12),
    st.lists(st.sampled_from(["# A", "## B", "#### D", "fact", "", "> q"]), max_size=8),
    st.booleans(),
)
def test_no_line_of_the_document_is_lost(page: list[str], draft: list[str], replace: bool):
    document = split("\n".join(page) + "\n")
    for section in document.sections:
        if not section.level:
            continue
        try:
            result = merge(document, section, split("\n".join(draft) + "\n"), "D", replace=replace)
        except UsageError:
            assert "```" in page
            continue
        end = section.line_end if replace else 0
        kept = document.lines[: section.line_start] + document.lines[end:]
        assert all(line in result.lines for line in kept if line.strip())
        assert result.anchor or not section.anchor
