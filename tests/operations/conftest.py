"""What several stories stand on: a project to search in, services, drafts to publish, facts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pit_memory.operations.facts.facts import Facts
from pit_memory.operations.services import Services
from pit_memory.wiring import open_facts, open_services
from tests.operations.drafts.drafts_to_publish import Publish, publishing
from tests.operations.searching.searched_project import DOCS, Project, project_of


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


@pytest.fixture
def services(root: Path) -> Iterator[Services]:
    """Of the `root` that a story sets up; nothing runs behind them."""
    with open_services(root, background="none") as services:
        yield services


@pytest.fixture
def publish(services: Services) -> Publish:
    """Publish one draft of `drafts_to_publish.FILES`, as Ada."""
    return publishing(services)


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[Facts]:
    """The person's facts, none yet, opened in a folder that is no project."""
    with open_facts(tmp_path) as (facts, _):
        yield facts
