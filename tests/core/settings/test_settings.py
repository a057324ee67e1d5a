"""The table of settings: every key has a default that it takes itself, words, and one doc line."""

import pytest

from pit_memory.core.answers.answers import BUDGET_BOUNDS, LIMIT_BOUNDS
from pit_memory.core.corpus.corpora import CorpusRule
from pit_memory.core.settings.setting_values import GLOBS, OutsideError, one_of, whole_number
from pit_memory.core.settings.settings import KEYS, TABLES, Settings, settings_of
from pit_memory.core.text.nearest import nearest


def as_toml_gives_it(value: object) -> object:
    """Turn a default into what the TOML reader would make of it."""
    if isinstance(value, CorpusRule):
        return {
            "root": value.root,
            "files": list(value.files),
            "index": value.index,
            "prose": list(value.prose),
        }
    if isinstance(value, tuple):
        return [as_toml_gives_it(item) for item in value]
    return value


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_every_key_takes_its_own_default_and_says_what_it_does(key):
    assert key.takes.read(as_toml_gives_it(key.default)) == key.default
    assert key.doc.endswith(".")
    assert key.by in ("project", "person")


def test_what_names_a_model_is_for_the_person_alone():
    assert KEYS["embedding.provider"].by == "person"


def test_every_variable_names_one_key():
    variables = [key.environment for key in KEYS.values() if key.environment]
    assert len(set(variables)) == len(variables)
    assert KEYS["docs.max_file_bytes"].environment == "PIT_MEMORY_DOCS_MAX_FILE_BYTES"


def test_values_by_name_become_the_record():
    made = settings_of({"search.limit": 9, "docs.hidden": (".github/",)})
    assert (made.search.limit, made.docs.hidden) == (9, (".github/",))
    assert made.embedding == Settings().embedding


@pytest.mark.parametrize(
    ("key", "bounds"), [("search.limit", LIMIT_BOUNDS), ("search.budget", BUDGET_BOUNDS)]
)
def test_a_setting_takes_what_a_search_takes_and_nothing_else(key, bounds):
    takes = KEYS[key].takes
    assert [takes.read(bound) for bound in bounds] == [*bounds]
    for beyond in (bounds[0] - 1, bounds[1] + 1):
        with pytest.raises(ValueError, match="a whole number from"):
            takes.read(beyond)


def test_no_value_means_every_default():
    assert settings_of({}) == Settings()
    assert set(TABLES) >= {"docs", "search", "embedding", "sections"}


@pytest.mark.parametrize("wrong", [0, 11, "5", 5.0, True, None, [5]])
def test_a_number_out_of_bounds_or_of_another_type_is_refused_with_the_bounds(wrong):
    with pytest.raises(ValueError, match="a whole number from 1 to 10"):
        whole_number(1, 10).read(wrong)


@pytest.mark.parametrize("wrong", ["c", "", 1, None, ["a"]])
def test_a_word_that_is_no_choice_is_refused_with_the_choices(wrong):
    with pytest.raises(ValueError, match='"a" or "b"'):
        one_of("a", "b").read(wrong)


@pytest.mark.parametrize("wrong", ["*.md", [1], {"a": 1}, None])
def test_globs_are_a_list_of_texts(wrong):
    with pytest.raises(ValueError, match="a list of globs"):
        GLOBS.read(wrong)


def test_a_glob_that_cannot_be_read_is_refused_with_the_reason():
    with pytest.raises(ValueError, match="not closed"):
        GLOBS.read(["[a"])


@pytest.mark.parametrize("wrong", ["../x", "a/../../b", "~/notes", "a\0"])
def test_a_glob_outside_the_tree_is_told_apart(wrong):
    with pytest.raises(OutsideError, match="inside the tree"):
        GLOBS.read([wrong])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("docs.includes", "docs.include"),
        ("doc.include", "docs.include"),
        ("include", "docs.include"),
        ("SEARCH.LIMIT", "search.limit"),
        ("serach.budget", "search.budget"),
        ("embedding.provder", "embedding.provider"),
        ("zzz", None),
    ],
)
def test_a_mistyped_name_finds_the_one_that_is_meant(name, meant):
    assert nearest(name, KEYS) == meant
