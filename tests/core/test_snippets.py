# ruff: noqa: RUF001 -- letters of other scripts are meant

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.snippets import MAX_CHARACTERS, MAX_LINES, Asked, best_lines, named_lines

ASKED = {"qdrant": 4.0, "pin": 3.0, "client": 2.0}


def shown(text: str, literals: tuple[str, ...] = (), asked: dict[str, float] | None = None):
    """(line number, text) of the best lines, best first."""
    question = Asked(ASKED if asked is None else asked)
    lines = best_lines(named_lines(text, 10, question), question, literals)
    return [(line.line, line.text) for line in lines]


def test_the_line_that_names_most_comes_first_and_others_only_if_they_add_something():
    text = (
        "A client.\n\nThe qdrant-client is pinned.\nNothing of it.\nWhy the qdrant client is pinned"
    )
    assert shown(text)[0] == (12, "The qdrant-client is pinned.")
    assert (13, "Nothing of it.") not in shown(text)


def test_a_second_line_is_chosen_for_what_the_first_one_lacks():
    text = "qdrant client here\nqdrant client again\npinned there"
    assert [line for line, _ in shown(text)[:2]] == [10, 12]


def test_a_line_that_holds_the_literal_comes_before_all_words():
    text = "qdrant client pinned\nset QDRANT__PIN=1 here"
    assert shown(text, literals=("qdrant__pin",))[0] == (11, "set QDRANT__PIN=1 here")


@pytest.mark.parametrize("line", ["", "---", "```", "|---|:--:|", "***", "===", "<!-- -->"])
def test_lines_without_words_are_never_shown(line):
    assert shown(f"{line}\nfirst words\n{line}", asked={}) == [(11, "first words")]


def test_a_section_that_names_nothing_shows_its_first_line():
    assert shown("\nMeaning found this.\nMore.") == [(11, "Meaning found this.")]


def test_a_section_without_any_words_shows_nothing():
    assert shown("\n---\n") == []


def test_a_long_line_is_cut_around_its_match():
    text = "start " * 60 + "the qdrant client " + "end " * 60
    [(_, cut)] = shown(text)
    assert len(cut) <= MAX_CHARACTERS
    assert "the qdrant client" in cut
    assert cut.startswith("…")
    assert cut.endswith("…")


def test_of_a_long_line_the_sentences_that_name_most_are_shown_whole():
    filler = "It was a fine day and nobody had anything to complain about. "
    text = f"{filler * 2}The qdrant client is pinned. {filler * 2}Others pin nothing. {filler}"
    assert shown(text)[0] == (10, "The qdrant client is pinned.")
    chinese = "今天天气很好，没有人抱怨。" * 20 + "客户端固定在版本一。" + "明天也会很好。" * 20
    assert shown(chinese, asked={"固定": 3.0})[0] == (10, "客户端固定在版本一。")


def test_a_long_row_of_a_table_stays_one_line():
    row = "| name | " + "It is long. " * 20 + "| the qdrant client | end |"
    [(_, cut)] = shown(row)
    assert "the qdrant client" in cut


def test_a_line_that_adds_next_to_nothing_is_not_worth_its_tokens():
    asked = {"qdrant": 8.0, "pin": 6.0, "of": 0.5}
    assert shown("pinned qdrant\none of many", asked=asked) == [(10, "pinned qdrant")]


def test_a_line_of_twice_the_usual_tokens_must_add_twice_as_much():
    cheap = "the client is told here too, in words that every reader's vocabulary holds"
    costly = "client=" + "0x7f,0x3c," * 10
    assert len(shown(f"qdrant pin\n{cheap}", asked=ASKED | {"client": 3.0})) == 2
    assert len(shown(f"qdrant pin\n{costly}", asked=ASKED | {"client": 3.0})) == 1


def test_a_match_near_the_end_keeps_the_end():
    [(_, cut)] = shown("start " * 60 + "of the qdrant client")
    assert cut.startswith("…")
    assert cut.endswith("of the qdrant client")


def test_a_long_literal_inside_one_long_word_is_in_the_cut():
    [(_, cut)] = shown("x" * 1000 + "NEEDLE" + "y" * 1000, literals=("needle",))
    assert "NEEDLE" in cut
    assert len(cut) <= MAX_CHARACTERS


def test_indents_go_and_controls_are_made_visible():
    assert shown("\t  the qdrant \x1b[31mclient") == [(10, "the qdrant ␛[31mclient")]


@given(st.text(max_size=400), st.lists(st.text(min_size=3, max_size=9), max_size=2).map(tuple))
def test_lines_are_few_short_single_and_from_the_text(text, literals):
    lines = text.split("\n")
    found = shown(text, literals)
    assert len(found) <= MAX_LINES
    assert len(set(found)) == len(found)
    for number, line in found:
        assert len(line) <= MAX_CHARACTERS
        assert len(line.splitlines()) <= 1
        assert 0 <= number - 10 < len(lines)
