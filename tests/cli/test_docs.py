"""`pit-memory docs`: sources are lines, an index can go any time, files stay as they are."""

import json
import re
import tomllib

import pytest

from tests.builders import write_files
from tests.builtin_model import builtin_embedder
from tests.cli.commands import run
from tests.cli.searched_vault import NOTE, found, tree_hash

pytestmark = pytest.mark.usefixtures("words_only", "no_background", "nowhere")


def test_a_vault_is_added_asked_and_removed_and_stays_as_it_is(capsys, vault):
    before = tree_hash(vault)
    added = run(capsys, "docs", "add", "~/Vault")
    assert added.code == 0
    assert f"Added: Vault, {vault} (2 documents)" in added.out
    assert "Searched outside of projects" in added.out

    assert found(capsys, "what does the gibbon eat") == ["Vault::apes.md#diet"]
    assert run(capsys, "read", "Vault::apes.md#diet").out.endswith(
        "The gibbon eats figs at dawn.\n"
    )

    removed = run(capsys, "docs", "remove", "Vault")
    assert "2 documents" in removed.out
    assert found(capsys, "what does the gibbon eat") == []
    assert tree_hash(vault) == before


def test_a_folder_without_documents_is_added_and_says_so(capsys, nowhere):
    write_files(nowhere / "Empty", {"data.bin": "x"})
    added = run(capsys, "docs", "add", "~/Empty")
    assert "(0 documents)" in added.out
    assert "It holds no document yet" in added.err


def test_what_was_found_and_what_of_it_is_indexed_are_two_numbers(capsys, vault):
    write_files(vault, {"broken.pdf": b"junk", "page.html": "<p>"})
    (vault / "gone.md").symlink_to("nowhere.md")
    added = run(capsys, "docs", "add", str(vault))
    assert f"Added: Vault, {vault} (3 of 5 documents indexed)\n" in added.out
    assert "Not indexed: 2 (pit-memory docs list --problems)\n" in added.out
    named = run(capsys, "docs", "list", "--problems").out
    assert "broken.pdf: unreadable: " in named
    assert "left out, symlink to nothing: gone.md" in named

    again = run(capsys, "docs", "add", str(vault))
    assert f"Already a source: Vault, {vault} (3 of 5 documents indexed)\n" in again.out
    said = json.loads(run(capsys, "docs", "add", str(vault), "--json").out)
    assert (said["documents"], said["indexed"], said["pending"]) == (5, 3, 0)


def test_of_many_documents_it_is_said_how_many_are_indexed_so_far(capsys, nowhere):
    notes = {f"note-{n}.md": f"# Note {n}\n\nThe okapi of day {n}.\n" for n in range(60)}
    write_files(nowhere / "Many", notes)
    added = run(capsys, "docs", "add", str(nowhere / "Many"))
    assert re.search(
        r"^Added: Many, .*/Many \(60 documents, \d+ indexed so far\)$", added.out, re.MULTILINE
    )
    assert "Not indexed" not in added.out


def test_a_source_is_a_line_among_the_lines_of_the_person(capsys, vault, nowhere):
    settings = nowhere / "config/config.toml"
    written = "# mine\n[search]\nlimit = 3  # three are enough\n"
    write_files(settings.parent, {"config.toml": written})
    run(capsys, "docs", "add", str(vault), "--name", "notes", "--exclude", "Private")
    text = settings.read_text()
    assert text.startswith(written)
    assert tomllib.loads(text)["personal"]["sources"] == [
        {"name": "notes", "path": "~/Vault", "exclude": ["Private"]}
    ]
    assert found(capsys, "marmoset") == []
    run(capsys, "docs", "remove", "notes")
    assert settings.read_text().rstrip("\n") == written.rstrip("\n")


def test_what_a_source_excludes_can_not_be_read_either(capsys, vault):
    run(capsys, "docs", "add", str(vault), "--exclude", "Private")
    outcome = run(capsys, "read", "Vault::Private/diary.md")
    assert outcome.code == 1
    assert "there is no such file" in outcome.err


def test_a_changed_new_and_deleted_note_is_right_in_the_next_search(capsys, vault):
    run(capsys, "docs", "add", str(vault))
    found(capsys, "gibbon")
    write_files(vault, {"apes.md": NOTE.replace("figs", "papayas"), "new.md": "# Okapi\n\nRuns.\n"})
    (vault / "Private/diary.md").unlink()
    assert found(capsys, "papayas") == ["Vault::apes.md#diet"]
    assert found(capsys, "okapi") == ["Vault::new.md#okapi"]
    assert found(capsys, "marmoset") == []


def test_names_are_made_from_folders_and_free(capsys, home):
    for folder in ("📚 Notes", "Notes", "💡", "n" * 255):
        write_files(home / folder, {"a.md": "# A\n\nText.\n"})
        assert run(capsys, "docs", "add", str(home / folder)).code == 0
    listed = json.loads(run(capsys, "docs", "list", "--json").out)
    assert [source["name"] for source in listed] == ["Notes", "Notes-2", "source", "n" * 40]


def test_a_removed_line_leaves_an_index_that_can_be_forgotten(capsys, vault, nowhere):
    run(capsys, "docs", "add", str(vault))
    found(capsys, "gibbon")
    (nowhere / "config/config.toml").write_text("")
    assert found(capsys, "gibbon") == []
    assert "(2 documents" in run(capsys, "docs", "remove", "Vault").out


def test_sync_of_named_sources_leaves_the_others(capsys, vault, home):
    write_files(home / "B", {"b.md": "# B\n\nText.\n"})
    run(capsys, "docs", "add", str(vault))
    run(capsys, "docs", "add", str(home / "B"))
    for folder in (vault, home / "B"):
        write_files(folder, {"new.md": "# New\n\nText.\n"})
    assert run(capsys, "docs", "sync", "B").out.startswith("1 added")
    assert run(capsys, "docs", "sync").out.startswith("1 added")


def test_sync_of_a_vault_says_how_far_its_meaning_is_and_waits_for_it(
    capsys, vault, home, monkeypatch
):
    builtin_embedder()
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "builtin")
    write_files(home / "B", {"b.md": "# B\n\nText.\n"})
    run(capsys, "docs", "add", str(vault))
    run(capsys, "docs", "add", str(home / "B"))
    said = run(capsys, "docs", "sync", "Vault", "--json")
    assert json.loads(said.out)["meaning"] == {"built": 0, "total": 3, "seconds_left": None}
    assert "meaning: 0 % built; it goes on behind, and --wait waits for it" in said.err
    waited = run(capsys, "docs", "sync", "--wait")
    assert (waited.code, "meaning: all built" in waited.err) == (0, True)
