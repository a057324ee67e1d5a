"""Drafts and sites: what real generators publish, what is refused, and the line that is added."""

import subprocess
import sys
from pathlib import Path

import pytest

from pit_memory.core.serving.write_request import WriteRequest
from pit_memory.core.writing.homes import DRAFTS_HOME
from pit_memory.errors import WriteRefusedError
from pit_memory.operations.push.migrate_memory import Homes, migrate_memory
from pit_memory.operations.writing.site_guard import (
    add_exclusion,
    missing_exclusions,
    refuse_published,
)
from pit_memory.wiring import open_services
from tests.builders import write_files

BUILDS = {
    "mkdocs": ("-m", "mkdocs", "build", "--quiet", "--site-dir", "site"),
    "zensical": ("-m", "zensical", "build"),
}
ZENSICAL = '[project]\nsite_name = "Ours" # kept\n'


def built_drafts(root: Path, generator: str) -> list[str]:
    """Build the site; returns the pages made of drafts, home page excepted."""
    command = (sys.executable, "-W", "ignore", *BUILDS[generator])
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (root / "site/index.html").is_file()
    return [str(page) for page in (root / "site").rglob("*.html") if "_drafts" in page.parts]


def remember(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    with open_services(root, background="none") as services:
        receipt = services.write(WriteRequest("The gateway restarts nightly.", "reference"))
    return root / receipt.place


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("generator", "file", "text"),
    [
        ("mkdocs", "mkdocs.yml", "site_name: Ours\n"),
        ("mkdocs", "mkdocs.yml", "exclude_docs: |\n    old/\nsite_name: Ours\n"),
        ("mkdocs", "mkdocs.yml", "site_name: Ours\nexclude_docs: old/\n"),
        ("zensical", "mkdocs.yml", "site_name: Ours\n"),
        ("zensical", "zensical.toml", ZENSICAL),
        ("zensical", "zensical.toml", ZENSICAL + 'exclude_docs = "old/"\n'),
    ],
)
def test_a_draft_is_refused_until_the_site_leaves_it_out_and_then_it_does(
    tmp_path: Path, monkeypatch, generator: str, file: str, text: str
):
    root = write_files(tmp_path / "p", {file: text, "docs/index.md": "# Home\n"})
    with pytest.raises(WriteRefusedError, match=rf"add to {file}: `exclude_docs.*_drafts/"):
        remember(root, monkeypatch)
    assert not (root / DRAFTS_HOME).exists()
    (lacking,) = missing_exclusions(root, DRAFTS_HOME)
    assert add_exclusion(root, lacking)
    assert all(line in (root / file).read_text() for line in text.split("\n") if "old" not in line)
    assert remember(root, monkeypatch).is_file()
    assert built_drafts(root, generator) == []


@pytest.mark.timeout(120)
@pytest.mark.parametrize("generator", BUILDS)
def test_without_the_line_generators_publish_drafts(tmp_path: Path, generator: str):
    """The reason for the guard; where this fails, it has become needless."""
    draft = {"docs/_drafts/x.md": "---\ndraft: true\n---\n\n# X\n", "docs/index.md": "# Home\n"}
    root = write_files(tmp_path / "p", {"mkdocs.yml": "site_name: Ours\n", **draft})
    assert built_drafts(root, generator) != []


@pytest.mark.parametrize(
    "files",
    [
        {"mkdocs.yml": "exclude_docs: _drafts/\n"},
        {"mkdocs.yml": "draft_docs: |\n  # ours\n  /_drafts/\n"},
        {"mkdocs.yml": "exclude_docs: |\n  *.md\n  !index.md\n"},
        {"mkdocs.yml": "plugins:\n  - search\n  - exclude:\n      glob: ['_drafts/*']\n"},
        {"mkdocs.yml": "docs_dir: website\n"},
        {"mkdocs.yml": "INHERIT: base.yml\n", "base.yml": "exclude_docs: _drafts/\n"},
        {"mkdocs.yml": "docs_dir: !ENV [DOCS, docs]\nexclude_docs: _drafts/\nx: !!python/name:y\n"},
        {"site/mkdocs.yml": "docs_dir: ../docs\nexclude_docs: _drafts\n"},
        {"hugo.toml": 'contentDir = "docs"\n'},
        {"hugo.toml": "buildDrafts = true\n"},
        {"docusaurus.config.js": "module.exports = {}\n"},
        {},
    ],
)
def test_a_site_that_publishes_no_draft_is_no_matter(tmp_path: Path, files):
    assert missing_exclusions(write_files(tmp_path / "p", files), DRAFTS_HOME) == ()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"mkdocs.yml": "exclude_docs: |\n  _drafts/\n  !*.md\n"}, "add to mkdocs.yml"),
        ({"mkdocs.yml": "docs_dir: .\n"}, "`exclude_docs: docs/_drafts/`"),
        ({"site/mkdocs.yml": "docs_dir: ../docs\n"}, "add to site/mkdocs.yml"),
        ({"mkdocs.yml": "a: [\n"}, r"mkdocs.yml can't be read \(.*line 2.*\): correct it"),
        ({"hugo.toml": 'contentDir = "docs"\nbuildDrafts = true\n'}, "buildDrafts = false"),
    ],
)
def test_a_site_that_would_publish_drafts_is_told_with_the_line_to_add(
    tmp_path: Path, files, said: str
):
    root = write_files(tmp_path / "p", files)
    with pytest.raises(WriteRefusedError, match=said) as told:
        refuse_published(root, DRAFTS_HOME)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "text", ["INHERIT: base.yml\n", "exclude_docs:\n  - a/\n", "exclude_docs: 'a/'\n"]
)
def test_a_configuration_in_a_form_of_its_own_is_left_to_its_owner(tmp_path: Path, text: str):
    root = write_files(tmp_path / "p", {"mkdocs.yml": text, "base.yml": "site_name: X\n"})
    (lacking,) = missing_exclusions(root, DRAFTS_HOME)
    assert not add_exclusion(root, lacking)
    assert (root / "mkdocs.yml").read_text() == text


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_of_a_configuration_stay(tmp_path: Path, end: bytes):
    root = write_files(tmp_path / "p", {"mkdocs.yml": b"site_name: X" + end})
    (lacking,) = missing_exclusions(root, DRAFTS_HOME)
    assert add_exclusion(root, lacking)
    expected = end.join([b"site_name: X", b"exclude_docs: |", b"  _drafts/", b""])
    assert (root / "mkdocs.yml").read_bytes() == expected


def test_notes_are_not_moved_to_where_a_site_would_publish_them(tmp_path: Path):
    root = write_files(tmp_path.resolve() / "p", {"mkdocs.yml": "site_name: X\n"})
    notes = write_files(tmp_path / "notes", {"project_gateway.md": "It restarts nightly.\n"})
    with pytest.raises(WriteRefusedError, match="exclude_docs"):
        migrate_memory(notes, Homes(root, root / "memory", tmp_path / "config"))
    assert not (root / "docs").exists()
