"""Settings from four places, by the trust rule; every mistake is named with its place."""

import os
from pathlib import Path

import pytest

from pit_memory.core.corpus.corpora import CorpusRule
from pit_memory.core.settings.settings import KEYS, Settings
from pit_memory.errors import SettingsError
from pit_memory.workspace.places import Places
from pit_memory.workspace.settings_files import LoadedSettings, load
from tests.builders import write_files
from tests.machine import open_folder, without_privileges


class Desk:
    """A project and a person, each with a settings file if the test says so."""

    def __init__(self, place: Path) -> None:
        self.root = write_files(place / "project", {})
        self.places = Places(place / "data", place / "config")
        self.project_file = self.root / ".pit-memory.toml"
        self.person_file = self.places.config / "config.toml"

    def project(self, text: str | bytes) -> "Desk":
        write_files(self.root, {".pit-memory.toml": text})
        return self

    def person(self, text: str) -> "Desk":
        write_files(self.places.config, {"config.toml": text})
        return self

    def load(
        self,
        environ: dict[str, str] | None = None,
        flags: dict[str, object] | None = None,
        *,
        lenient: bool = False,
    ) -> LoadedSettings:
        return load(self.root, self.places, environ or {}, flags, lenient=lenient)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


# ---- where values come from ------------------------------------------------------------------


def test_without_any_file_everything_stands_at_its_default(desk):
    assert desk.load() == LoadedSettings(Settings(), (), {})


def test_outside_a_project_only_the_person_and_the_environment_speak(desk):
    desk.person("search.limit = 7").project("search.limit = 9")
    assert load(None, desk.places, {}).settings.search.limit == 7


def test_strength_grows_from_person_to_project_to_environment_to_flags(desk):
    desk.person("search.limit = 2\nsearch.budget = 200\ndocs.max_file_bytes = 2\n")
    desk.project("search.limit = 3\nsearch.budget = 300\n")
    loaded = desk.load({"PIT_MEMORY_SEARCH_LIMIT": "4"})
    assert loaded.settings.search.limit == 4
    assert loaded.settings.search.budget == 300
    assert loaded.settings.docs.max_file_bytes == 2
    assert (
        desk.load({"PIT_MEMORY_SEARCH_LIMIT": "4"}, {"search.limit": 5}).settings.search.limit == 5
    )


def test_each_value_remembers_who_set_it(desk):
    desk.person("\n[docs]\nmax_file_bytes = 2\n").project("search.budget = 300\n")
    loaded = desk.load({"PIT_MEMORY_DOCS_EXCLUDE": "a/"}, {"search.limit": 5})
    assert loaded.origins == {
        "docs.max_file_bytes": f"{desk.person_file}:3",
        "search.budget": f"{desk.project_file}:1",
        "docs.exclude": "PIT_MEMORY_DOCS_EXCLUDE",
        "search.limit": "flag",
    }


def test_variables_hold_numbers_words_and_lists(desk):
    loaded = desk.load(
        {
            "PIT_MEMORY_SEARCH_LIMIT": "12",
            "PIT_MEMORY_EMBEDDING_PROVIDER": "none",
            "PIT_MEMORY_DOCS_EXCLUDE": "archive/, *.tmp.md ,",
            "PIT_MEMORY_SEARCH_BUDGET": "",
            "HOME": "/home/ada",
        }
    )
    assert loaded.settings.search.limit == 12
    assert loaded.settings.embedding.provider == "none"
    assert loaded.settings.docs.exclude == ("archive/", "*.tmp.md")
    assert loaded.settings.search.budget == Settings().search.budget
    assert loaded.problems == ()


def test_a_list_of_tables_becomes_records(desk):
    desk.project(
        '[[sections.corpora]]\nfiles = ["guides/*.md"]\nindex = "guides/index.json"\n'
        '[[sections.corpora]]\nroot = "plugins/*"\n'
    )
    assert desk.load().settings.sections.corpora == (
        CorpusRule(files=("guides/*.md",), index="guides/index.json"),
        CorpusRule(root="plugins/*"),
    )


# ---- the trust rule --------------------------------------------------------------------------


def test_a_project_may_not_choose_the_model_which_is_reported_and_ignored(desk):
    desk.project('[search]\nlimit = 3\n\n[embedding]\nprovider = "none"\n')
    loaded = desk.load()
    assert loaded.settings.embedding.provider == "builtin"
    assert loaded.settings.search.limit == 3
    assert len(loaded.problems) == 1
    assert f"{desk.project_file}:5: embedding.provider is ignored" in loaded.problems[0]
    assert f"{desk.person_file} or as PIT_MEMORY_EMBEDDING_PROVIDER" in loaded.problems[0]
    assert desk.person('embedding.provider = "none"').load().settings.embedding.provider == "none"


