"""Where the client keeps its own notes on a project."""

import json
from pathlib import Path

import pytest

from pit_memory.workspace.native_memory import native_memory
from tests.builders import write_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path.resolve() / "my.project", {})


def settings(folder: str | bool) -> str:
    name = "autoMemoryEnabled" if isinstance(folder, bool) else "autoMemoryDirectory"
    return json.dumps({name: folder})


def test_by_default_it_is_named_after_the_projects_path(root: Path):
    found = native_memory({"HOME": "/home/ada"}, root)
    slug = str(root).replace("/", "-").replace(".", "-").replace("_", "-")
    assert found == Path(f"/home/ada/.claude/projects/{slug}/memory")


def test_it_lies_beside_the_transcript(root: Path):
    environ = {"HOME": "/home/ada", "CLAUDE_CONFIG_DIR": "/c"}
    assert native_memory(environ, root, "/c/projects/x/1.jsonl") == Path("/c/projects/x/memory")


def test_the_persons_settings_move_it(root: Path, home: Path):
    write_files(home / ".claude", {"settings.json": settings("~/notes")})
    assert native_memory({"HOME": str(home)}, root, "/c/x/1.jsonl") == home / "notes"
    write_files(home / ".claude", {"settings.json": settings("relative")})
    assert native_memory({"HOME": str(home)}, root, "/c/x/1.jsonl") == Path("/c/x/memory")


def test_a_variable_has_the_last_word(root: Path, home: Path):
    write_files(home / ".claude", {"settings.json": settings("/notes")})
    environ = {"HOME": str(home), "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "/override"}
    assert native_memory(environ, root) == Path("/override")


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_projects_settings_may_only_name_a_folder_of_the_project(
    root: Path, home: Path, name: str
):
    environ = {"HOME": str(home)}
    outside = (str(home / "private"), str(root / "../private"), "/etc")
    for folder in outside:
        write_files(root / ".claude", {name: settings(folder)})
        assert native_memory(environ, root, "/c/x/1.jsonl") == Path("/c/x/memory")
    write_files(root / ".claude", {name: settings(str(root / ".notes"))})
    assert native_memory(environ, root, "/c/x/1.jsonl") == root / ".notes"


def test_where_the_client_keeps_no_notes_there_are_none(root: Path, home: Path):
    environ = {"HOME": str(home)}
    assert native_memory(environ | {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, root) is None
    write_files(root / ".claude", {"settings.json": settings(folder=False)})
    assert native_memory(environ, root) is None


@pytest.mark.parametrize("text", ["{", "[]", '"x"', "[" * 100_000, '{"autoMemoryDirectory": 7}'])
def test_settings_that_cannot_be_read_say_nothing(root: Path, home: Path, text: str):
    write_files(home / ".claude", {"settings.json": text})
    assert native_memory({"HOME": str(home)}, root, "/c/x/1.jsonl") == Path("/c/x/memory")
