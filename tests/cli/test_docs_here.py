"""`pit-memory docs`: where a source is searched, of projects and outside of them."""

import json
import tomllib

import pytest

from pit_memory.wiring import open_services
from tests.builders import make_repository, write_files
from tests.cli.commands import run
from tests.cli.searched_vault import NOTE, found

pytestmark = pytest.mark.usefixtures("words_only", "no_background", "nowhere")


@pytest.fixture
def project(tmp_path):
    return make_repository(tmp_path / "project", {"README.md": "# Tool\n\nThe tool hums.\n"})


def test_a_personal_source_is_searched_in_the_projects_that_were_allowed(capsys, vault, project):
    here = ("--root", str(project))
    run(capsys, "docs", "add", str(vault))
    assert found(capsys, "gibbon") == ["Vault::apes.md#diet"]
    assert found(capsys, "gibbon", *here) == []
    outcome = run(capsys, "search", "gibbon", "--source", "Vault", *here)
    assert outcome.code == 2
    assert "no source 'Vault' is searched here" in outcome.err
    assert run(capsys, "read", "Vault::apes.md", *here).code != 0
    assert (
        "not searched here: pit-memory docs allow Vault" in run(capsys, "docs", "list", *here).out
    )

    allowed = run(capsys, "docs", "allow", "Vault", *here)
    assert allowed.out == f"Vault: searched outside of projects, in {project}\n"
    assert found(capsys, "gibbon", *here) == ["Vault::apes.md#diet"]
    run(capsys, "docs", "allow", "Vault", "--revoke", *here)
    assert found(capsys, "gibbon", *here) == []


def test_a_source_that_is_added_in_a_project_is_allowed_there(capsys, vault, project):
    here = ("--root", str(project))
    outcome = run(capsys, "docs", "add", str(vault), *here)
    assert f"in {project}" in outcome.out
    assert not (project / ".pit-memory.toml").exists(), "a vault of mine is nobody else's business"
    assert found(capsys, "gibbon", *here) == ["Vault::apes.md#diet"]


def test_hits_of_both_stores_make_one_list(capsys, vault, project):
    here = ("--root", str(project))
    write_files(project, {"docs/zoo.md": "# Zoo\n\n## Feeding\n\nThe gibbon is fed at noon.\n"})
    run(capsys, "docs", "add", str(vault), *here)
    assert set(found(capsys, "gibbon", *here)) == {"Vault::apes.md#diet", "docs/zoo.md#feeding"}
    assert found(capsys, "gibbon", "--source", "Vault", *here) == ["Vault::apes.md#diet"]


def test_a_folder_of_the_project_is_a_source_of_the_project(capsys, project):
    here = ("--root", str(project))
    write_files(project, {".gitignore": "papers/\n", "papers/okapi.md": "# Okapi\n\nIt hides.\n"})
    assert found(capsys, "okapi", *here) == []
    outcome = run(capsys, "docs", "add", str(project / "papers"), *here)
    assert "the project you are in" not in outcome.err
    assert f"Searched in {project}" in outcome.out
    lines = tomllib.loads((project / ".pit-memory.toml").read_text())
    assert lines == {"docs": {"sources": [{"name": "papers", "path": "papers"}]}}
    assert found(capsys, "okapi", *here) == ["papers::okapi.md#okapi"]


def test_a_project_can_not_name_a_folder_outside_of_itself(capsys, vault, project):
    (project / "link").symlink_to(vault)
    for path in (str(vault), "../../x", "link"):
        write_files(
            project, {".pit-memory.toml": f'[[docs.sources]]\nname = "v"\npath = "{path}"\n'}
        )
        outcome = run(capsys, "search", "gibbon", "--json", "--root", str(project))
        answer = json.loads(outcome.out)
        assert answer["hits"] == []
        assert any("ignored" in note or "leaves the project" in note for note in answer["notes"])
    write_files(project, {".pit-memory.toml": f'[[personal.sources]]\nname="v"\npath="{vault}"\n'})
    outcome = run(capsys, "search", "gibbon", "--json", "--root", str(project))
    assert any("a project may not set it" in note for note in json.loads(outcome.out)["notes"])


def test_a_source_inside_another_is_indexed_once(capsys, vault):
    run(capsys, "docs", "add", str(vault))
    run(capsys, "docs", "add", str(vault / "Private"))
    assert found(capsys, "marmoset dreamt") == ["Private::diary.md#diary"]
    with open_services(None, background="none") as services:
        paths = [services.stores[1].store.catalogue.paths().values()]
    assert sorted(path for group in paths for path in group) == [
        ("Private", "diary.md"),
        ("Vault", "apes.md"),
    ]


def test_a_vault_that_is_a_repository_is_searched_once_from_inside(capsys, home, monkeypatch):
    vault = make_repository(home / "Notes", {"apes.md": NOTE})
    monkeypatch.chdir(vault)
    told = run(capsys, "docs", "add", ".").err
    assert f"{vault} is the project you are in: its documents are searched here without" in told
    assert "Not what you want? pit-memory docs remove Notes" in told
    assert found(capsys, "gibbon") == ["apes.md#diet"]
    monkeypatch.chdir(home)
    assert found(capsys, "gibbon") == ["Notes::apes.md#diet"]


def test_a_project_inside_a_personal_source_answers_for_itself(capsys, home):
    project = make_repository(home / "Work/tool", {"apes.md": NOTE})
    write_files(home / "Work", {"other.md": "# Other\n\nA gibbon again.\n"})
    here = ("--root", str(project))
    run(capsys, "docs", "add", str(home / "Work"), *here)
    assert sorted(found(capsys, "gibbon", *here)) == ["Work::other.md#other", "apes.md#diet"]
