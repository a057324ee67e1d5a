from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.search.fusion import DOCS, FACTS, Candidate, Evidence, fuse, parts_of

NOTHING: Evidence[str] = Evidence(
    words={}, page_words={}, meaning=None, page_meaning={}, built=1.0, alone=False, literals={}
)


def sections(*names: str) -> dict[str, Candidate]:
    """Sections `a1`, `a2`, `b1`: the letter is their page."""
    return {name: Candidate(name[0], 0.0, 0.0, whole_heading=False) for name in names}


def order(evidence: Evidence[str], candidates: dict[str, Candidate]) -> list[str]:
    return [fused.place for fused in fuse(evidence, candidates, DOCS)]


def test_without_meaning_the_words_decide_alone():
    evidence = replace(NOTHING, words={"a1": 9.0, "b1": 12.0, "c1": 1.0})
    assert order(evidence, sections("a1", "b1", "c1")) == ["b1", "a1", "c1"]


def test_scores_are_relative_so_that_no_legs_unit_matters():
    evidence = replace(NOTHING, words={"a1": 3.0, "b1": 2.0}, meaning={"a1": 0.2, "b1": 0.5})
    scaled = replace(evidence, words={"a1": 300.0, "b1": 200.0})
    candidates = sections("a1", "b1")
    assert fuse(evidence, candidates, DOCS) == fuse(scaled, candidates, DOCS)


def test_meaning_weighs_as_much_as_is_built_of_it():
    evidence = replace(NOTHING, words={"a1": 2.0, "b1": 1.0}, meaning={"b1": 0.9, "c1": 0.1})
    everything = replace(evidence, page_meaning={"b": 0.9, "c": 0.1})
    candidates = sections("a1", "b1", "c1")
    assert order(everything, candidates)[0] == "b1"
    assert order(replace(everything, built=0.1), candidates)[0] == "a1"


def test_words_speak_for_a_section_that_meaning_cannot_judge_yet():
    evidence = replace(
        NOTHING,
        words={"a1": 9.0, "b1": 4.0, "c1": 1.0},
        meaning={"b1": 0.9, "c1": 0.1},
        built=0.99,
    )
    candidates = sections("a1", "b1", "c1")
    assert order(evidence, candidates)[0] == "b1"
    assert order(replace(evidence, waiting={"a1"}), candidates)[0] == "a1"


def test_a_lone_rare_literal_outranks_everything_else():
    evidence = replace(
        NOTHING,
        words={"a1": 9.0, "b1": 1.0},
        meaning={"a1": 0.9, "b1": 0.1},
        page_words={"a": 9.0},
        page_meaning={"a": 0.9, "b": 0.1},
        literals={"b1": 1.0},
        alone=True,
    )
    named = Candidate("a", 1.0, 1.0, whole_heading=True)
    assert order(evidence, {**sections("b1"), "a1": named})[0] == "b1"


def test_a_literal_inside_longer_words_comes_after_a_whole_one():
    evidence = replace(NOTHING, literals={"a1": 0.8, "b1": 1.0}, alone=True)
    assert order(evidence, sections("a1", "b1")) == ["b1", "a1"]


def test_a_section_whose_heading_is_the_question_comes_first():
    evidence = replace(NOTHING, words={"a1": 2.0, "b1": 1.9, "c1": 0.0})
    candidates = sections("a1", "c1") | {"b1": Candidate("b", 1.0, 0.0, whole_heading=True)}
    assert order(evidence, candidates)[0] == "b1"


def test_further_sections_of_a_page_make_room_for_other_pages():
    evidence = replace(NOTHING, words={"a1": 9.0, "a2": 8.9, "a3": 8.8, "b1": 8.7, "c1": 0.0})
    ranked = order(evidence, sections("a1", "a2", "a3", "b1", "c1"))
    assert ranked.index("b1") < ranked.index("a3")


def test_a_page_that_speaks_of_the_question_lifts_its_sections():
    evidence = replace(
        NOTHING, words={"a1": 2.0, "b1": 2.0, "c1": 1.0}, page_words={"b": 9.0, "a": 2.0}
    )
    assert order(evidence, sections("a1", "b1", "c1"))[0] == "b1"


def test_boosted_files_come_first_and_noise_last_among_equals():
    evidence = replace(NOTHING, words={"a1": 1.0, "b1": 1.0, "c1": 1.0})
    candidates = sections("b1") | {
        "a1": Candidate("a", 0.0, 0.0, whole_heading=False, lowered=True),
        "c1": Candidate("c", 0.0, 0.0, whole_heading=False, boosted=True),
    }
    assert order(evidence, candidates) == ["c1", "b1", "a1"]


def test_a_heading_without_text_comes_after_what_stands_below_it():
    evidence = replace(NOTHING, words={"a1": 2.0, "a2": 1.9, "b1": 0.0})
    named = Candidate("a", 1.0, 1.0, whole_heading=False, bare=True)
    below = Candidate("a", 1.0, 1.0, whole_heading=False)
    assert order(evidence, {"a1": named, "a2": below} | sections("b1")) == ["a2", "a1", "b1"]


