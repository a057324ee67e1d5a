from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.corpus.summaries import MAX_CHARACTERS, summarise
from pit_memory.core.documents.outline import outline

GOLDEN = Path(__file__).parents[2] / "golden" / "summaries.txt"


def golden_cases() -> list[tuple[str, str, list[str]]]:
    _, *cases = GOLDEN.read_text(encoding="utf-8").split("\n=== ")
    found = []
    for case in cases:
        title, _, rest = case.partition("\n")
        markdown, _, expected = rest.partition("\n--- expected\n")
        found.append((title, markdown + "\n", [line for line in expected.split("\n") if line]))
    return found


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [case[1:] for case in golden_cases()],
    ids=[c[0] for c in golden_cases()],
)
def test_golden_summaries(markdown: str, expected: list[str]):
    parsed = outline(markdown)
    lines = [
        f"{section.heading} | {summary}"
        for section, summary in zip(parsed.sections, summarise(parsed), strict=True)
    ]
    assert lines == expected


@given(st.lists(st.text(alphabet="ab .!?1#|-`>*:\n", max_size=80), max_size=8))
def test_every_section_has_a_summary_of_at_most_the_maximum_on_one_line(pieces: list[str]):
    parsed = outline("\n## H\n".join(pieces))
    summaries = summarise(parsed)
    assert len(summaries) == len(parsed.sections)
    assert all(len(summary) <= MAX_CHARACTERS and "\n" not in summary for summary in summaries)


@given(st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=30), min_size=40, max_size=80))
def test_a_long_summary_is_never_cut_inside_a_word(words: list[str]):
    (summary,) = summarise(outline("## H\n\n" + " ".join(words) + "\n"))
    kept = summary.removesuffix("…").split(" ")
    assert kept == words[: len(kept)]
