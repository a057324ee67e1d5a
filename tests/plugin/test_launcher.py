"""`bin/pit-memory` from any place, on a machine with few programs, and after changes."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pit_memory.operations.gates.git_hook import install_git_hook
from tests.builders import make_repository
from tests.plugin.tiny_plugin import BASE_PYTHON, find_uv, make_plugin, make_wheel

pytestmark = pytest.mark.timeout(120)


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
    plugin.write_tool("find", "echo unrecognized: -cnewer >&2; exit 1")
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


def test_a_git_hook_passes_in_one_line_where_nothing_is_set_up_or_all_was_uninstalled(
    fresh, tmp_path
):
    root = make_repository(tmp_path / "project", {"a.md": "# A"})
    install_git_hook(root)
    fresh.add_tool("pit-memory", fresh.command)
    fresh.add_tool("git", shutil.which("git"))

    def commit():
        change = ("commit", "--quiet", "--allow-empty", "--message", "x")
        return fresh.run(*change, command=fresh.tools / "git", cwd=root)

    for _ in range(2):
        done = commit()
        said = "pit-memory is not installed here: the section index was not checked\n"
        assert (done.returncode, done.stderr) == (0, said)
        assert not fresh.data.exists()
        fresh.ask("by hand")
        asked = commit()
        assert '"arguments": ["sections", "check", "--staged"]' in asked.stdout + asked.stderr
        shutil.rmtree(fresh.data)


def test_a_git_hook_brings_an_environment_up_to_date_that_is_there(plugin):
    plugin.notes.joinpath(".environment").unlink()  # as of a newer plugin folder
    staged = ("sections", "check", "--staged")
    assert plugin.ask(*staged, GIT_INDEX_FILE="/x")["arguments"] == [*staged]


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
