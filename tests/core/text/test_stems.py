import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.text.stems import stem
from tests.eval_corpora import corpus_files


@pytest.mark.parametrize(
    "family",
    [
        "pin pins pinned pinning",
        "rotate rotates rotated rotating rotation rotations",
        "cache caches cached caching",
        "deploy deploys deployed deploying",
        "policy policies",
        "configure configured configuring",
        "fit fitted fitting",
        "add added adding adds",
        "try tries tried trying",
        "agree agreed agreeing agrees",
        "relational relate related",
    ],
)
def test_the_forms_of_a_word_share_a_stem(family):
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("word", ["news", "sky", "проверка", "k8s", "a", ""])
def test_what_is_no_english_form_stays(word):
    assert stem(word) == word


@pytest.mark.parametrize(
    ("language", "family"),
    [
        ("de", "schlüssel schlüsseln"),
        ("fr", "configuration configurations"),
        ("es", "configurar configuración configurado"),
        ("it", "configurare configurato"),
        ("pt", "configurar configurado"),
        ("nl", "instelling instellingen"),
        ("sv", "server servern servrar"),
        ("ru", "ключ ключи ключами"),
        ("pl", "klucz klucza kluczem"),
    ],
)
def test_other_languages_have_stems_of_their_own(language, family):
    stems = {stem(word, language) for word in family.split()}
    assert len(stems) < len(family.split())


def test_a_language_without_a_stemmer_keeps_its_words():
    assert stem("бібліотеки", "uk") == "бібліотеки"


@given(st.text(alphabet="abcdeilnsty", min_size=1, max_size=12))
def test_a_stem_is_never_empty_nor_longer_than_its_word(word):
    assert 1 <= len(stem(word)) <= len(word) + 1  # `hoping` becomes `hope`, then `hope`


def test_stems_are_those_of_the_reference_implementation():
    """Tantivy brings Snowball's."""
    tantivy = pytest.importorskip("tantivy")
    stemmer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(
        tantivy.Filter.stemmer("english")
    )
    text = " ".join(
        data.decode(errors="replace").lower() for data in corpus_files("argocd-docs").values()
    )
    words = sorted(set(re.findall(r"\b[a-z]{1,40}\b", text)))
    assert len(words) > 5000
    assert [stem(word) for word in words] == stemmer.build().analyze(" ".join(words))
