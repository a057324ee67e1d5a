# ruff: noqa: RUF001 -- letters of other scripts are meant

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.answers.snippets import (
    MAX_CHARACTERS,
    MAX_LINES,
    Asked,
    best_lines,
    named_lines,
)

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


@given(
    st.lists(st.text("abcdefgh", min_size=1, max_size=30), min_size=12, max_size=60),
    st.integers(0, 60),
)
def test_a_literal_is_shown_whole_wherever_a_cut_line_holds_it(words, place):
    at = min(place, len(words))
    text = " ".join([*words[:at], "find-and-replace", *words[at:]])
    ((_, line),) = shown(text, literals=("find-and-replace",))
    assert "find-and-replace" in line
    assert len(line) <= MAX_CHARACTERS


def test_a_long_literal_inside_one_long_word_is_in_the_cut():
    [(_, cut)] = shown("x" * 1000 + "NEEDLE" + "y" * 1000, literals=("needle",))
    assert "NEEDLE" in cut
    assert len(cut) <= MAX_CHARACTERS


def test_indents_go_and_controls_are_made_visible():
    assert shown("\t  the qdrant \x1b[31mclient") == [(10, "the qdrant ␛[31mclient")]


GARAGE = {"garag": 4.0, "door": 3.0, "code": 2.0}


def test_a_sentence_over_wrapped_lines_of_a_note_is_shown_whole():
    note = (
        "We painted the fence there in May and it took the two of us a whole long\n"
        "weekend. The garage door opener takes a code that my brother set last\n"
        "year; it is 7731 followed by the hash key. The window is always closed."
    )
    sentence = (
        "The garage door opener takes a code that my brother set last year; "
        "it is 7731 followed by the hash key."
    )
    assert shown(note, asked=GARAGE) == [(11, sentence)]
    assert shown(note.replace("\n", "\r\n"), asked=GARAGE) == [(11, sentence)]


def test_a_sentence_over_the_uneven_lines_of_a_pdf_is_shown_whole():
    page = (
        "Owner's Manual 14\n"
        "Turn the dial until the light is on. To pair a garage door remote hold its\n"
        "button for nine seconds, until the lamp of the opener has\n"
        "blinked twice, then let it go.\n"
        "Keep children away."
    )
    sentence = (
        "To pair a garage door remote hold its button for nine seconds, until the lamp of the "
        "opener has blinked twice, then let it go."
    )
    assert shown(page, asked=GARAGE) == [(11, sentence)]


def test_the_wrapped_lines_of_a_list_item_belong_to_it_alone():
    text = (
        "Things to know about the old house by the lake before one goes there in\n"
        "- [ ] the garage door takes a code that my brother has set last year, and\n"
        "      it is 7731\n"
        "- the boat is under the tarpaulin behind the shed, and its key hangs on"
    )
    item = "- [ ] the garage door takes a code that my brother has set last year, and it is 7731"
    assert shown(text, asked=GARAGE) == [(11, item)]


def test_a_sentence_behind_a_label_goes_on_in_the_next_line():
    text = "**Garage:** the door takes a code that my brother set some time last\nyear, it is 7731."
    assert shown(text, asked=GARAGE) == [(10, text.replace("\n", " "))]


def test_a_german_sentence_over_wrapped_lines_goes_on_behind_a_date_and_before_a_noun():
    text = (
        "Der Nachbar gießt die Blumen. Das Garagentor hat seit dem 3. März einen\n"
        "Code, den Prof. Ernst mir auf einen Zettel schrieb, nämlich 7731. Der\n"
        "Schlüssel liegt unter der Matte."
    )
    sentence = (
        "Das Garagentor hat seit dem 3. März einen Code, den Prof. Ernst mir auf einen Zettel "
        "schrieb, nämlich 7731."
    )
    assert shown(text, asked={"garagentor": 3.0}) == [(10, sentence)]


def test_wrapped_chinese_is_joined_without_blanks():
    line = "今天天气很好没有人抱怨" * 4
    assert shown(f"{line}客户端\n固定在版本一。", asked={"固定": 3.0}) == [
        (10, f"{line}客户端固定在版本一。")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\nthe garage door opener takes a code that my brother set some time last\nyear\n```",
        "    the garage door opener takes a code that my brother set some time last\n    year",
        "| the garage door opener takes a code that my brother set | last |\n| year | b |",
        "the garage door opener takes a code that my brother set some | time last\nyear | and | b",
        "> the garage door opener takes a code that my brother set some time last\n> year",
        "# The garage door opener takes a code that my brother set some time last\nyear",
        "the garage door opener takes a code that my brother set some time last  \nyear",
        "the garage door opener takes a code that my brother set some time last\\\nyear",
        "the garage door opener takes a code that my brother set some time last.\nyear",
        "the garage door opener takes a code that my brother set some time last\n\nyear",
        "the garage door opener takes a code that my brother set some time last\n**Year:** 7",
        "the garage door opener takes a code that my brother set some time last\n[a]: b.md",
        "note: the garage door opener takes a code that my brother set some time\nyear: 7",
        "garage door = 7731; // set by my brother some time last year, it opens at\nyear",
        "the garage door code\nyear by year",
    ],
)
def test_lines_that_are_no_wrapped_prose_stay_lines(text):
    first = next(line for line in text.split("\n") if "arage" in line)
    assert shown(text, asked=GARAGE) == [(10 + text.split("\n").index(first), first.strip())]


def test_lines_that_all_begin_with_a_capital_stay_lines():
    lines = [
        "The garage door opener takes a code that my brother set some time ago",
        "The boat lies under the tarpaulin behind the shed, its key in the bin",
        "The fence was painted in May and it took the two of us a long weekend",
    ]
    assert shown("\n".join(lines), asked=GARAGE) == [(10, lines[0])]


def test_of_a_wrapped_paragraph_of_2000_characters_one_sentence_is_shown():
    filler = "It was a fine day and nobody had anything at all to complain about. " * 14
    sentence = "The garage door takes a code that my brother set last year and it is 7731."
    text = f"{filler}{sentence} {filler}"
    wrapped = textwrap.fill(text.strip(), 72)
    begins = wrapped[: wrapped.replace("\n", " ").index(sentence)].count("\n")
    assert shown(wrapped, asked=GARAGE) == [(10 + begins, sentence)]


def test_a_wrapped_sentence_that_is_too_long_is_cut_around_its_match():
    text = "so it went on and on " * 10 + "until the garage door fell, " + "and so it went on " * 10
    [(_, cut)] = shown(textwrap.fill(text, 72), asked=GARAGE)
    assert len(cut) <= MAX_CHARACTERS
    assert "until the garage door fell, and so it went on" in cut


def test_wrapped_lines_without_any_full_stop_stay_lines():
    lines = textwrap.wrap("so it went on and on " * 30 + "the garage door " + "on " * 100, 72)
    [(line, only)] = shown("\n".join(lines), asked={"garag": 3.0})
    assert only == lines[line - 10]


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
