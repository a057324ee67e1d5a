"""Push memory in the search: of the project, of the person, and the client's own notes."""

import json
from pathlib import Path

import pytest

from pit_memory.operations.searching.search import SearchRequest
from pit_memory.wiring import open_services
from tests.builders import make_repository, write_files

ENTRY = (
    "---\nname: x\ndescription: Never remove the folder\n---\n\nThe container keeps the inode.\n"
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    return make_repository(
        tmp_path / "project",
        {
            "docs/inodes.md": "# Inodes\n\nA folder has an inode, and a container may hold it.\n",
            "memory/gotcha_inode.md": ENTRY,
            "memory/inode-theory.md": "# Theory\n\nAn inode is a number.\n",
        },
    )


def found(root: Path, query: str, collection: str = "docs") -> dict[str, tuple[str, str]]:
    with open_services(root, background="none") as services:
        answer = services.search(SearchRequest(query, collection=collection, limit=10))
    return {
        (f"{hit.source}::" if hit.source else "") + hit.path: (hit.kind, hit.collection)
        for hit in answer.hits
    }


def test_a_question_about_docs_finds_entries_too_and_one_about_memory_nothing_else(root: Path):
    assert found(root, "container inode folder") == {
        "docs/inodes.md": ("document", "docs"),
        "memory/gotcha_inode.md": ("gotcha", "memory"),
    }
    assert found(root, "container inode folder", "memory") == {
        "memory/gotcha_inode.md": ("gotcha", "memory")
    }


def test_another_file_of_the_memory_folder_is_a_document(root: Path):
    assert found(root, "theory: an inode is a number")["memory/inode-theory.md"][0] == "document"
    assert "memory/inode-theory.md" not in found(root, "theory: an inode is a number", "memory")


def test_an_entry_is_titled_by_its_description(root: Path):
    with open_services(root, background="none") as services:
        answer = services.search(SearchRequest("never remove the folder", collection="memory"))
    (hit,) = answer.hits
    assert hit.title == "Never remove the folder"
    assert "inode" in hit.snippet[0].text


def test_entries_are_found_wherever_the_settings_put_them(root: Path):
    write_files(root, {"team/notes/rule_deploy.md": "Deploy on Mondays.\n"})
    write_files(
        root,
        {".pit-memory.toml": '[docs]\ninclude = ["docs/**"]\n[memory]\nhome = "./team/notes/"\n'},
    )
    assert found(root, "deploy on mondays", "memory") == {
        "team/notes/rule_deploy.md": ("rule", "memory")
    }


def test_personal_entries_and_the_clients_notes_are_this_persons_sources(
    root: Path, home: Path, monkeypatch
):
    write_files(home / "config/memory", {"preference_tabs.md": "Tabs are four spaces wide.\n"})
    client = home / "client"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(client))
    slug = "".join(sign if sign.isalnum() else "-" for sign in str(root))
    write_files(
        client / "projects" / slug / "memory",
        {
            "MEMORY.md": "- [Tabs](user_tabs.md): tabs\n",
            "user_tabs.md": "The person likes tabs in makefiles.\n",
            "project_tabs.md": "The tabs migration ends in May.\n",
        },
    )
    everything = {
        "personal-memory::preference_tabs.md": ("preference", "memory"),
        "claude-memory::user_tabs.md": ("preference", "memory"),
        "claude-memory::project_tabs.md": ("document", "memory"),
    }
    assert found(root, "tabs", "memory") == everything
    assert found(root, "tabs") == everything
    with open_services(root, background="none") as services:
        read = services.read("claude-memory::user_tabs.md", 500)
    assert "likes tabs" in read.lines[0].text


def test_notes_that_the_client_is_told_not_to_keep_are_no_source(root: Path, home: Path):
    notes = write_files(home / "elsewhere", {"user_x.md": "Secret tabs.\n"})
    settings = {"autoMemoryDirectory": str(notes)}
    write_files(home / ".claude", {"settings.json": json.dumps(settings)})
    assert found(root, "secret tabs", "memory")
    write_files(home / ".claude", {"settings.json": json.dumps({"autoMemoryEnabled": False})})
    with open_services(root, background="none") as services:
        assert [source.name for source in services.sources] == [""]
