"""Names of assignments, their folders, and what a repository is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pit_memory.core.facts.assignments import (
    MAX_NAME_CHARACTERS,
    assignment_folder,
    assignment_name,
    folder_identity,
    remote_identity,
)
from pit_memory.errors import UsageError

CYRILLIC_A = "\N{CYRILLIC SMALL LETTER A}cme"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("a/b", "'/'"),
        ("a\\b", "'\\\\'"),
        ("..", "'..'"),
        ("a..b", "'..'"),
        ("a\0b", "U+0000"),
        ("a\nb", "U+000A"),
        ("a\N{ZERO WIDTH SPACE}b", "U+200B"),
        ("a\N{RIGHT-TO-LEFT OVERRIDE}b", "U+202E"),
        ("a-->b", "'-->'"),
        (" a", "blank"),
        ("x" * 300, "300 characters, and at most 200"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused_with_the_reason(name: str, why: str):
    with pytest.raises(UsageError) as refused:
        assignment_name(name)
    assert str(refused.value).startswith("assignment: ")
    assert why in str(refused.value)


def test_the_longest_name_is_taken():
    assert assignment_name("x" * MAX_NAME_CHARACTERS) == "x" * MAX_NAME_CHARACTERS


def test_case_twins_and_look_alikes_have_folders_of_their_own_on_any_file_system():
    names = ["acme", "Acme", "ACME", CYRILLIC_A, "acme ltd", "acme-ltd", "acme_ltd"]
    folders = {assignment_folder(name).casefold() for name in names}
    assert len(folders) == len(names)


def test_two_spellings_of_the_same_characters_are_one_assignment():
    assert assignment_name("Cafe\N{COMBINING ACUTE ACCENT}") == assignment_name("Caf\u00e9")


@given(st.text(max_size=220))
def test_a_folder_is_one_plain_name_whatever_the_assignment(name: str):
    try:
        folder = assignment_folder(assignment_name(name))
    except UsageError:
        return
    assert folder.isascii()
    assert not set(folder) & set("/\\. ")
    assert len(folder) <= 60


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Acme/Docs.git",
        "https://user:secret@github.com/acme/docs",
        "git@github.com:acme/docs.git",
        "ssh://git@github.com:22/acme/docs/",
    ],
)
def test_every_address_of_a_repository_is_one_assignment_without_its_password(url: str):
    assert remote_identity(url) == "github.com:acme:docs"


def test_other_repositories_are_other_assignments():
    urls = (
        "https://git.example.org/a/b",
        "https://git.example.org/A/b",
        "https://git.example.org/a:b/c",
        "https://git.example.org:8443/a/b",
        "https://example.org/git/a/b",
    )
    assert len({remote_identity(url) for url in urls}) == len(urls)


@pytest.mark.parametrize("url", ["", "/srv/git/docs.git", "../docs", "file:///srv/docs.git"])
def test_a_path_of_this_machine_identifies_nothing(url: str):
    assert remote_identity(url) == ""


def test_what_a_repository_is_called_is_a_name():
    long_address = "https://git.example.org/" + "x" * 300
    for name in (
        remote_identity("git@host:a/b"),
        remote_identity(long_address),
        folder_identity("My Docs", "/home/a/My Docs/.git"),
    ):
        assert assignment_name(name) == name


def test_folders_of_one_name_are_two_assignments():
    assert folder_identity("docs", "/a/docs/.git") != folder_identity("docs", "/b/docs/.git")