@pytest.mark.parametrize("key", [key.name for key in KEYS.values() if key.by == "person"])
def test_no_key_of_the_person_is_taken_from_a_project_whatever_its_value(desk, key):
    loaded = desk.project(f"{key} = [1, {{}}]").load()
    assert loaded.settings == Settings()
    assert key in loaded.problems[0]


@pytest.mark.parametrize(
    "line",
    [
        'docs.include = ["../**"]',
        'docs.hidden = ["~/.ssh/"]',
        'sections.corpora = [{ index = "/tmp/index.json" }]',
        'sections.corpora = [{ index = "../index.json" }]',
        'sections.corpora = [{ root = "../other" }]',
    ],
)
def test_a_project_may_not_speak_of_what_lies_outside_its_tree(desk, line):
    loaded = desk.project(line).load()
    assert loaded.settings == Settings()
    assert "inside the tree" in loaded.problems[0]
    assert f"{desk.project_file}:1" in loaded.problems[0]
    with pytest.raises(SettingsError, match="inside the tree"):
        desk.project("").person(line).load()


# ---- mistakes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[docs]\nincludes = []",
            "2: there is no setting docs.includes; did you mean docs.include?",
        ),
        ("[doc]\ninclude = []", "there is no setting doc"),
        ("[serach]\nlimit = 3", "1: there is no setting serach; did you mean search?"),
        ("limit = 3", "1: there is no setting limit; did you mean search.limit?"),
        ("docs = 3", "1: docs is a table; write [docs]"),
        ("[docs.include]\nx = 1", "1: docs.include = {'x': 1}: expected a list of globs"),
        ("[search]\n\nlimit = 0", "3: search.limit = 0: expected a whole number from 1 to 50"),
        ('search.limit = "5"', "1: search.limit = '5': expected a whole number"),
        ("search.limit = true", "search.limit = True: expected a whole number"),
        ('docs.include = "a"', "docs.include = 'a': expected a list of globs"),
        ('docs.include = ["["]', "not closed"),
        ("sections.corpora = [1]", "expected a list of tables with root, files, index, prose"),
        ('sections.corpora = [{rot = "a"}]', "not 'rot' (did you mean 'root'?)"),
        ("sections.corpora = [{root = 1}]", "expected a path relative to the root as 'root'"),
        ("search.limit = ", "is not TOML"),
        ("search.limit = " + "[" * 100_000, "is nested too deeply"),
        ("[docs]\n[docs]", "is not TOML"),
        (f"search.boost = {['x' * 200]} ".replace("]", ", 1]"), "..."),
    ],
)
def test_a_mistake_in_a_file_names_the_place_the_value_and_what_was_expected(desk, text, said):
    with pytest.raises(SettingsError) as caught:
        desk.project(text).load()
    assert said in str(caught.value)
    assert str(desk.project_file) in str(caught.value)


IGNORED = [
    ("search.limit = 'x'", "search.limit = 'x': expected a whole number from 1 to 50 is ignored"),
    ("[serach]\nlimit = 3", "did you mean search?; serach = {'limit': 3} is ignored"),
    ("search.limt = 3", "did you mean search.limit?; search.limt = 3 is ignored"),
    ("links = 3", "links is a table; write [links] and its keys below it; links = 3 is ignored"),
    ("commit.reference = 'often'", "commit.reference = 'often': expected"),
    ("fetch.secrt = 'hush'", "fetch.secrt = (not shown) is ignored"),
    ("[vectrs]\napi_key = 'hush'", "vectrs = (not shown) is ignored"),
]


@pytest.mark.parametrize(("text", "said"), IGNORED)
def test_whoever_only_asks_is_answered_without_a_wrong_key_and_told(desk, text, said):
    loaded = desk.project(f"search.budget = 300\n{text}\n").load(lenient=True)
    assert loaded.settings.search.budget == 300
    assert loaded.settings.search.limit == Settings().search.limit
    (problem,) = loaded.problems
    assert problem.startswith(f"{desk.project_file}:2: ")
    assert said in problem
    assert problem.endswith("correct it or take it away")
    with pytest.raises(SettingsError) as caught:
        loaded.refuse_mistakes()
    assert str(caught.value) == problem.replace(" is ignored; ", "; ")  # as nothing is done


def test_what_holds_instead_of_a_wrong_value_is_what_a_weaker_place_says(desk):
    desk.person("search.limit = 7").project("search.limit = 0")
    assert desk.load(lenient=True).settings.search.limit == 7


