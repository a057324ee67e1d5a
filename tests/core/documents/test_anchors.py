"""Anchors: GitHub's against recorded ones, other renderers' against their rules."""

import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.documents.anchors import AnchorNumberer, github_slug, split_attributes
from pit_memory.core.documents.other_anchors import OtherNames
from pit_memory.core.documents.sections import split
from tests.eval_corpora import json_lines

Row = dict[str, str]


def recorded(kind: str) -> list[Row]:
    return [row for row in json_lines("eval/anchors.jsonl") if row["kind"] == kind]


def without_number(anchor: str) -> str:
    """The recorded anchor of a repeat whose earlier ones were not recorded with it."""
    return re.sub(r"-\d+$", "", anchor)


def test_recorded_sequences_are_numbered_as_github_numbers_them() -> None:
    numberers: dict[str, AnchorNumberer] = defaultdict(AnchorNumberer)
    rows = recorded("sequence")
    wrong = [
        row
        for row in rows
        if numberers[row["doc"]].number(github_slug(row["text"])) != row["anchor"]
    ]
    assert len(rows) == 43
    assert wrong == []


def test_recorded_characters_of_every_unicode_category_are_kept_or_dropped_as_github_does() -> None:
    rows = recorded("characters")
    wrong = [
        row["note"]
        for row in rows
        if github_slug(row["text"]) not in {row["anchor"], without_number(row["anchor"])}
    ]
    assert len(rows) == 18
    assert wrong == []


@pytest.mark.parametrize(("kind", "count"), [("toc", 229), ("repeat", 19)])
def test_headings_of_real_documents_have_the_anchors_their_authors_link(
    kind: str, count: int
) -> None:
    rows = recorded(kind)
    wrong = []
    for row in rows:
        expected = row["anchor"] if kind == "toc" else without_number(row["anchor"])
        (section,) = split(f"# {row['heading']}\n").sections
        if section.anchor != expected:
            wrong.append((row["heading"], section.anchor, expected))
    assert len(rows) == count
    assert wrong == []


@given(st.text())
def test_a_slug_is_lower_case_without_white_space_and_stays_itself(text: str) -> None:
    slug = github_slug(text)
    assert not any(char.isspace() for char in slug)
    assert github_slug(slug) == slug


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_quick_way_for_ascii_is_the_general_way(text: str) -> None:
    assert f"{github_slug(text)}é" == github_slug(f"{text}é")


@pytest.mark.parametrize(
    ("heading", "clean", "ids"),
    [
        ("Install {#install}", "Install", ("install",)),
        ("Install {: #install .wide }", "Install", ("install",)),
        ('Install { #install data-toc-label="Set up" }', "Install", ("install",)),
        ('4.0 { id="4.0" }', "4.0", ("4.0",)),
        ("Install {/* #install */}", "Install", ("install",)),
        ("Install { .wide }", "Install", ()),
        ("setting { #+archive.enabled }", "setting", ("+archive.enabled",)),
        ("使用 {#用法}", "使用", ("用法",)),
        ("Braces {like these}", "Braces {like these}", ()),
        ("Path /x/{id=1}", "Path /x/{id=1}", ()),
        ("Empty {}", "Empty {}", ()),
        ("}", "}", ()),
    ],
)
def test_attribute_lists_end_a_heading_and_name_it(
    heading: str, clean: str, ids: tuple[str, ...]
) -> None:
    assert split_attributes(heading) == (clean, ids)


def names(*headings: str) -> list[set[str]]:
    others = OtherNames()
    return [set(others.of_next(heading)) for heading in headings]


def test_other_renderers_number_repeats_in_their_own_ways() -> None:
    first, second, third = names("Set up", "Set up", "set-up_1")
    assert first == {"set-up"}
    assert second == {"set-up_1", "set-up-1"}
    assert "set-up_2" in third  # Python-Markdown counts on from a number that is taken


def test_python_markdown_numbers_headings_without_ascii_letters() -> None:
    first, second = names("测试", "说明")
    assert {"_1", "测试"} <= first
    assert {"_2", "说明"} <= second


def test_runs_of_hyphens_and_marks_differ_between_renderers() -> None:
    ((names_of_it),) = names("Café & Co. \N{EN DASH} v2.0")
    assert {"cafe-co-v20", "café--co--v20", "café-co-v20"} == names_of_it
