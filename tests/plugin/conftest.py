"""The tiny plugin, never run and run once; and a place for sessions of the real client."""

import importlib
import shutil
import sys

import pytest

from tests.builders import write_files
from tests.plugin.real_client import CLAUDE, DOCS
from tests.plugin.tiny_plugin import make_plugin
from tests.shared_material import shared


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


@pytest.fixture
def lab(tmp_path):
    """A session laboratory: its own home, configuration and project with a few docs."""
    sys.path.insert(0, str(shared("host")))
    harness = importlib.import_module("claude_e2e")
    with harness.Lab(root=tmp_path / "lab", claude=CLAUDE) as lab:
        write_files(lab.project, DOCS)
        yield lab


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"
