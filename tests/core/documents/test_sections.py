"""Sections: golden cases that people can read, and the laws that hold for every text."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pit_memory.core.documents.anchors import github_slug
from pit_memory.core.documents.documents import Section
from pit_memory.core.documents.sections import find_section, split, trail
from pit_memory.core.text.decoding import lines_of, with_lf
from pit_memory.core.text.identity import section_hash
from tests.markdown_texts import markdown_texts

GOLDEN = Path(__file__).parents[2] / "golden" / "sections.txt"


def golden_cases() -> list[tuple[str, str, str]]:
    """(title, markdown, expected) of each case of the golden file."""
    cases = []
    for case in GOLDEN.read_text(encoding="utf-8").split("==== ")[1:]:
        title, _, rest = case.partition("\n")
        markdown, _, expected = rest.partition("---- sections\n")
        cases.append((title, markdown, expected.strip()))
    return cases


def shown(section: Section, outer: str = "") -> str:
    marks = "#" * section.level or "-"
    others = f"  ({' '.join(section.other_anchors)})" if section.other_anchors else ""
    heading = f" {section.heading}  #{section.anchor}" if section.level else ""
    return f"L{section.line_start}-{section.line_end}  {outer}{marks}{heading}{others}"


def outline(text: str, *, with_breadcrumbs: bool = False) -> str:
    sections = split(text).sections
    marked = {s.heading: f"{'#' * s.level} {s.heading}" for s in sections}
    return "\n".join(
        shown(s, "".join(f"{marked[h]} > " for h in s.breadcrumb[:-1] if with_breadcrumbs))
        for s in sections
    )


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [pytest.param(markdown, expected, id=title) for title, markdown, expected in golden_cases()],
)
def test_sections_are_as_the_golden_file_shows(markdown: str, expected: str) -> None:
    assert outline(markdown, with_breadcrumbs=" > " in expected) == expected


@given(markdown_texts)
def test_sections_cover_every_line_once_and_in_order(text: str) -> None:
    parsed = split(text)
    covered = [n for s in parsed.sections for n in range(s.line_start, s.line_end + 1)]
    assert covered == list(range(1, parsed.line_count + 1))
    assert parsed.lines == tuple(lines_of(with_lf(text)))
    assert [s.ordinal for s in parsed.sections] == list(range(len(parsed.sections)))


@given(markdown_texts)
def test_splitting_twice_gives_the_same(text: str) -> None:
    assert split(text) == split(text)


@given(markdown_texts)
def test_line_ends_of_every_kind_give_the_same_sections(text: str) -> None:
    unix = with_lf(text)
    assert split(unix.replace("\n", "\r\n")) == split(unix.replace("\n", "\r")) == split(unix)


@given(markdown_texts)
def test_names_are_unique_and_no_further_name_is_an_own_anchor(text: str) -> None:
    sections = split(text).sections
    own = [s.anchor for s in sections if s.level]
    further = [name for s in sections for name in s.other_anchors]
    assert len(set(own)) == len(own)
    assert len(set(further)) == len(further)
    assert not set(own) & set(further)


@given(markdown_texts)
def test_every_anchor_finds_its_section(text: str) -> None:
    sections = split(text).sections
    for section in sections:
        if section.anchor:
            assert find_section(sections, section.anchor) is section


@given(markdown_texts)
@example("# Title\n\ntext\n")
def test_a_sections_hash_is_that_of_its_own_lines(text: str) -> None:
    parsed = split(text)
    for section in parsed.sections:
        own = parsed.lines[section.line_start - 1 : section.line_end]
        assert section.hash == section_hash(own)


@given(markdown_texts)
@example("[^1]: [^1]: ")  # two footnotes on one line
def test_blocks_lie_inside_the_document_in_order(text: str) -> None:
    parsed = split(text)
    ends = [1]
    for block in parsed.blocks:
        assert ends[-1] <= block.line_start <= block.line_end <= parsed.line_count
        ends.append(block.line_end)
    assert list(parsed.cuts) == sorted(set(parsed.cuts))
    assert len(parsed.plain) == parsed.line_count


@given(st.lists(st.sampled_from(["x", "x-1", "x-2", "x_1", "x-1-1", "y"]), max_size=30))
def test_numbering_gives_each_heading_its_own_anchor(headings: list[str]) -> None:
    sections = split("".join(f"# {heading}\n" for heading in headings)).sections
    assert len({s.anchor for s in sections}) == len(headings)
    for section, heading in zip(sections, headings, strict=True):
        assert section.anchor.startswith(github_slug(heading))


@pytest.mark.parametrize(
    "written",
    [
        "überschrift-2",
        "ÜBERSCHRIFT-2",
        "%C3%BCberschrift-2",
        "#überschrift-2",
        "u\u0308berschrift-2",
        "Überschrift 2",
        "custom",
        "Custom",
    ],
)
def test_an_anchor_is_found_as_links_write_it(written: str) -> None:
    sections = split("# Titel\n## Überschrift 2 {#custom}\n## Überschrift-2\n").sections
    found = find_section(sections, written)
    assert found is not None
    assert found.heading.startswith("Überschrift")


@pytest.mark.parametrize("written", ["", "#", "gone", "%", "%zz"])
def test_an_anchor_that_names_nothing_finds_nothing(written: str) -> None:
    assert find_section(split("# Title\n").sections, written) is None


def test_an_own_anchor_goes_before_the_further_name_of_an_earlier_section() -> None:
    sections = split("# One {#two}\n# Two\n").sections
    found = find_section(sections, "two")
    assert found is not None
    assert found.heading == "Two"


def test_a_trail_says_a_title_that_is_also_the_h1_once() -> None:
    assert trail("Guide", ("Guide", "Setup")) == ("Guide", "Setup")
    assert trail("Front matter title", ("Guide", "Setup")) == (
        "Front matter title",
        "Guide",
        "Setup",
    )
    assert trail("Guide", ()) == ("Guide",)


def test_an_empty_document_has_no_sections() -> None:
    assert split("").sections == ()
    assert split("\n").sections[0].level == 0


@pytest.mark.timeout(120)
def test_a_hundred_thousand_headings_are_all_found() -> None:
    sections = split("# same\n" * 50_000 + "## same-1\n" * 50_000).sections
    assert len(sections) == 100_000
    assert sections[49_999].anchor == "same-49999"
    assert sections[50_000].anchor == "same-1-1"
