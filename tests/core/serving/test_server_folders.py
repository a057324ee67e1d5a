"""What a client is told of a server's folders: nothing but paths relative to the project."""

import pytest

from pit_memory.core.answers.answers import LegReport, SearchAnswer
from pit_memory.core.serving.server_folders import ServerFolders

FOLDERS = ServerFolders(
    ("/srv/a project", "/mnt/a project"),
    {"/srv": "the server's home", "/srv/data": "the data folder"},
)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("/srv/a project/docs/a.md can't be read", "docs/a.md can't be read"),
        ("seen from /srv/a project", "seen from the project"),
        ("can't look into /srv/a project: it is gone", "can't look into the project: it is gone"),
        ("/mnt/a project/.pit-memory.toml:3: no", ".pit-memory.toml:3: no"),
        ("/srv/a project-two/x", "the server's home project-two/x"),
        ("can't write /srv/data/stores-v8/x-1: full", "can't write the data folder: full"),
        ("('/srv/data')", "('the data folder')"),
        ("the path '/etc/passwd' is absolute", "the path '/etc/passwd' is absolute"),
        ("https://x.example/srv/data and docs/srv/data", None),
        ("/srv/database", "the server's home"),
    ],
)
def test_a_folder_is_told_relative_to_the_project_or_by_a_word(said: str, told: str | None):
    assert FOLDERS.without(said) == (said if told is None else told)


def test_only_our_own_sentences_of_an_answer_are_changed():
    answer = SearchAnswer(
        query="what is in /srv/data",
        mode="hybrid",
        abstained=True,
        hits=(),
        keyword=LegReport("ran", ""),
        semantic=LegReport("degraded", "/srv/data/model is gone"),
        used_tokens=0,
        budget=100,
        more=0,
        pending_files=0,
        notes=("nothing below /srv/a project",),
    )
    told = FOLDERS.of(answer)
    assert told.query == answer.query
    assert told.semantic.reason == "the data folder is gone"
    assert told.notes == ("nothing below the project",)


def test_without_folders_nothing_is_changed():
    assert ServerFolders().without("/srv/data is full") == "/srv/data is full"
