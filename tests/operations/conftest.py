"""A project to search in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.operations.searched_project import DOCS, Project, project_of


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """For tests that change nothing."""
    project = project_of(tmp_path_factory.mktemp("docs"), DOCS)
    yield project
    project.store.close()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """For tests that change its files."""
    project = project_of(tmp_path, DOCS)
    yield project
    project.store.close()