@pytest.mark.parametrize(
    "text",
    [
        "docs.exclude = 'secret/'",
        "docs.excludes = ['secret/']",
        "docs.ignore = ['secret/']",
        "exclude = ['secret/']",
        "[dosc]\nexclude = ['secret/']",
        "docs.include = 'public/'",
        "docs = 3",
        "search.exclude = 'x'",
        "docs.sources = 3",
        "private = ['x/']",
        "[audience]\nx = 1",
    ],
)
def test_a_wrong_key_that_may_keep_something_out_of_answers_is_refused_aloud(desk, text):
    with pytest.raises(SettingsError, match="until it is corrected nothing is answered"):
        desk.project(text).load(lenient=True)


@pytest.mark.parametrize(
    "text",
    [
        "auth.jwt = 3",
        "auth.jwtt = 3",
        "server.certfile = 'cert.pem'",
        "facts.review = 'requird'",
        "assignment = '../x'",
    ],
)
def test_a_wrong_key_of_the_person_that_guards_is_refused_aloud(desk, text):
    with pytest.raises(SettingsError, match="until it is corrected nothing is answered"):
        desk.person(text).load(lenient=True)


def test_no_secret_is_told_by_a_message_about_it(desk):
    for text in ("vectors.api_key = ['hush']", "vectors.api_ky = 'hush'", "fetch.secret = 'hush'"):
        with pytest.raises(SettingsError) as caught:
            desk.person(text).load()
        assert "hush" not in str(caught.value)
        assert "hush" not in desk.load(lenient=True).problems[0]


@pytest.mark.parametrize("text", ["search.limit = [", "search.limit = 1\nsearch.limit = 2"])
def test_a_file_that_is_no_toml_is_refused_whoever_asks(desk, text):
    with pytest.raises(SettingsError, match="is not TOML"):
        desk.project(text).load(lenient=True)


def test_a_wrong_variable_is_named_with_its_value(desk):
    with pytest.raises(SettingsError, match=r"PIT_MEMORY_SEARCH_LIMIT: search.limit = 'many'"):
        desk.load({"PIT_MEMORY_SEARCH_LIMIT": "many"})


def test_a_wrong_flag_is_named(desk):
    with pytest.raises(SettingsError, match=r"flag: there is no setting search.limits"):
        desk.load(flags={"search.limits": 3})


def test_an_unknown_variable_of_ours_is_reported_and_ignored(desk):
    loaded = desk.load({"PIT_MEMORY_SEARCH_LIMITS": "3", "PIT_MEMORY_DATA": "/data"})
    assert len(loaded.problems) == 1
    assert "PIT_MEMORY_SEARCH_LIMITS is no setting and is ignored" in loaded.problems[0]
    assert "did you mean PIT_MEMORY_SEARCH_LIMIT?" in loaded.problems[0]


def test_a_file_in_utf8_with_a_mark_is_read_and_another_encoding_is_refused(desk):
    assert desk.project(b"\xef\xbb\xbfsearch.limit = 3").load().settings.search.limit == 3
    with pytest.raises(SettingsError, match="not UTF-8"):
        desk.project(b"# caf\xe9").load()


def test_a_settings_file_that_is_no_file_or_huge_is_refused(desk):
    desk.project_file.mkdir()
    with pytest.raises(SettingsError, match="not a regular file"):
        desk.load()
    desk.project_file.rmdir()
    os.mkfifo(desk.project_file)
    with pytest.raises(SettingsError, match="not a regular file"):
        desk.load()
    desk.project_file.unlink()
    with pytest.raises(SettingsError, match="larger than"):
        desk.project("#" * 2_000_000).load()


def test_a_file_in_the_place_of_the_persons_folder_is_named(tmp_path: Path):
    (tmp_path / "config").write_text("")
    with pytest.raises(SettingsError, match=r"config\.toml: a file is where a folder should be"):
        load(tmp_path, Places(tmp_path / "data", tmp_path / "config"), {})


def test_a_settings_file_without_permission_is_refused():
    with open_folder() as place:
        desk = Desk(place).project("")
        desk.project_file.chmod(0)
        with without_privileges(), pytest.raises(SettingsError, match="permission denied"):
            desk.load()


def test_a_clone_cannot_name_any_file_as_the_section_index_that_is_overwritten(tmp_path: Path):
    write_files(tmp_path, {".pit-memory.toml": '[[sections.corpora]]\nindex = ".env"\n'})
    with pytest.raises(SettingsError, match=r"a path that ends in \.json"):
        load(tmp_path, Places(tmp_path / "data", tmp_path / "config"), {})
