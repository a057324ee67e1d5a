"""The environment that the host gives to hooks."""

from pathlib import Path

import pytest

from tests.hooks.launching import environment


@pytest.fixture
def env(project: Path, home: Path) -> dict[str, str]:
    """Of the hooks of a story's `project`."""
    return environment(home, project)
