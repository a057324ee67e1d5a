"""The light reader of corpora says what the reader of all settings says."""

from pathlib import Path

import pytest

from pit_memory.errors import SettingsError
from pit_memory.workspace.corpus_rules import load_settings, project_rules
from tests.builders import write_files

CORPORA = '[[sections.corpora]]\nfiles = ["rules/*.md"]\nindex = "{}"\n'


@pytest.mark.parametrize("person", ["", CORPORA.format("mine.json")])
@pytest.mark.parametrize(
    "project",
    [
        "",
        "[sections]\n",
        CORPORA.format("rules.json"),
        "\ufeff" + CORPORA.format("rules.json"),
        CORPORA.format("../outside.json"),
    ],
)
def test_both_readers_agree(tmp_path: Path, person: str, project: str):
    write_files(tmp_path, {"config/config.toml": person, "p/.pit-memory.toml": project})
    environ = {"PIT_MEMORY_CONFIG": str(tmp_path / "config"), "HOME": str(tmp_path)}
    root = tmp_path / "p"
    assert project_rules(root, environ) == load_settings(root, environ).settings.sections.corpora


@pytest.mark.parametrize("project", ["[sections\n", "sections.corpora = 1\n", "sections = \xff\n"])
def test_what_is_wrong_is_said_as_the_reader_of_all_settings_says_it(tmp_path: Path, project: str):
    write_files(tmp_path, {"p/x": ""})
    (tmp_path / "p/.pit-memory.toml").write_bytes(project.encode("latin-1"))
    environ = {"HOME": str(tmp_path)}
    with pytest.raises(SettingsError) as one:
        project_rules(tmp_path / "p", environ)
    with pytest.raises(SettingsError) as other:
        load_settings(tmp_path / "p", environ)
    assert str(one.value) == str(other.value)
