"""How the front sees the launcher's environment: a plugin folder with a builder of a few lines."""

import json
import os
import subprocess
import sys
import time

import pytest

from front_environment import BEGIN_SECONDS, Environment
from launch import WATCHED
from launcher.notes import POINTER_NAME, READY, STATE_NAME, BuildState, root_folder
from pit_memory.workspace.places import places
from tests.builders import write_files

pytestmark = [
    # A builder is meant to outlive us, so nobody waits for it.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

BUILDER = """\
import pathlib, sys
asked = pathlib.Path(__file__).parents[1] / "asked"
with asked.open("a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
"""
PATIENCE = 40.0


class Plugin:
    """A plugin folder and what is noted about it."""

    def __init__(self, root):
        lock = dict.fromkeys(WATCHED[1:], "")
        self.root = write_files(root, {"mcp_server/launch.py": BUILDER, **lock})
        self.notes = root_folder(places(os.environ), root)
        self.notes.mkdir(parents=True)
        self.environment = Environment(root)

    def note_environment(self, python=sys.executable):
        pointer = self.notes / POINTER_NAME
        pointer.write_text(f"{python}\n{READY}\n")
        compared = time.time() + 1
        os.utime(pointer, (compared, compared))

    def note_state(self, process, step, seconds_left=7.0, error=""):
        state = BuildState(process, step, time.time() + seconds_left, error, "/data/build.log")
        (self.notes / STATE_NAME).write_text(json.dumps(state._asdict()))

    def builds(self, expected=1):
        """Arguments of the builds so far, once as many as expected had time to say so."""
        asked = self.root / "asked"
        end = time.time() + PATIENCE
        lines = []
        while len(lines) < expected and time.time() < end:
            lines = asked.read_text().splitlines() if asked.exists() else []
            time.sleep(0.01)
        return lines


@pytest.fixture
def plugin(tmp_path):
    return Plugin(tmp_path / "a plugin")


@pytest.fixture
def later(monkeypatch):
    """Move the monotonic clock forward."""

    def pass_by(seconds):
        now = time.monotonic()
        monkeypatch.setattr("front_environment.time.monotonic", lambda: now + seconds)

    return pass_by


def test_an_environment_that_fits_gives_the_servers_command(plugin):
    plugin.note_environment()
    assert plugin.environment.command() == [sys.executable, "-I", "-m", "pit_memory.server"]


def test_without_an_environment_a_build_begins_once(plugin):
    assert plugin.environment.command() is None
    first = plugin.environment.build()
    assert not first.failed
    assert first == plugin.environment.build()
    assert plugin.builds() == ["--build"]


def test_a_build_that_runs_is_told_with_its_step_and_the_time_left(plugin):
    plugin.note_state(os.getpid(), "installing the search libraries", seconds_left=12.2)
    standing = plugin.environment.build()
    assert not standing.failed
    assert standing.sentence == ("pit-memory is installing the search libraries, about 12 s left")


def test_an_old_failure_is_tried_again_and_a_new_one_is_told_with_its_log(plugin, later):
    plugin.note_state(2**22 + 1, "installing", error="no index (log: /data/build.log)")
    assert not plugin.environment.build().failed
    later(BEGIN_SECONDS + 1)
    standing = plugin.environment.build()
    assert standing.failed
    assert "no index (log: /data/build.log)" in standing.sentence


def test_a_build_that_was_killed_is_told_and_not_waited_for(plugin, later):
    plugin.environment.build()
    plugin.builds()
    builder = subprocess.Popen([sys.executable, "-S", "-c", ""])
    plugin.note_state(builder.pid, "installing the search libraries")
    later(BEGIN_SECONDS + 1)
    end = time.time() + PATIENCE
    standing = plugin.environment.build()
    while not standing.failed and time.time() < end:
        standing = plugin.environment.build()
    assert standing.failed
    assert "interrupted" in standing.sentence
    assert "/data/build.log" in standing.sentence


def test_a_folder_that_changed_during_the_build_is_built_again(plugin, later):
    plugin.environment.build()
    assert plugin.builds() == ["--build"]
    plugin.note_state(os.getpid(), READY)
    later(BEGIN_SECONDS + 1)
    assert not plugin.environment.build().failed
    assert plugin.builds(expected=2) == ["--build"] * 2


def test_a_plugin_folder_that_is_gone_keeps_its_environment(plugin):
    plugin.note_environment()
    plugin.root.rename(plugin.root.with_name("elsewhere"))
    assert plugin.environment.command() == [sys.executable, "-I", "-m", "pit_memory.server"]


def test_a_data_folder_that_makes_no_sense_is_told(plugin, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_DATA", "relative/folder")
    assert plugin.environment.command() is None
    standing = plugin.environment.build()
    assert standing.failed
    assert "PIT_MEMORY_DATA" in standing.sentence
