import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.text.words import (
    MAX_RUN,
    MAX_TOKEN,
    field_texts,
    folded,
    inner_stems,
    runs,
    stems,
    tokens,
)

ANY_TEXT = st.text(st.characters(exclude_categories=[]))


@pytest.mark.parametrize(
    ("written", "found_by"),
    [
        ("PIT-1234", ["pit-1234", "pit", "1234"]),
        ("docker01.lan", ["docker01.lan", "docker01", "docker", "01", "lan"]),
        ("MAX_MCP_OUTPUT_TOKENS", ["max_mcp_output_tokens", "mcp", "tokens"]),
        ("--plugin-dir", ["plugin-dir", "plugin", "dir"]),
        ("v1.18.0", ["v1.18.0", "v1", "18"]),
        ("nomic-embed-text", ["nomic-embed-text", "nomic", "embed"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer2", ["httpserver2", "http", "server"]),
        ("10.0.0.5:8080", ["10.0.0.5:8080", "10.0.0.5", "8080"]),
        ("argoproj/argo-cd/main.py", ["argo-cd", "main.py", "main", "argoproj"]),
        ("user@example.org", ["user@example.org", "example.org", "user"]),
        ("GitHub", ["github", "git", "hub"]),
        ("__init__", ["__init__", "init"]),
        ("文書検索", ["文書", "書検", "検索", "文", "索"]),
        ("Kubernetes集群", ["kubernetes", "集群"]),
        ("검색엔진", ["검색", "엔진"]),
        ("ค้นหา", ["ค", "นห"]),
        ("हिन्दी", ["हिन्दी"]),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_parts(written, found_by):
    held = field_texts(f"see ({written}), please").exact.split()
    assert set(found_by) <= set(held)


def test_single_letters_and_digits_of_an_identifier_are_no_tokens():
    assert tokens("v1.18.0") == ("v1.18.0", "v1", "18")
    assert tokens("k8s") == ("k8s",)


def test_a_word_of_one_letter_or_digit_stays():
    assert field_texts("plan B 7").exact == "plan b 7"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müller", "muller"),
        ("Mu\u0308ller", "Müller"),
        ("STRASSE", "straße"),
        ("Ελληνικά", "ελληνικα"),
        ("ёлка", "Елка"),
        ("İstanbul", "istanbul"),
    ],
)
def test_case_composition_and_latin_marks_do_not_matter(one, other):
    assert folded(one) == folded(other)
    assert field_texts(one) == field_texts(other)


def test_marks_that_are_vowels_matter():
    assert folded("कि") != folded("का")
    assert folded("が") != folded("か")


def test_stems_are_those_of_the_smallest_parts():
    assert stems("pinning") == ("pin",)
    assert stems("config.MaxTokens") == ("config", "maxtoken", "max", "token")
    assert stems("検索") == ("検索",)


def test_a_compound_says_nothing_beyond_its_words():
    assert inner_stems("KubePersistentVolumeErrors") == ("kube", "persist", "volum", "error")
    assert inner_stems("config.MaxTokens") == ("config", "max", "token")
    assert inner_stems("pinning") == ("pin",)
    assert inner_stems("検索") == ("検索",)


def test_stems_are_those_of_the_language():
    assert field_texts("Schlüsseln", "de") == ("schlusseln", "schlussel")
    assert stems("ключами", "ru") == stems("ключи", "ru")
    assert stems("deployments", "ru") == ("deploy",)


def test_words_of_indian_scripts_share_pieces():
    assert set(stems("किताबें")) & set(stems("किताबों"))


def test_encoded_data_leaves_no_tokens():
    data = "iVBORw0KGgo/AAA+" * MAX_RUN
    assert field_texts(f"before {data} after") == ("before after", "befor after")


def test_a_token_that_is_too_long_is_left_out_and_its_parts_are_kept():
    long = "/".join(["folder"] * 30)
    assert tokens(long) == ("folder",)


@given(ANY_TEXT)
def test_no_text_raises_and_every_token_fits_the_index(text):
    for field in field_texts(text):
        for token in field.split():
            assert token == token.strip()
            assert 0 < len(token.encode("utf-8", "surrogatepass")) < 65_530
            assert len(token) <= 3 * MAX_TOKEN  # folding may lengthen a little


@given(ANY_TEXT)
def test_the_fields_of_a_text_are_those_of_its_runs(text):
    expected = [token for run in runs(text) for token in tokens(run)]
    assert field_texts(text).exact.split() == expected


@given(ANY_TEXT)
def test_folding_twice_changes_nothing(text):
    assert folded(folded(text)) == folded(text)


def test_text_is_analysed_faster_than_it_can_be_parsed_twice():
    """4 MB a second on a quiet machine; a tenth of it fails only for what is wrong in kind."""
    sentence = "Rotate the signing-key of docker01.lan with `keyctl rotate --grace 24h`. "
    text = sentence * 9000
    began = time.process_time()
    field_texts(text)
    assert len(text) / (time.process_time() - began) > 400_000
