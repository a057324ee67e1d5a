"""`pit-memory init` and what it offers beside a settings file."""

from pathlib import Path

import pytest

from tests.builders import write_files
from tests.cli.commands import run
from tests.shared_material import PROJECT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "p", {"mkdocs.yml": "site_name: X\n", "docs/a.md": "# A\n"})


def test_init_offers_the_line_that_keeps_drafts_off_the_site(capsys, root: Path):
    asked = run(capsys, "init", "--root", str(root))
    assert "And in mkdocs.yml, which would publish drafts: exclude_docs: _drafts/" in asked.err
    assert (root / "mkdocs.yml").read_text() == "site_name: X\n"
    assert run(capsys, "init", "--yes", "--root", str(root)).code == 0
    assert (root / "mkdocs.yml").read_text() == "site_name: X\nexclude_docs: |\n  _drafts/\n"


def test_init_adds_the_line_where_there_are_settings_already_and_keeps_them(capsys, root: Path):
    write_files(root, {".pit-memory.toml": "# ours\n"})
    done = run(capsys, "init", "--yes", "--root", str(root))
    assert (done.code, done.out) == (0, "")
    assert "stays as it is" in done.err
    assert (root / ".pit-memory.toml").read_text() == "# ours\n"
    assert "_drafts/" in (root / "mkdocs.yml").read_text()


def test_init_leaves_a_site_of_another_place_to_its_owner(capsys, root: Path):
    elsewhere = root.parent / "shared.yml"
    (root / "mkdocs.yml").rename(elsewhere)
    (root / "mkdocs.yml").symlink_to(elsewhere)
    done = run(capsys, "init", "--yes", "--root", str(root))
    assert (done.code, "nothing was written" in done.err) == (0, False)
    assert "mkdocs.yml is left to you: add `exclude_docs: _drafts/`" in done.err
    assert elsewhere.read_text() == "site_name: X\n"


def test_init_says_that_settings_are_there_and_what_replaces_them(capsys, tmp_path: Path):
    root = write_files(tmp_path / "q", {".pit-memory.toml": "# ours\n"})
    said = run(capsys, "init", "--root", str(root))
    assert said.err.endswith("is there already. To replace it: pit-memory init --yes --force\n")
    assert run(capsys, "init", "--yes", "--root", str(root)).code == 2
    replaced = run(capsys, "init", "--yes", "--force", "--root", str(root))
    assert (replaced.code, "Written: " in replaced.err) == (0, True)


def test_init_offers_plain_remember_as_a_skill_of_the_persons_own(
    capsys, root: Path, home: Path, monkeypatch
):
    monkeypatch.setenv("PIT_MEMORY_PLUGIN_ROOT", str(PROJECT))
    own = home / ".claude/skills/remember/SKILL.md"
    first = run(capsys, "init", "--yes", "--root", str(root))
    assert "plain /remember in every project of yours: pit-memory init --yes --skills" in first.err
    assert not own.exists()
    assert run(capsys, "init", "--yes", "--skills", "--root", str(root)).code == 0
    assert own.read_bytes() == (PROJECT / "skills/remember/SKILL.md").read_bytes()
    own.write_text("mine\n")
    run(capsys, "init", "--yes", "--skills", "--force", "--root", str(root))
    assert own.read_text() == "mine\n"
