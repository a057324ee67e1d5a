"""Links of a vault, as Obsidian resolves them."""

import pytest

from pit_memory.core.documents.documents import DocumentLink, Place
from pit_memory.core.documents.sections import split
from pit_memory.core.documents.vault_links import (
    VaultFiles,
    folded_heading,
    obsidian_address,
    path_and_place,
    section_of_place,
)


@pytest.mark.parametrize(
    ("paths", "target", "source", "found"),
    [
        # A name that is there once, wherever it is, in any case, with or without `.md`.
        ("a/Note.md", "Note", "x.md", "a/Note.md"),
        ("a/Note.md", "note", "x.md", "a/Note.md"),
        ("a/Note.md", "Note.md", "x.md", "a/Note.md"),
        ("a/Note.md", "Nota", "x.md", None),
        ("a/v1.2.md", "v1.2", "x.md", "a/v1.2.md"),
        ("img/ape.png", "ape.png", "x.md", "img/ape.png"),
        ("img/ape.png", "ape", "x.md", None),
        ("Ä/Übung.md", "übung", "x.md", "Ä/Übung.md"),
        # Several of one name, as observed on 1.13.7.
        ("Note.md b/Note.md", "Note", "b/x.md", "Note.md"),
        ("b/Note.md a/b/Note.md", "b/Note", "a/b/x.md", "b/Note.md"),
        ("zzzz/Note.md b/Note.md", "Note", "zzzz/x.md", "zzzz/Note.md"),
        ("zzzz/Note.md b/Note.md", "Note", "zzzz/deep/x.md", "b/Note.md"),
        ("a/b/Note.md zzzzzz/Note.md", "Note", "x.md", "a/b/Note.md"),
        ("b/Note.md a/b/Note.md", "Note", "x.md", "b/Note.md"),
        # Part of a path: whole names from its end.
        ("x/folder/Note.md Note.md", "folder/Note", "y.md", "x/folder/Note.md"),
        ("x/older/Note.md", "der/Note", "y.md", None),
        # From the top, and relative: one place, nothing else.
        ("Note.md a/Note.md", "/a/Note", "x.md", "a/Note.md"),
        ("a/Note.md", "/Note", "x.md", None),
        ("a/Note.md b/Note.md", "./Note", "b/x.md", "b/Note.md"),
        ("a/Note.md b/Note.md", "../a/Note", "b/x.md", "a/Note.md"),
        ("a/Note.md", "./Note", "b/x.md", None),
        # Twins.
        ("Note.md note.md", "note", "x.md", "note.md"),
        ("Note.md note.md", "Note", "x.md", "Note.md"),
        ("Note.md sub/note.md", "NOTE", "x.md", "Note.md"),
        # One name in two spellings: macOS gives the marks of letters out as signs of their own.
        ("U\u0308bung.md", "\u00dcbung", "x.md", "U\u0308bung.md"),
        ("a\u0308/Note.md", "\u00e4/note", "x.md", "a\u0308/Note.md"),
        ("\u00dcbung.md", "/u\u0308bung", "x.md", "\u00dcbung.md"),
        ("U\u0308.md \u00dc.md", "\u00dc", "x.md", "\u00dc.md"),
        ("U\u0308.md \u00dc.md", "U\u0308", "x.md", "U\u0308.md"),
        # A note and an attachment; a file without an ending goes first.
        ("Note.png Note.md", "Note", "x.md", "Note.md"),
        # The note itself.
        ("a.md", "", "a.md", "a.md"),
    ],
)
def test_a_link_leads_where_obsidian_leads(paths, target, source, found):
    assert VaultFiles(paths.split()).find(target, source) == found


PAGE = split("# Apes\n\n## Diet: figs & nuts\n\ntext\n\n## Songs\n\n### Diet\n\nNone.\n").sections


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("Diet: figs & nuts", 3),
        ("diet figs nuts", 3),
        ("Songs", 7),
        ("Songs#Diet", 9),
        ("Apes#Songs#Diet", 9),
        ("Diet#Songs", None),
        ("diet-figs--nuts", 3),
        ("Food", None),
        ("^none", None),
    ],
)
def test_a_heading_is_named_by_its_words(place, line):
    section = section_of_place(PAGE, place)
    assert (section.line_start if section else None) == line


def test_a_block_is_named_in_any_case():
    place = Place("^an-hour", 3, 3)
    (section,) = split("# Songs\n\nThey last.\n", places=[place]).sections
    assert section_of_place([section], "^An-Hour") is section
    assert section_of_place([section], "an-hour") is None


def test_words_alone_tell_headings_apart():
    assert folded_heading("What [[is]] a `Task`? (v1.2)") == "what is a task v1 2"


def test_a_link_has_a_file_and_a_place():
    assert path_and_place(DocumentLink(1, "a/Note#One#Two", True)) == ("a/Note", "One#Two")
    assert path_and_place(DocumentLink(1, "#^id", True)) == ("", "^id")


def test_an_address_opens_the_note_at_its_place():
    assert obsidian_address("My Vault", "Ä b/x.md", "What & why") == (
        "obsidian://open?vault=My%20Vault&file=%C3%84%20b%2Fx%23What%20%26%20why"
    )
