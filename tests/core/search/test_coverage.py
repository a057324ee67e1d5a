import pytest

from pit_memory.core.search.coverage import (
    covered_share,
    idf,
    named_share,
    stands_together,
)


def test_a_word_tells_more_the_fewer_texts_have_it():
    assert idf(0, 100) > idf(1, 100) > idf(50, 100) > idf(100, 100) > 0


def test_a_subject_that_most_of_a_few_texts_name_still_tells_much():
    asked = {"port": idf(3, 4), "gateway": idf(3, 4), "use": idf(0, 4)}
    assert named_share(frozenset({"port", "gateway"}), asked) > 0.5


def test_counts_that_disagree_never_give_a_negative_weight():
    assert idf(7, 5) >= 0  # the index and the count were asked at two moments


def test_coverage_is_the_named_part_of_a_headings_weight():
    heading = frozenset({"pin", "client"})
    assert covered_share(heading, 4.0, {"pin": 3.0, "other": 9.0}) == pytest.approx(0.75)
    assert covered_share(heading, 4.0, {"other": 9.0}) == 0
    assert covered_share(frozenset(), 0.0, {"pin": 3.0}) == 0


@pytest.mark.parametrize(
    ("heading", "is_said"),
    [
        ("sync option", True),
        ("option sync", True),
        ("sync detail", False),
        ("option", False),
        ("", False),
        ("sync option detail more", False),
    ],
)
def test_a_question_says_a_heading_where_its_words_stand_side_by_side(heading, is_said):
    words = frozenset(heading.split())
    spoken = ["see", "sync", "option", "detail"]
    assert stands_together(words, frozenset(spoken), spoken) == is_said


def test_a_repeated_word_is_no_phrase():
    spoken = ["sync", "sync", "now", "wave"]
    for heading in ({"sync"}, {"sync", "wave"}):
        words = frozenset(heading)
        assert not stands_together(words, frozenset(spoken), spoken)


def test_the_named_share_is_the_held_part_of_the_questions_weight():
    asked = {"pin": 3.0, "client": 1.0}
    assert named_share(frozenset({"pin", "more"}), asked) == pytest.approx(0.75)
    assert named_share(frozenset({"pin"}), {}) == 0
