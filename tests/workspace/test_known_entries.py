"""Entries kept between processes: a cache that nobody has to care for."""

import json
import os
from importlib.metadata import version
from pathlib import Path

import pytest

from pit_memory.core.corpus import section_index
from pit_memory.core.corpus.section_entries import FileEntries, SectionIndex, file_entries
from pit_memory.core.corpus.section_index import build
from pit_memory.workspace import known_entries as module
from pit_memory.workspace.known_entries import known_entries
from pit_memory.workspace.places import places, section_entries

FILES = {"a.md": b"## One\n\nThe first one.\n", "b.md": b"## Two\n\nThe second one.\n"}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts that were parsed, in order."""
    texts: list[str] = []

    def watched(text: str) -> FileEntries:
        texts.append(text)
        return file_entries(text)

    monkeypatch.setattr(section_index, "file_entries", watched)
    return texts


def indexed(files: dict[str, bytes]) -> SectionIndex:
    with known_entries(places(os.environ)) as known:
        return build(files, known).index


def test_what_was_parsed_once_is_not_parsed_again(parsed: list[str]):
    first = indexed(FILES)
    assert indexed(FILES) == first == build(FILES).index
    assert len(parsed) == 4  # twice here, twice by the build without a memory
    assert indexed({**FILES, "c.md": b"## Three\n", "d.md": FILES["a.md"]})["d.md"] == first["a.md"]
    assert parsed[4:] == ["## Three\n"]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"made_by": 1}', b'{"files": {"x": 1}}'])
def test_a_damaged_memory_is_forgotten(damage: bytes, parsed: list[str]):
    expected = indexed(FILES)
    section_entries(places(os.environ)).write_bytes(damage)
    assert indexed(FILES) == expected
    assert len(parsed) == 4


def test_a_change_of_the_code_that_makes_entries_forgets_them(
    monkeypatch: pytest.MonkeyPatch, parsed: list[str]
):
    indexed(FILES)
    monkeypatch.setattr(module, "_fingerprint", lambda: "another version")
    indexed(FILES)
    assert len(parsed) == 4


def test_every_module_that_decides_an_entry_is_in_the_fingerprint():
    import subprocess
    import sys

    code = "import sys, pit_memory.core.corpus.section_index, pit_memory.core.corpus.summaries;"
    code += "print(*sorted(m for m in sys.modules if m.startswith('pit_memory.core.')))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {
        name.removeprefix("pit_memory.core.").replace(".", "/") for name in out.stdout.split()
    }
    packages = {name.rpartition("/")[0] for name in loaded}
    others = {"documents/documents", "documents/incident_record", "records", "tokens"}
    others |= {"text/identity", "text/percent", "text/plurals"}
    assert loaded - packages - others == set(module._MAKERS)


def test_the_parser_in_the_fingerprint_is_the_one_that_is_installed():
    assert f"pyromark {version('pyromark')}" == module._PARSER


def test_a_memory_that_cannot_be_written_is_no_problem(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PIT_MEMORY_DATA", "/dev/null/data")
    assert list(indexed(FILES)) == ["a.md", "b.md"]


def test_the_memory_keeps_the_latest_and_stays_small(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_FILES", 3)
    for number in range(5):
        indexed({"a.md": f"## Heading {number}\n".encode()})
    kept = json.loads(Path(section_entries(places(os.environ))).read_bytes())["files"]
    assert [rows[0][0] for rows in kept.values()] == ["Heading 2", "Heading 3", "Heading 4"]
