"""The doctor can fail: each part is broken here, and named with what to do."""

import json
import os
import shutil
import sqlite3

import pytest

from pit_memory.cli import main
from pit_memory.operations.upkeep.tokens import add_token
from pit_memory.workspace.places import places, store_folder, token_file
from pit_memory.workspace.token_file import TokenFile
from tests.builders import make_repository
from tests.shared_material import PROJECT

pytestmark = pytest.mark.timeout(90)

DOCS = {
    "docs/keys.md": "# Keys\n\n## Rotation\n\nRotate the signing key every quarter.\n",
    "docs/soup.md": "# Soup\n\n## Onions\n\nSimmer the onions.\n",
}


@pytest.fixture
def project(tmp_path):
    return make_repository(tmp_path / "project", DOCS)


@pytest.fixture
def doctor(project, capsys, monkeypatch):
    """Run the doctor; returns (exit code, findings by part)."""
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")

    def doctor(*arguments):
        capsys.readouterr()
        code = main(["doctor", "--root", str(project), "--json", *arguments])
        findings = json.loads(capsys.readouterr().out)
        for finding in findings:
            assert finding["line"]
            assert bool(finding["repair"]) == (finding["state"] != "ok"), finding
        assert code == any(finding["state"] == "fail" for finding in findings)
        return code, {finding["part"]: finding for finding in findings}

    return doctor


def test_a_healthy_project_is_well_in_every_part(doctor):
    code, found = doctor("--full")

    assert code == 0
    assert {it["state"] for it in found.values()} == {"ok"}
    assert found.keys() == {
        *("python", "git", "settings", "network", "data", "site", "documents", "catalogue"),
        *("model", "by words", "filters", "delete"),
    }
    assert found["documents"]["line"].startswith("2 files")


