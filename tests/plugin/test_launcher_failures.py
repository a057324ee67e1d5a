"""What can go wrong when the launcher runs, and how it says so."""

import re
from pathlib import Path

import pytest

import launch
from tests.machine import disk, make_read_only
from tests.plugin.tiny_plugin import BASE_PYTHON, make_plugin, make_wheel

pytestmark = pytest.mark.timeout(120)


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
    fresh.write_tool("python3", "echo 3.9.2")
    fresh.write_tool("python", "echo 2.7.18")
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
    fresh.write_tool("python3", "echo 3.10.1")
    fresh.write_tool("python3.12", "echo 3.12.0; exit 127")
    assert fresh.ask("search")["arguments"] == ["search"]


def test_native_windows_is_refused(fresh):
    fresh.write_tool("uname", "echo MINGW64_NT-10.0")
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
    assert ran.stderr.count("PIT_MEMORY_DATA") == 1


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
    "environ",
    [
        {"PIT_MEMORY_DATA": "relative"},
        {"PIT_MEMORY_DATA": "~/pm"},
        {"PIT_MEMORY_DATA": "", "HOME": ""},
        {"PIT_MEMORY_DATA": "", "HOME": "relative"},
        {"PIT_MEMORY_DATA": "", "HOME": "", "XDG_DATA_HOME": "relative"},
    ],
)
def test_an_environment_that_names_no_data_folder_is_an_error_and_nothing_is_written(
    fresh, tmp_path, environ
):
    project = tmp_path / "project"
    project.mkdir()
    for command in ("search", "uninstall"):
        ran = fresh.run(command, cwd=project, **environ)
        assert ran.returncode == 2
        assert "PIT_MEMORY_DATA" in ran.stderr or "HOME='relative'" in ran.stderr
        assert ran.stderr.count("\n") == 1
    assert not [*project.iterdir()]


def test_a_pointer_below_a_relative_folder_is_not_followed(fresh, tmp_path):
    pointer = Path(f"{tmp_path}/project/data/roots{fresh.root}/.environment")
    pointer.parent.mkdir(parents=True)
    pointer.write_text(f"{fresh.tools}/uname\nready\n")
    ran = fresh.run("search", cwd=tmp_path / "project", PIT_MEMORY_DATA="data")
    assert (ran.returncode, "PIT_MEMORY_DATA='data' is not an absolute" in ran.stderr) == (2, True)


def test_a_relative_xdg_folder_is_ignored(fresh, tmp_path, home):
    project = tmp_path / "project"
    project.mkdir()
    seen = fresh.ask("search", cwd=project, PIT_MEMORY_DATA="", XDG_DATA_HOME="relative")
    assert Path(seen["prefix"]).is_relative_to(home / ".local/share/pit-memory")
    assert not [*project.iterdir()]


def test_a_plugin_folder_without_its_lock_is_named(fresh):
    (fresh.root / "requirements.lock").unlink()
    ran = fresh.run()
    assert ran.returncode == 1
    assert str(fresh.root / "requirements.lock") in ran.stderr
    assert "install the plugin again" in ran.stderr
