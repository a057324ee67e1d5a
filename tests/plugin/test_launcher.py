"""`bin/pit-memory` from any place, in any order of events, on a machine with few programs."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import launch
from tests.machine import disk, make_read_only
from tests.plugin.tiny_plugin import BASE_PYTHON, find_uv, make_plugin, make_wheel

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="session")
def built_libraries(tmp_path_factory):
    """The `envs` folder of a finished set-up, to start from: every test has the same libraries."""
    place = tmp_path_factory.mktemp("built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(place))
        plugin = make_plugin(place, data=place / "data")
        plugin.ask()
    return plugin.data / "envs"


@pytest.fixture
def fresh(tmp_path, home):
    """A plugin that was never run."""
    return make_plugin(tmp_path, data=home / "data")


@pytest.fixture
def plugin(fresh, built_libraries):
    """A plugin that was run once."""
    shutil.copytree(built_libraries, fresh.data / "envs", symlinks=True)
    fresh.ask()
    return fresh


def wait_until(condition, seconds=50.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def write_tool(plugin, name, script):
    tool = plugin.tools / name
    tool.unlink(missing_ok=True)
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)


def listing(root):
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mtime_ns,
            path.is_file() and path.read_bytes(),
        )
        for path in root.rglob("*")
    }


# -- from anywhere --


@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_the_first_run_sets_up_everything_and_then_runs_the_command(tmp_path, home, installer):
    if installer == "uv" and find_uv() is None:
        pytest.skip("uv is not installed")
    plugin = make_plugin(tmp_path, data=home / "data", uv=installer == "uv")
    seen = plugin.ask("search", "two words", "*")
    assert seen["arguments"] == ["search", "two words", "*"]
    assert seen["folder"] == str(plugin.root.parent)
    assert seen["threads"] == ["1", "1", "1"]
    for part in ("prefix", "package", "libraries", "model"):
        assert Path(seen[part]).is_relative_to(plugin.data / "envs")
    assert plugin.log.count(" install ") == 2
    assert ("uv pip install" in plugin.log) == (installer == "uv")


def test_a_later_run_goes_straight_to_the_environment(plugin):
    pointer = plugin.notes / ".environment"
    before = pointer.stat()
    for gone in ("python3", "uv", "uname"):
        (plugin.tools / gone).unlink(missing_ok=True)
    assert plugin.ask("status")["arguments"] == ["status"]
    assert pointer.stat() == before


def test_a_find_that_cannot_compare_costs_time_only(plugin):
    write_tool(plugin, "find", "echo unrecognized: -cnewer >&2; exit 1")
    assert plugin.ask("search")["arguments"] == ["search"]


def test_it_runs_through_links_from_the_path_and_from_other_shells(plugin, tmp_path):
    place = tmp_path / "somewhere else"
    place.mkdir()
    (place / "relative").symlink_to(os.path.relpath(plugin.command, place))
    (place / "link of a link").symlink_to("relative")
    plugin.add_tool("pit-memory", place / "link of a link")
    prefix = plugin.ask()["prefix"]
    commands = [
        ((), place / "link of a link", "/"),
        ((), "./relative", place),
        (("-c", "pit-memory"), "sh", "/"),
        (("pit-memory",), "sh", plugin.root / "bin"),
        (("-c", "cd / && exec pit-memory"), "sh", place),
    ]
    for arguments, command, cwd in commands:
        assert plugin.ask(*arguments, command=command, cwd=cwd)["prefix"] == prefix


def test_a_plugin_and_a_data_folder_with_spaces_and_other_letters_work(tmp_path, built_libraries):
    plugin = make_plugin(tmp_path, data=tmp_path / "my dätä $HOME", name="a 'plugin' \"of\" mine")
    shutil.copytree(built_libraries, plugin.data / "envs", symlinks=True)
    first, second = plugin.ask("a"), plugin.ask("b")
    assert first["prefix"] == second["prefix"]
    assert first["model"] is not None


def test_nothing_in_the_plugin_folder_changes(fresh):
    before = listing(fresh.root)
    fresh.ask()
    fresh.build_again()
    fresh.ask()
    assert listing(fresh.root) == before


def test_settings_of_the_users_shell_do_not_get_in(fresh, tmp_path):
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    seen = fresh.ask(
        PYTHONPATH=str(tmp_path),
        PYTHONHOME="/nowhere",
        PYTHONDONTWRITEBYTECODE="1",
        PIP_USER="1",
        PIP_TARGET="/nowhere",
        OMP_NUM_THREADS="8",
        cwd=tmp_path,
    )
    assert seen["threads"][0] == "1"
    copy = Path(seen["package"]).parents[1]
    assert list((copy / "__pycache__").glob("errors.*.pyc")), "the package copy is compiled"


def test_serving_over_stdin_starts_the_front_without_any_set_up(fresh):
    ran = fresh.run("serve")
    assert (ran.returncode, ran.stdout) == (0, "front serve\n")
    assert not (fresh.data / "envs").exists()
    assert fresh.ask("serve", "--http")["arguments"] == ["serve", "--http"]


def test_the_version_is_told_without_any_set_up(fresh):
    (fresh.package / "__init__.py").write_text('"""A package."""\n\n__version__ = "7.8.9"\n')
    ran = fresh.run("--version")
    assert (ran.returncode, ran.stdout) == (0, "pit-memory, version 7.8.9\n")
    assert not (fresh.data / "envs").exists()


def test_several_pips_share_a_lock_and_a_namespace(tmp_path, home):
    plugin = make_plugin(tmp_path, data=home / "data", uv=False)
    names = [f"space/part{number}" for number in range(6)]
    lines = [make_wheel(plugin.wheels, f"tiny_{name[6:]}", (name,)) for name in names]
    lock = plugin.root / "requirements.lock"
    lock.write_text(
        "# A comment.\n" + lock.read_text() + "".join(lines).replace(" --", " \\\n    --")
    )
    folder = Path(plugin.ask()["libraries"]).parent
    assert {path.name for path in folder.glob("space/*.py")} == {f"{name[6:]}.py" for name in names}
    assert plugin.log.count(" install ") == 4 + 1


# -- changes --


def test_a_changed_package_is_copied_anew_without_installing_anything(plugin):
    before = plugin.ask()
    (plugin.package / "extra.py").write_text("")
    after = plugin.ask()
    assert after["prefix"] != before["prefix"]
    assert after["libraries"] == before["libraries"]
    assert not (plugin.notes / ".build.log").exists()


def test_a_file_replaced_by_an_older_one_of_the_same_size_is_noticed(plugin):
    file = plugin.package / "errors.py"
    before, kept = plugin.ask()["prefix"], file.stat()
    file.write_bytes(file.read_bytes().replace(b"Every", b"every", 1))
    os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert plugin.ask()["prefix"] != before


def test_touching_a_file_keeps_the_environment(plugin):
    before = plugin.ask()["prefix"]
    (plugin.package / "errors.py").touch()
    assert plugin.ask()["prefix"] == before


def test_a_changed_lock_is_installed_beside_the_old_libraries(plugin):
    before = plugin.ask()
    lock = plugin.root / "requirements.lock"
    lock.write_text(lock.read_text() + make_wheel(plugin.wheels, "tiny_more", ("more",)))
    after = plugin.ask()
    assert after["libraries"] != before["libraries"]
    assert Path(before["libraries"]).exists()
    assert Path(after["libraries"]).with_name("more.py").exists()


def test_an_environment_whose_python_was_removed_is_built_for_another(plugin, tmp_path):
    seen = plugin.ask()
    link = Path(seen["prefix"], "bin/python")
    link.unlink()
    link.symlink_to(tmp_path / "a python that was upgraded away")
    assert plugin.ask("again")["arguments"] == ["again"]


def test_a_virtual_environment_on_the_path_may_go_afterwards(fresh, tmp_path):
    subprocess.run([BASE_PYTHON, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    fresh.add_tool("python3", tmp_path / "venv/bin/python")
    fresh.ask()
    shutil.rmtree(tmp_path / "venv")
    assert fresh.ask("again")["arguments"] == ["again"]


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


# -- what only some need --


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


# -- what can go wrong --


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


@pytest.mark.parametrize("uv", [True, False])
def test_libraries_that_cannot_be_installed_are_an_error_with_log_and_next_step(tmp_path, home, uv):
    plugin = make_plugin(tmp_path, data=home / "data", uv=uv)
    wheel = plugin.wheels / "tiny_libraries-1.0-py3-none-any.whl"
    wheel.rename(plugin.wheels / "kept")
    ran = plugin.run("search")
    assert (ran.returncode, ran.stdout) == (1, "")
    error = ran.stderr.splitlines()[-1]
    assert "tiny" in error
    assert str(plugin.notes / ".build.log") in error
    assert "run it again" in error
    state = launch.build_state(plugin.root, plugin.environ)
    assert state.error in error
    assert not state.running
    (plugin.wheels / "kept").rename(wheel)
    assert plugin.ask("now")["arguments"] == ["now"]


def test_a_package_with_another_hash_than_the_lock_is_refused(fresh):
    lock = fresh.root / "requirements.lock"
    name, _, digest = lock.read_text().partition("sha256:")
    lock.write_text(f"{name}sha256:{digest.strip()[::-1]}\n")
    ran = fresh.run()
    assert ran.returncode == 1
    assert "hash" in ran.stderr.lower()
    assert not list(fresh.data.glob("envs/libraries-*"))


def test_libraries_that_do_not_run_here_are_refused(fresh):
    lock = fresh.root / "requirements.lock"
    lock.write_text(
        make_wheel(fresh.wheels, "tiny_libraries", ("click", "numpy", "pyromark", "yaml"))
    )
    ran = fresh.run()
    assert ran.returncode == 1
    assert "No module named 'tantivy'" in ran.stderr


def test_an_old_python_is_refused_in_one_line(fresh):
    write_tool(fresh, "python3", "echo 3.9.2")
    write_tool(fresh, "python", "echo 2.7.18")
    for arguments in (["search"], ["serve"]):
        ran = fresh.run(*arguments)
        assert ran.returncode == 1
        assert ran.stderr == (
            "pit-memory: needs Python 3.11 or newer on the PATH; python3 here is 3.9.2; python here"
            " is 2.7.18. Install one, then run this again\n"
        )


def test_no_python_at_all_is_an_error_of_one_line(fresh):
    (fresh.tools / "python3").unlink()
    ran = fresh.run("search")
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "needs Python 3.11 or newer" in ran.stderr


def test_a_newer_python_is_found_behind_an_old_one_and_a_broken_one(fresh):
    fresh.add_tool("python", BASE_PYTHON)
    write_tool(fresh, "python3", "echo 3.10.1")
    write_tool(fresh, "python3.12", "echo 3.12.0; exit 127")
    assert fresh.ask("search")["arguments"] == ["search"]


def test_native_windows_is_refused(fresh):
    write_tool(fresh, "uname", "echo MINGW64_NT-10.0")
    ran = fresh.run("search")
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "WSL" in ran.stderr


def test_a_data_folder_that_cannot_be_written_is_named(fresh, tmp_path):
    (tmp_path / "file").write_text("")
    ran = fresh.run(PIT_MEMORY_DATA=str(tmp_path / "file/data"))
    assert ran.returncode == 1
    assert str(tmp_path / "file/data") in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_read_only_data_folder_is_named(fresh, tmp_path):
    (tmp_path / "disk").mkdir()
    with disk(tmp_path / "disk") as folder:
        make_read_only(folder)
        ran = fresh.run(PIT_MEMORY_DATA=str(folder / "data"))
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert f"can't write {folder}/data" in ran.stderr
    assert "read-only" in ran.stderr
    assert "PIT_MEMORY_DATA" in ran.stderr


@pytest.mark.parametrize("kilobytes", [16, 120])
def test_a_full_disk_is_an_error_and_leaves_nothing_half_made(fresh, tmp_path, kilobytes):
    (tmp_path / "disk").mkdir()
    with disk(tmp_path / "disk", f"{kilobytes}k") as folder:
        ran = fresh.run(PIT_MEMORY_DATA=str(folder / "data"))
        left = [path.name for path in folder.glob("data/envs/*")]
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert re.search("disk is full|no space left", ran.stderr, re.IGNORECASE), ran.stderr
    assert not [name for name in left if name.startswith("building-")]


@pytest.mark.parametrize(
    "environ", [{"PIT_MEMORY_DATA": "relative"}, {"PIT_MEMORY_DATA": "", "HOME": ""}]
)
def test_an_environment_that_names_no_data_folder_is_an_error_with_the_next_step(fresh, environ):
    ran = fresh.run(**environ)
    assert ran.returncode == 1
    assert "PIT_MEMORY_DATA" in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_a_plugin_folder_without_its_lock_is_named(fresh):
    (fresh.root / "requirements.lock").unlink()
    ran = fresh.run()
    assert ran.returncode == 1
    assert str(fresh.root / "requirements.lock") in ran.stderr
    assert "install the plugin again" in ran.stderr


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


# -- old environments --


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
