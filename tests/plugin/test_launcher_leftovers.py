"""Environments that nothing uses any more."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(120)


def age(path, seconds):
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_a_replaced_environment_goes_after_an_hour(plugin):
    old = Path(plugin.ask()["prefix"])
    (plugin.package / "extra.py").write_text("")
    plugin.ask()
    assert old.exists(), "a session may be starting in it"
    age(old, 2 * 3600)
    (plugin.package / "extra.py").touch()
    plugin.ask()
    assert not old.exists()


def test_an_environment_in_use_stays(plugin):
    old = Path(plugin.ask()["prefix"])
    code = "import sys, pathlib; from pit_memory.workspace.installation import hold; "
    code += "hold(pathlib.Path(sys.prefix)); print('held', flush=True); input()"
    with subprocess.Popen(
        [old / "bin/python", "-I", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.readline()
        (plugin.package / "extra.py").write_text("")
        plugin.ask()
        age(old, 365 * 24 * 3600)
        (plugin.package / "extra.py").touch()
        plugin.ask()
        assert old.exists()
        process.communicate("\n")
    (plugin.package / "extra.py").touch()
    age(old, 2 * 3600)
    plugin.ask()
    assert not old.exists()


def test_what_was_not_used_for_thirty_days_goes_with_its_notes(plugin):
    other = plugin.root.with_name("other")
    shutil.copytree(plugin.root, other)
    (other / "mcp_server/pit_memory/extra.py").write_text("")
    lock = other / "requirements.lock"
    lock.write_text(lock.read_text() + "# another\n")
    seen = plugin.ask(command=other / "bin/pit-memory")
    notes = Path(f"{plugin.data}/roots{other}")
    libraries = Path(seen["libraries"]).parent
    for path in (notes / ".environment", Path(seen["prefix"]), libraries):
        age(path, 31 * 24 * 3600)
    (plugin.package / "errors.py").touch()
    plugin.ask()
    assert not notes.exists()
    assert not Path(seen["prefix"]).exists()
    assert not libraries.exists()
    assert plugin.ask("still")["arguments"] == ["still"]
