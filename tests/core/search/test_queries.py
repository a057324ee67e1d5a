import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.search.queries import MAX_LITERALS, MAX_RUNS, analyse, telling_stems


@pytest.mark.parametrize(
    "question",
    ["--plugin-dir", "a:b", "10.0.0.5:8080", "ADR-016", "name::part", "x AND", "?q=1&r=[2]", "C++"],
)
def test_operators_of_query_languages_are_words_to_be_found_as_they_stand(question):
    assert analyse(question).literals or analyse(question).terms.exact


@pytest.mark.parametrize(
    ("question", "literals"),
    [
        ("what is MAX_MCP_OUTPUT_TOKENS for", ["MAX_MCP_OUTPUT_TOKENS"]),
        ("where is `getUserName` defined?", ["getUserName"]),
        ("why does main.py fail (exit 2)?", ["main.py"]),
        ("use --grace 24h with nomic-embed-text", ["--grace", "24h", "nomic-embed-text"]),
        ('the "signing key" of docker01.lan', ["signing key", "docker01.lan"]),
        ("a well-known fact", []),
        (
            'unable to recognize "": no matches for kind "App" in version "argoproj.io/v1"',
            ["App", "argoproj.io/v1"],
        ),
        ('run "go" before the "build" step', ["build"]),
        (f'the text "{"word " * 30}" of the "signing key"', ["signing key"]),
        ("NOT x", []),
        ("how do I rotate the key", []),
    ],
)
def test_identifiers_and_quoted_phrases_are_literals_in_a_question(question, literals):
    analysed = analyse(question)
    assert list(analysed.literals.values()) == literals
    assert not analysed.alone


@pytest.mark.parametrize(
    "question", ["lease", '"signing key"', '"unclosed', "!!!", "--flag", "検索する"]
)
def test_a_single_word_or_phrase_is_a_literal_alone(question):
    analysed = analyse(question)
    assert analysed.alone
    assert len(analysed.literals) == 1


def test_a_sentence_of_a_script_without_spaces_is_no_single_word():
    analysed = analyse("全文検索の設定はどこにありますか")
    assert not analysed.alone
    assert analysed.literals == {}


def test_a_question_is_read_in_its_language():
    analysed = analyse("Wie werden die Schlüssel gewechselt?", "de")
    assert analysed.terms.stems == ("schlussel", "gewechselt")
    assert telling_stems("Der Schlüsseln", "de") == {"schlussel"}


def test_literals_are_folded_and_keep_their_spelling():
    assert analyse("FOO_Bar and FOO_BAR").literals == {"foo_bar": "FOO_Bar"}


def test_the_frame_of_a_question_is_left_out_and_its_subject_kept():
    assert analyse("How do I pin the client?").terms.stems == ("pin", "client")


def test_a_question_of_stop_words_keeps_them():
    assert analyse("what is it").terms.stems == ("what", "is", "it")


def test_capitals_are_a_name():
    assert "it" in analyse("IT department").terms.stems
    assert telling_stems("The IT department") == {"it", "depart"}


@pytest.mark.parametrize("question", ["", " ", "\0", "\ud800", "?", "🙂", "— …"])
def test_a_question_without_words_has_nothing_to_rank_by(question):
    assert analyse(question).terms.exact == ()


def test_a_pasted_log_is_bounded():
    long = " ".join(f"line_{number} failed" for number in range(5000))
    analysed = analyse(long)
    assert len(analysed.literals) == MAX_LITERALS
    assert len(analysed.terms.stems) <= 4 * MAX_RUNS


@given(st.text(st.characters(exclude_categories=[]), max_size=300))
def test_no_question_raises_and_all_terms_are_single_tokens(question):
    analysed = analyse(question)
    analysed.text.encode()
    for token in (*analysed.terms.exact, *analysed.terms.stems):
        assert token.split() == [token]
    assert len(set(analysed.terms.exact)) == len(analysed.terms.exact)
