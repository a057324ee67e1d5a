"""The settings file that `init` proposes: it fits the tree and is written only when told."""

import re
import tomllib

import pytest

from pit_memory.core.settings.settings import KEYS, Settings
from pit_memory.errors import SourceError, UsageError
from pit_memory.operations.upkeep.init import propose, write
from pit_memory.workspace.places import Places
from pit_memory.workspace.settings_files import load
from tests.builders import make_repository, write_files


def uncommented(text: str) -> str:
    """Take the `#` away from every line that is a key or a table."""
    return re.sub(r"^# (?=[a-z_]+ = |\[\[)", "", text, flags=re.MULTILINE)


@pytest.fixture
def root(tmp_path):
    files = {
        ".gitignore": "built/\n",
        "README.md": "",
        "docs/a.md": "",
        "docs/deep/b.md": "",
        "built/c.md": "",
        ".github/d.md": "",
        "tools/.notes/e.md": "",
    }
    return make_repository(tmp_path / "project", files)


def test_a_proposal_names_the_folders_that_hold_documents(root):
    text = propose(root).text
    assert "# Documents found: 3 (docs/ 2, the top level 1)." in text
    assert "# Documents in hidden folders, left out: 2 (.github/ 1, tools/.notes/ 1)." in text
    assert '# hidden = [".github/", "tools/.notes/"]' in text


def test_a_proposal_changes_nothing_as_it_stands(root, tmp_path):
    proposal = propose(root)
    assert not proposal.path.exists()
    write(proposal)
    loaded = load(root, Places(tmp_path, tmp_path / "config"), {})
    assert (loaded.settings, loaded.problems, loaded.origins) == (Settings(), (), {})


def test_every_key_of_a_project_is_there_and_none_of_the_person(root):
    offered = {
        f"{table}.{name}"
        for table, content in tomllib.loads(uncommented(propose(root).text)).items()
        for name in content
    }
    assert offered == {key.name for key in KEYS.values() if key.by == "project"}


def test_the_lines_hold_once_their_sign_is_taken_away(root, tmp_path):
    write_files(root, {".pit-memory.toml": uncommented(propose(root).text)})
    loaded = load(root, Places(tmp_path, tmp_path / "config"), {})
    assert loaded.problems == ()
    assert loaded.settings.docs.hidden == (".github/", "tools/.notes/")
    assert loaded.settings.sections == Settings().sections


def test_nothing_is_touched_but_the_file_that_was_proposed(root):
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    write(propose(root))
    after = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    assert after.pop(root / ".pit-memory.toml")
    assert after == before


def test_a_file_that_is_there_is_replaced_only_by_force(root):
    write_files(root, {".pit-memory.toml": "# mine\n"})
    proposal = propose(root)
    assert proposal.exists
    with pytest.raises(UsageError, match="is there already"):
        write(proposal)
    assert proposal.path.read_text(encoding="utf-8") == "# mine\n"
    write(proposal, force=True)
    assert proposal.path.read_text(encoding="utf-8") == proposal.text


def test_a_tree_without_documents_is_told(tmp_path):
    proposal = propose(write_files(tmp_path / "empty", {"a.py": ""}))
    assert proposal.documents == 0
    assert "No document was found" in proposal.text


def test_a_folder_name_that_would_break_the_file_is_quoted(tmp_path):
    names = {'new\nline = "x"/a.md': "", '.hid"den\n/b.md': "", "ü/c.md": ""}
    proposal = propose(write_files(tmp_path / "odd", names))
    made = tomllib.loads(uncommented(proposal.text))
    assert made["docs"]["hidden"] == ['.hid"den\n/']
    assert set(made) >= {"docs", "search", "sections"}


def test_no_such_root_is_an_error(tmp_path):
    with pytest.raises(SourceError, match="no such folder"):
        propose(tmp_path / "gone")
