"""Builds of the launcher: several at once, killed, detached; and what the front asks of them."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import launch
from tests.patience import wait_until
from tests.plugin.tiny_plugin import make_plugin

pytestmark = pytest.mark.timeout(120)

# -- several at once, and killed --


def test_of_two_shells_at_once_one_builds_and_the_other_waits_and_says_so(tmp_path, home):
    plugin = make_plugin(tmp_path, data=home / "data", uv=False)
    shells = [plugin.start(str(number)) for number in range(2)]
    results = [(*shell.communicate(timeout=100), shell.returncode) for shell in shells]
    assert [code for _, _, code in results] == [0, 0]
    assert json.loads(results[0][0])["prefix"] == json.loads(results[1][0])["prefix"]
    said = sorted("waiting" in err for _, err, _ in results)
    assert said == [False, True]
    assert launch.build_state(plugin.root, plugin.environ).sentence(time.time()) == "set up"
    assert plugin.log.count(" install ") == 2


def test_a_killed_build_is_cleaned_up_by_the_next_run(tmp_path, home):
    plugin = make_plugin(tmp_path, data=home / "data", uv=False)
    killed = plugin.start()
    envs = plugin.data / "envs"
    wait_until(lambda: (plugin.notes / ".build.log").exists() and " install " in plugin.log)
    killed.kill()
    killed.communicate()
    assert list(envs.glob("building-*"))
    state = launch.build_state(plugin.root, plugin.environ)
    assert not state.running
    assert "interrupted" in state.sentence(time.time())
    assert plugin.ask("after")["arguments"] == ["after"]
    assert not list(envs.glob("building-*"))


def test_an_interrupted_build_leaves_nothing_behind(tmp_path, home):
    plugin = make_plugin(tmp_path, data=home / "data", uv=False)
    wheel = plugin.wheels / "tiny_libraries-1.0-py3-none-any.whl"
    wheel.unlink()
    os.mkfifo(wheel)  # the install waits for it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background
    building = plugin.start()  # ignores interrupts, and so does what it starts
    signal.signal(signal.SIGINT, before)
    wait_until(lambda: (plugin.notes / ".build.log").exists() and " install " in plugin.log)
    building.send_signal(signal.SIGINT)
    _, err = building.communicate()
    assert building.returncode == 130
    assert "interrupted" in err
    assert [path.name for path in (plugin.data / "envs").iterdir()] == ["build.lock"]


def test_a_second_plugin_folder_shares_the_libraries(plugin):
    other = plugin.root.with_name("other")
    shutil.copytree(plugin.root, other)
    seen = plugin.ask(command=other / "bin/pit-memory")
    assert seen["libraries"] == plugin.ask()["libraries"]
    assert not Path(f"{plugin.data}/roots{other}/.build.log").exists()


# -- what the front asks --


def test_the_front_learns_of_an_environment_once_it_is_there_and_when_it_is_old(fresh):
    assert launch.environment_python(fresh.root, fresh.environ) is None
    prefix = fresh.ask()["prefix"]
    assert launch.environment_python(fresh.root, fresh.environ) == Path(prefix, "bin/python")
    (fresh.package / "extra.py").write_text("")
    assert launch.environment_python(fresh.root, fresh.environ) is None


def test_a_plugin_folder_that_is_gone_keeps_its_environment(plugin):
    python = launch.environment_python(plugin.root, plugin.environ)
    shutil.rmtree(plugin.root)
    assert launch.environment_python(plugin.root, plugin.environ) == python
    subprocess.run([python, "-I", "-c", "import pit_memory.errors, tantivy"], check=True)


def test_a_detached_build_tells_its_steps_and_ends_ready(tmp_path, home):
    plugin = make_plugin(tmp_path, data=home / "data", uv=False)
    assert launch.build_state(plugin.root, plugin.environ) is None
    launch.start_build_detached(plugin.root, plugin.environ)
    wait_until(lambda: launch.build_state(plugin.root, plugin.environ))
    launch.start_build_detached(plugin.root, plugin.environ)  # nothing: one runs
    sentences = set()

    def is_done():
        state = launch.build_state(plugin.root, plugin.environ)
        sentences.add(state.sentence(time.time()))
        return not state.running

    wait_until(is_done)
    assert any(said.startswith("installing the search libraries, about ") for said in sentences)
    assert "set up" in sentences
    assert launch.environment_python(plugin.root, plugin.environ) is not None
    assert plugin.log.count(" install ") == 2
