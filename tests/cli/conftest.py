"""A person's vault, outside of any project."""

import pytest

from tests.builders import write_files
from tests.cli.searched_vault import NOTE


@pytest.fixture
def vault(home):
    return write_files(
        home / "Vault", {"apes.md": NOTE, "Private/diary.md": "# Diary\n\nA marmoset dreamt.\n"}
    )


@pytest.fixture
def nowhere(home, monkeypatch):
    """A folder outside of any project, where a test stands."""
    monkeypatch.chdir(home)
    return home
