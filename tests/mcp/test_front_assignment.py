"""Where the front lists the tools of facts: exactly where the real server does."""

import pytest

from front_assignment import is_resolved
from pit_memory.wiring import local_access, project_settings
from tests.builders import make_repository, write_files


@pytest.mark.parametrize(
    ("variable", "person", "project", "resolved"),
    [
        ("", "", "", False),
        ("acme", "", "", True),
        ("auto", "", "", True),
        ("a/b", "", "", False),
        ("", 'assignment = "acme"', "", True),
        ("", "", 'assignment = "auto"', True),
        ("", "", 'assignment = "acme"', False),
        ("", "", "# no assignment", False),
        ("", 'assignment = "acme"', "assignment = [", False),
    ],
)
def test_the_front_finds_an_assignment_where_the_server_does(
    tmp_path, monkeypatch, variable, person, project, resolved
):
    root = make_repository(tmp_path / "project", {".pit-memory.toml": project})
    write_files(tmp_path / "config", {"config.toml": person})
    monkeypatch.setenv("PIT_MEMORY_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("PIT_MEMORY_ASSIGNMENT", variable)
    (root / "docs").mkdir()
    monkeypatch.chdir(root / "docs")

    assert is_resolved([]) is resolved
    assert is_resolved(["--root", str(root)]) is resolved
    if resolved:
        settings = project_settings(root).settings
        assert local_access(root, settings).assignment


def test_a_folder_that_is_no_repository_has_no_identity(tmp_path, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_ASSIGNMENT", "auto")
    monkeypatch.chdir(tmp_path)
    assert not is_resolved([])
