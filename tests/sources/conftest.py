"""Sources of each sort."""

from pathlib import Path

import pytest

from tests.builders import make_repository, write_files


@pytest.fixture(params=["git", "scandir"])
def make_tree(request, tmp_path):
    """Make a source of each sort: a git work tree, and a plain folder."""

    def make(files: dict[str, str | bytes]) -> Path:
        root = tmp_path / "root"
        return make_repository(root, files) if request.param == "git" else write_files(root, files)

    return make
