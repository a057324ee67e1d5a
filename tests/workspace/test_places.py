"""Where pit-memory keeps what it makes."""

import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.errors import SettingsError
from pit_memory.workspace.places import (
    STORE_VERSION,
    Places,
    envs,
    person_settings,
    places,
    project_settings,
    store_folder,
    user_store,
    vector_cache,
)
from tests.shared_material import PROJECT

HOME = {"HOME": "/home/ada"}
SOME = Places(Path("/data"), Path("/config"))


@pytest.mark.parametrize(
    ("environ", "data", "config"),
    [
        (HOME, "/home/ada/.local/share/pit-memory", "/home/ada/.config/pit-memory"),
        (
            {**HOME, "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"},
            "/d/pit-memory",
            "/c/pit-memory",
        ),
        (
            {
                **HOME,
                "XDG_DATA_HOME": "/d",
                "PIT_MEMORY_DATA": "/own",
                "PIT_MEMORY_CONFIG": "/mine",
            },
            "/own",
            "/mine",
        ),
        ({"PIT_MEMORY_DATA": "/own", "PIT_MEMORY_CONFIG": "/mine"}, "/own", "/mine"),
    ],
)
def test_own_variables_win_over_xdg_folders_and_those_over_the_home(environ, data, config):
    assert places(environ) == Places(Path(data), Path(config))


def test_an_empty_variable_counts_as_unset():
    environ = {**HOME, "PIT_MEMORY_DATA": "", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""}
    assert places(environ) == places(HOME)


def test_a_relative_xdg_folder_is_ignored_as_its_specification_wants():
    assert places({**HOME, "XDG_DATA_HOME": "data"}) == places(HOME)


@pytest.mark.parametrize("name", ["PIT_MEMORY_DATA", "PIT_MEMORY_CONFIG"])
@pytest.mark.parametrize("value", ["data", "./data", "~/data", " "])
def test_a_relative_folder_of_our_own_is_refused_by_name_and_value(name, value):
    with pytest.raises(SettingsError, match="absolute path") as caught:
        places({**HOME, name: value})
    assert name in str(caught.value)
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "ada"}])
def test_without_a_usable_home_the_message_says_which_variable_helps(environ):
    with pytest.raises(SettingsError, match="HOME"):
        places(environ)


def test_everything_derived_lies_in_the_data_folder():
    assert vector_cache(SOME) == Path("/data/vectors.sqlite")
    assert envs(SOME) == Path("/data/envs")
    assert user_store(SOME) == Path(f"/data/stores-v{STORE_VERSION}/user")
    assert person_settings(SOME) == Path("/config/config.toml")
    assert project_settings(Path("/home/ada/project")) == Path("/home/ada/project/.pit-memory.toml")


def test_a_store_is_named_after_its_root_and_the_hash_of_its_path():
    folder = store_folder(SOME, Path("/home/ada/docs"))
    assert folder == Path(f"/data/stores-v{STORE_VERSION}/docs-5e860e02f712a38a")
    assert store_folder(SOME, Path("/home/bob/docs")).name.startswith("docs-")
    assert store_folder(SOME, Path("/home/bob/docs")) != folder


@pytest.mark.parametrize(
    ("root", "shown"),
    [
        ("/", "root"),
        ("/a/my docs #1@50%", "my_docs__1_50_"),
        ("/a/new\nline", "new_line"),
        ("/a/..hidden", "hidden"),
        ("/a/Überblick", "Überblick"),
        ("/a/b\udcff", "b_"),
        ("/a/" + "x" * 255, "x" * 40),
    ],
)
def test_a_store_of_any_folder_name_has_a_plain_name(root, shown):
    name = store_folder(SOME, Path(root)).name
    assert name.rpartition("-")[0] == shown
    assert len(name.rpartition("-")[2]) == 16


def test_composed_and_decomposed_names_have_stores_of_their_own():
    composed, decomposed = Path("/a/\u00fc"), Path("/a/u\u0308")
    assert store_folder(SOME, composed) != store_folder(SOME, decomposed)


def test_the_module_stays_light():
    code = "import sys; import pit_memory.workspace.places; print(*sys.modules)"
    environ = {"PYTHONPATH": str(PROJECT / "mcp_server")}
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    heavy = {"dataclasses", "inspect", "hashlib", "json", "subprocess", "tomllib"}
    assert heavy & set(done.stdout.split()) == set()