def test_people_read_one_line_a_part(project, capsys, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    assert main(["doctor", "--root", str(project)]) == 0
    out = capsys.readouterr().out
    assert "ok   by words      the canary is found" in out


def test_no_git(doctor, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, found = doctor()
    assert (code, found["git"]["state"]) == (1, "fail")


def test_settings_that_cannot_be_read(doctor, project):
    (project / ".pit-memory.toml").write_text("[search]\nlimits = 3\n")
    code, found = doctor()
    assert (code, found["settings"]["state"]) == (1, "fail")
    assert "search.limit" in found["settings"]["line"]
    assert "nothing is written here" in found["settings"]["repair"]
    (project / ".pit-memory.toml").write_text("search.limits = [")
    code, found = doctor()
    assert (code, found["settings"]["state"]) == (1, "fail")


def test_settings_that_are_ignored(doctor, project):
    (project / ".pit-memory.toml").write_text('[vectors]\nurl = "http://evil.example"\n')
    code, found = doctor()
    assert (code, found["settings"]["state"]) == (0, "warn")


def test_a_full_disk(doctor, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))
    assert doctor()[1]["data"]["state"] == "fail"


def test_a_data_folder_that_cannot_be_made(doctor, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PIT_MEMORY_DATA", str(tmp_path / "file/data"))
    code, found = doctor()
    assert (code, found["data"]["state"], found["index"]["state"]) == (1, "fail", "fail")


def test_documents_that_went_away(doctor, project):
    doctor()
    shutil.rmtree(project / "docs")
    shutil.rmtree(project / ".git")
    code, found = doctor()
    assert (code, found["documents"]["state"]) == (1, "fail")
    assert "--allow-shrink" in found["documents"]["repair"]
    assert found["repository"]["state"] == "warn"


def test_problems_in_files(doctor, project):
    (project / "docs/bad.md").write_text("---\ntitle: [\n---\n# Bad\n\nText.\n")
    assert doctor()[1]["documents"]["state"] == "warn"


def test_a_site_that_would_publish_drafts(doctor, project):
    (project / "mkdocs.yml").write_text("site_name: x\n")
    code, found = doctor()
    assert (code, found["site"]["state"]) == (1, "fail")
    assert "exclude_docs" in found["site"]["repair"]


def test_a_damaged_catalogue(doctor, project):
    doctor()
    folder = store_folder(places(os.environ), project.resolve())
    (file,) = folder.glob("catalogue-*.sqlite3")
    for ending in ("-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)
    file.write_bytes(b"no database" * 1_000)
    _, found = doctor("--full")
    assert found["by words"]["state"] == "ok", "it is built again from the files"
    assert sqlite3.connect(next(folder.glob("catalogue-*.sqlite3"))).close() is None


def test_a_keyword_index_that_finds_nothing(doctor, monkeypatch):
    doctor()
    follower = "pit_memory.stores.keyword_follower.KeywordFollower"
    monkeypatch.setattr(f"{follower}.rank", lambda *_: ())
    monkeypatch.setattr(f"{follower}.holding", lambda *_: ())
    code, found = doctor()
    assert (code, found["by words"]["state"]) == (1, "fail")


def test_filters_that_let_everything_through(doctor, monkeypatch):
    monkeypatch.setattr("pit_memory.stores.keyword_index.conditions_of", lambda _: ())
    code, found = doctor()
    assert (code, found["filters"]["state"]) == (1, "fail")


def test_a_deleted_document_that_is_still_found(doctor, monkeypatch):
    monkeypatch.setattr(
        "pit_memory.operations.indexing.look.Looker.forget",
        lambda self: setattr(self, "_clock", float),
    )
    code, found = doctor("--full")
    assert (code, found["delete"]["state"]) == (1, "fail")


def test_a_model_that_cannot_run(doctor, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "ollama")
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_URL", "http://127.0.0.1:9")
    code, found = doctor()
    assert (code, found["model"]["state"], found["by meaning"]["state"]) == (1, "fail", "fail")
    assert "http://127.0.0.1:9 is out of reach" in found["model"]["line"]
    assert "127.0.0.1:9" in found["network"]["line"]


def test_a_drafts_branch_that_cannot_be_pushed(doctor, monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_FETCH_DRAFTS", "pit-memory/drafts")
    code, found = doctor()
    assert (code, found["writes"]["state"]) == (1, "fail")


def test_tokens_that_cannot_be_read_and_that_expire_soon(doctor):
    file = TokenFile(token_file(places(os.environ)))
    given = {"assignment": None, "audiences": ["team"], "writes": False}
    add_token(file, "old", expires="2d", **given)
    assert doctor()[1]["tokens"]["state"] == "ok"
    file.path.write_text("{")
    assert doctor()[1]["tokens"]["state"] == "fail"


@pytest.mark.parametrize(
    ("broken", "part"),
    [
        (lambda plugin: (plugin / "plugin.json").write_text('{"version": "0.0.1"}'), "manifests"),
        (lambda plugin: (plugin / ".claude-plugin/plugin.json").unlink(), "manifests"),
        (lambda plugin: (plugin / "hooks/session_start.py").unlink(), "hooks"),
        (lambda plugin: (plugin / "hooks/hooks.json").write_text("{}"), "hooks"),
    ],
    ids=["old version", "no manifest", "no script", "no events"],
)
def test_a_plugin_folder_with_something_wrong(project, capsys, monkeypatch, tmp_path, broken, part):
    plugin = tmp_path / "plugin"
    for name in ("hooks", ".claude-plugin"):
        shutil.copytree(PROJECT / name, plugin / name)
    shutil.copy(PROJECT / "plugin.json", plugin)
    monkeypatch.setenv("PIT_MEMORY_PLUGIN_ROOT", str(plugin))
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")
    assert main(["doctor", "--root", str(project)]) == 0
    broken(plugin)
    capsys.readouterr()

    assert main(["doctor", "--root", str(project), "--json"]) == 1

    findings = json.loads(capsys.readouterr().out)
    assert [it["part"] for it in findings if it["state"] == "fail"] == [part]