def test_a_heading_that_the_question_says_as_it_stands_comes_before_its_scattered_words():
    evidence = replace(NOTHING, words={"a1": 1.01, "b1": 1.0, "c1": 0.0})
    scattered = Candidate("a", 1.0, 0.0, whole_heading=False)
    said = scattered._replace(page="b", heading_phrase=True)
    titled = scattered._replace(page="c", title=0.5)
    said_title = titled._replace(page="d", title_phrase=True)
    assert order(evidence, sections("c1") | {"a1": scattered, "b1": said})[0] == "b1"
    alike = replace(NOTHING, words={"c1": 1.0, "d1": 1.0})
    assert order(alike, {"c1": titled, "d1": said_title}) == ["d1", "c1"]


def test_of_a_page_that_is_named_the_section_comes_first_that_says_more():
    evidence = replace(NOTHING, words={"a1": 1.9, "a2": 2.0, "b1": 1.8, "c1": 0.0})
    title = Candidate("a", 1.0, 1.0, whole_heading=False, names_page=True)
    section = Candidate("a", 0.8, 1.0, whole_heading=False)
    ranked = fuse(evidence, {"a1": title, "a2": section} | sections("b1", "c1"), DOCS)
    told = replace(DOCS, page_name=0.0)
    plain = fuse(evidence, {"a1": title, "a2": section} | sections("b1", "c1"), told)
    assert [it.place for it in ranked] == ["a2", "a1", "b1", "c1"]
    assert [it.place for it in plain] == ["a1", "a2", "b1", "c1"]
    assert [it.score for it in ranked] == [it.score for it in plain]


def test_a_question_that_is_the_pages_title_finds_its_first_section():
    evidence = replace(NOTHING, words={"a1": 1.5, "a2": 2.0, "b1": 0.0})
    title = Candidate("a", 1.0, 1.0, whole_heading=True, names_page=True)
    section = Candidate("a", 0.5, 1.0, whole_heading=False)
    assert order(evidence, {"a1": title, "a2": section} | sections("b1"))[0] == "a1"


def test_nothing_found_is_an_empty_order():
    assert fuse(NOTHING, {}, DOCS) == []
    assert fuse(replace(NOTHING, meaning={}), {}, DOCS) == []


SCORES = st.dictionaries(
    st.sampled_from(["a1", "a2", "b1", "b2", "c1"]), st.floats(0, 100, allow_subnormal=False)
)


@given(words=SCORES, meaning=st.none() | SCORES)
def test_a_score_is_the_sum_of_its_parts(words, meaning):
    evidence = replace(NOTHING, words=words, meaning=meaning)
    candidates = sections(*{**words, **(meaning or {})})
    parts = parts_of(evidence, candidates, DOCS)
    best_of_page = {fused.place[0]: fused for fused in reversed(fuse(evidence, candidates, DOCS))}
    for fused in best_of_page.values():
        assert fused.score == pytest.approx(sum(parts[fused.place]))


@given(words=SCORES, meaning=st.none() | SCORES, literals=SCORES)
def test_every_candidate_is_ranked_once_with_falling_scores(words, meaning, literals):
    evidence = replace(NOTHING, words=words, meaning=meaning, literals=literals)
    candidates = sections(*{**words, **(meaning or {}), **literals})
    ranked = fuse(evidence, candidates, DOCS)
    assert sorted(fused.place for fused in ranked) == sorted(candidates)
    scores = [fused.score for fused in ranked]
    assert scores == sorted(scores, reverse=True)
    assert scores == pytest.approx(scores)  # no NaN


def facts(**told: tuple[str, str]) -> dict[str, Candidate]:
    """Facts by name: the day they were told, and what they were told together with."""
    return {
        name: Candidate(name, 0.0, 0.0, whole_heading=False, date=day, told_with=group or None)
        for name, (day, group) in told.items()
    }


def fact_order(words: dict[str, float], candidates: dict[str, Candidate]) -> list[str]:
    return [fused.place for fused in fuse(replace(NOTHING, words=words), candidates, FACTS)]


def test_the_newer_of_two_equally_good_facts_comes_first():
    candidates = facts(a=("2026-01-01", ""), b=("2026-02-01", ""), c=("2026-03-01", ""))
    assert fact_order({"a": 9.0, "b": 8.99, "c": 5.0}, candidates) == ["b", "a", "c"]


def test_a_fact_is_raised_by_others_that_were_told_together_with_it():
    candidates = facts(a=("", "x"), b=("", "y"), c=("", "y"), d=("", "z"))
    words = {"a": 7.05, "b": 7.0, "c": 9.0, "d": 1.0}
    assert fact_order(words, candidates)[:2] == ["c", "b"]
    alone = facts(**dict.fromkeys("abcd", ("", "")))
    assert fact_order(words, alone)[:3] == ["c", "a", "b"]


def test_among_few_facts_a_small_difference_is_none():
    candidates = facts(a=("2026-01-01", ""), b=("2026-02-01", ""))
    assert fact_order({"a": 9.0, "b": 8.97}, candidates) == ["b", "a"]
