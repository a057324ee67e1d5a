"""The light reader of push memory's settings says what the reader of all settings says."""

from pathlib import Path

import pytest

from pit_memory.errors import SettingsError
from pit_memory.workspace.places import Places
from pit_memory.workspace.push_settings import PushSettings, push_settings
from pit_memory.workspace.settings_files import load
from tests.builders import write_files


@pytest.mark.parametrize("person", ["", '[memory]\nhome = "mine"\n[push]\nbudget = 300\n'])
@pytest.mark.parametrize(
    "project",
    [
        "",
        "[docs]\n",
        '[memory]\nhome = "team/notes"\n',
        "memory.home = 'team'\npush = { budget = 400 }\n",
        '[memory]\nhome = "../outside"\n[push]\nbudget = 500\n',
        '[memory]\nhome = "/etc"\n',
    ],
)
@pytest.mark.parametrize("environ", [{}, {"PIT_MEMORY_PUSH_BUDGET": "600"}])
def test_both_readers_agree(tmp_path: Path, person: str, project: str, environ: dict[str, str]):
    write_files(tmp_path, {"config/config.toml": person, "p/.pit-memory.toml": project})
    root, where = tmp_path / "p", Places(tmp_path / "data", tmp_path / "config")
    all_settings = load(root, where, environ).settings
    expected = PushSettings(all_settings.memory.home, all_settings.push.budget)
    assert push_settings(root, where, environ) == expected


@pytest.mark.parametrize(
    "project",
    [
        "[push\n",
        "[push]\nbudget = 1\n",
        "memory = 1\n",
        '[push]\nbudget = "x"\n',
        "push = \xff\n",
        "push = " + "[" * 100_000,
    ],
)
def test_what_is_wrong_is_said_as_the_reader_of_all_settings_says_it(tmp_path: Path, project: str):
    write_files(tmp_path, {"p/x": ""})
    (tmp_path / "p/.pit-memory.toml").write_bytes(project.encode("latin-1"))
    root, where = tmp_path / "p", Places(tmp_path / "data", tmp_path / "config")
    with pytest.raises(SettingsError) as one:
        push_settings(root, where, {})
    with pytest.raises(SettingsError) as other:
        load(root, where, {})
    assert str(one.value) == str(other.value)
