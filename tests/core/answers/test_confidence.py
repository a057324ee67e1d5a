from functools import partial

import pytest

from pit_memory.core.answers import confidence
from pit_memory.core.answers.confidence import (
    HYBRID_FLOOR,
    Support,
    band,
    hybrid_floor,
    words_floor,
)

answers = partial(confidence.answers, floor=HYBRID_FLOOR, chunks=1_000)


@pytest.mark.parametrize(
    ("support", "answered"),
    [
        (Support(named=1.0, words=2, cosine=None, matched=2.0), True),
        (Support(named=0.3, words=7, cosine=None, matched=0.5), True),
        (Support(named=0.3, words=2, cosine=None, matched=0.5), False),
        (Support(named=0.2, words=2, cosine=0.7), True),
        (Support(named=1.0, words=2, cosine=0.15), False),
        (Support(named=0.0, words=0, cosine=0.0), False),
    ],
)
def test_the_floor_takes_both_legs_where_both_ran(support, answered):
    assert answers(support, built=1.0, foreign=False) is answered


@pytest.mark.parametrize("floor", [hybrid_floor, words_floor])
def test_the_floor_rises_with_the_chunks_as_far_as_was_measured(floor):
    floors = [floor(chunks) for chunks in (0, 1, 10, 1_000, 5_000, 10_000)]
    assert floors == sorted(floors)
    assert floors[0] == floors[1] < floors[2] < floors[3]
    assert floor(10_000) == floor(1_000_000)


def test_words_decide_as_well_while_meaning_is_being_built():
    by_words_only = Support(named=0.9, words=3, cosine=0.1, matched=1.5)
    assert not answers(by_words_only, built=1.0, foreign=False)
    assert answers(by_words_only, built=0.4, foreign=False)


def test_more_words_of_a_long_question_count():
    short, long = Support(0.35, 1, None, 0.5), Support(0.35, 7, None, 0.5)
    assert not answers(short, built=0.0, foreign=False)
    assert answers(long, built=0.0, foreign=False)


def test_words_in_headings_or_often_count_more_than_words_in_passing():
    passing, often = Support(0.6, 3, None, 0.5), Support(0.6, 3, None, 1.5)
    assert not answers(passing, built=0.0, foreign=False)
    assert answers(often, built=0.0, foreign=False)


def test_what_is_named_stands_for_words_that_were_not_asked():
    assert answers(Support(1.0, 3, 0.1), built=0.5, foreign=False)
    assert not answers(Support(0.4, 2, 0.1), built=0.5, foreign=False)


def test_few_chunks_need_less_than_many():
    found = Support(0.6, 3, None, 0.5)
    assert answers(found, built=0.0, foreign=False, chunks=50)
    assert not answers(found, built=0.0, foreign=False, chunks=5_000)


def test_a_language_that_the_model_does_not_know_is_judged_by_words():
    by_words_only = Support(named=0.3, words=2, cosine=0.1)
    assert answers(by_words_only, built=1.0, foreign=True)
    assert not answers(Support(named=0.0, words=0, cosine=0.1), built=1.0, foreign=True)


SURE = Support(named=1.0, words=3, cosine=0.6)
WEAK = Support(named=0.2, words=1, cosine=HYBRID_FLOOR - 0.1)


def test_a_hit_is_strong_where_the_question_is_its_name_and_nothing_speaks_against_it():
    def found(share: float, *, lacks: bool) -> str:
        return band(
            WEAK, share_of_best=share, holds_literal=False, lacks_literal=lacks, is_its_name=True
        )

    assert found(1.0, lacks=False) == "strong"
    assert found(0.4, lacks=False) == "weak"
    assert found(1.0, lacks=True) == "weak"


@pytest.mark.parametrize(
    ("support", "share", "holds", "lacks", "expected"),
    [
        (SURE, 1.0, False, False, "strong"),
        (SURE, 0.4, False, False, "weak"),
        (SURE, 1.0, False, True, "weak"),
        (WEAK, 1.0, False, False, "weak"),
        (WEAK, 0.1, True, True, "strong"),
    ],
)
def test_a_hit_is_strong_near_the_best_or_with_a_literal(support, share, holds, lacks, expected):
    found = band(support, share_of_best=share, holds_literal=holds, lacks_literal=lacks)
    assert found == expected
