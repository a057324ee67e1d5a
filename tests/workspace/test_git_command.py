"""Git is run, and what went wrong is said so that a person can act on it."""

import pytest

from pit_memory.errors import GitError
from pit_memory.workspace.git_command import run_git
from tests.builders import make_repository


@pytest.mark.parametrize("settings", [[], ["-c", "user.name=A", "-c", "core.quotePath=false"]])
def test_a_failure_names_the_command_and_not_its_settings(tmp_path, settings):
    top = make_repository(tmp_path / "r", {"a.md": ""})
    with pytest.raises(GitError, match=r"^git merge failed in .*: .*nowhere"):
        run_git(top, [*settings, "merge", "nowhere"], {})
