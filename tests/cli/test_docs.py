"""`pit-memory docs`: sources are lines, an index can go any time, files stay as they are."""

import hashlib
import json
import os
import re
import tomllib
from pathlib import Path

import pytest

from pit_memory.wiring import open_services
from tests.builders import make_repository, write_files
from tests.builtin_model import builtin_embedder
from tests.cli.commands import run

NOTE = "# Apes\n\n## Diet\n\nThe gibbon eats figs at dawn.\n"


@pytest.fixture(autouse=True)
def words_only(monkeypatch):
    monkeypatch.setenv("PIT_MEMORY_EMBEDDING_PROVIDER", "none")


@pytest.fixture(autouse=True)
def no_background(monkeypatch):
    """What a test needs indexed, it syncs."""
    monkeypatch.setattr("pit_memory.workspace.detached.start_detached", lambda *_: None)


@pytest.fixture
def vault(home):
    return write_files(
        home / "Vault", {"apes.md": NOTE, "Private/diary.md": "# Diary\n\nA marmoset dreamt.\n"}
    )


@pytest.fixture
def project(tmp_path):
    return make_repository(tmp_path / "project", {"README.md": "# Tool\n\nThe tool hums.\n"})


@pytest.fixture(autouse=True)
def nowhere(home, monkeypatch):
    """A folder outside of any project, where each test stands."""
    monkeypatch.chdir(home)
    return home


def tree_hash(folder: Path) -> str:
    """Names, bytes, modes and times of everything below a folder."""
    seen = []
    for place in sorted(folder.rglob("*")):
        status = place.lstat()
        data = place.read_bytes() if place.is_file() and not place.is_symlink() else b""
        seen.append(
            (place.name, hashlib.sha256(data).hexdigest(), status.st_mtime_ns, status.st_mode)
        )
    return hashlib.sha256(repr(seen).encode()).hexdigest()


def found(capsys, question, *arguments):
    """Refs without hashes that answer a question."""
    outcome = run(capsys, "search", question, "--json", *arguments)
    assert outcome.code == 0, outcome.err
    return [hit["ref"].rpartition("@")[0] for hit in json.loads(outcome.out)["hits"]]


# A vault, outside of any project


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


# Where it is searched


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


# Bad input


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("~/Vaul", "did you mean"),
        ("~/Vault/apes.md", "is a file, and sources are folders"),
    ],
)
@pytest.mark.usefixtures("vault")
def test_a_path_that_is_no_folder_is_refused_with_the_next_step(capsys, path, said):
    outcome = run(capsys, "docs", "add", path)
    assert outcome.code == 1
    assert said in outcome.err


@pytest.mark.parametrize("path", ["/", "~"])
@pytest.mark.usefixtures("vault")
def test_a_whole_disk_or_home_asks_after_counting(capsys, nowhere, path, monkeypatch):
    monkeypatch.setattr("pit_memory.sources.census.COUNT_SECONDS", 0.5)
    outcome = run(capsys, "docs", "add", path)
    assert outcome.code == 2
    assert "documents; add a folder of it, or give --yes" in outcome.err
    assert not (nowhere / "config/config.toml").exists()


@pytest.mark.usefixtures("vault")
def test_a_home_is_added_where_the_person_insists(capsys):
    assert run(capsys, "docs", "add", "~", "--yes", "--name", "all").code == 0
    assert found(capsys, "gibbon") == ["all::Vault/apes.md#diet"]


def test_names_are_made_from_folders_and_free(capsys, home):
    for folder in ("📚 Notes", "Notes", "💡", "n" * 255):
        write_files(home / folder, {"a.md": "# A\n\nText.\n"})
        assert run(capsys, "docs", "add", str(home / folder)).code == 0
    listed = json.loads(run(capsys, "docs", "list", "--json").out)
    assert [source["name"] for source in listed] == ["Notes", "Notes-2", "source", "n" * 40]


def test_a_name_of_ours_or_a_taken_one_is_refused(capsys, vault, home):
    write_files(home / "B", {"a.md": "# A\n"})
    run(capsys, "docs", "add", str(vault))
    for name in ("personal-memory", "a::b", "Vault", ""):
        outcome = run(capsys, "docs", "add", str(home / "B"), "--name", name)
        assert outcome.code == (0 if name == "" else 2)


def test_to_add_a_folder_twice_is_no_mistake_but_other_globs_are(capsys, vault):
    run(capsys, "docs", "add", str(vault))
    assert "Already a source: Vault" in run(capsys, "docs", "add", str(vault)).out
    outcome = run(capsys, "docs", "add", str(vault), "--include", "*.md")
    assert outcome.code == 2
    assert "docs remove Vault" in outcome.err


def test_an_unknown_name_is_told_with_the_nearest(capsys, vault):
    run(capsys, "docs", "add", str(vault))
    for command in ("remove", "allow", "sync"):
        outcome = run(capsys, "docs", command, "Valt")
        assert outcome.code == 1
        assert "did you mean Vault?" in outcome.err


def test_a_source_whose_disk_is_gone_is_kept_and_said(capsys, vault, nowhere):
    run(capsys, "docs", "add", str(vault))
    assert found(capsys, "gibbon") == ["Vault::apes.md#diet"]
    vault.rename(nowhere / "elsewhere")
    answer = json.loads(run(capsys, "search", "gibbon", "--json").out)
    assert any("what was indexed of it is kept" in note for note in answer["notes"])
    (nowhere / "Vault").mkdir()  # an empty mount point
    answer = json.loads(run(capsys, "search", "gibbon", "--json").out)
    assert any("the index is kept" in note for note in answer["notes"])
    listed = run(capsys, "docs", "list").out
    assert "there is no such folder" not in listed
    assert "no document is there where 2 were; the index is kept" in listed
    (nowhere / "Vault").rmdir()
    (nowhere / "elsewhere").rename(vault)
    assert found(capsys, "gibbon") == ["Vault::apes.md#diet"]


def test_of_files_that_are_gone_a_few_are_named_and_nobody_is_told_to_ask_again(
    capsys, vault, nowhere
):
    write_files(vault, {f"note{number}.md": f"# Gibbon {number}\n" for number in range(24)})
    run(capsys, "docs", "add", str(vault))
    run(capsys, "docs", "sync")
    vault.rename(nowhere / "elsewhere")
    vault.mkdir()

    said = run(capsys, "search", "gibbon").out.split("\n")

    assert said[0] == "nothing to show: the files that answer can't be read now"
    assert len([line for line in said if line.startswith("left out, its file")]) == 3
    assert any(line.startswith("left out likewise: ") for line in said)
    shown = run(capsys, "read", "Vault::apes.md#diet")
    assert shown.code == 1
    assert "can't be read: of 26 files indexed there, none can be reached now" in shown.err
    assert "nearest" not in shown.err


def test_nothing_found_is_not_said_for_sure_where_a_file_could_not_be_read(capsys, vault):
    run(capsys, "docs", "add", str(vault))
    run(capsys, "docs", "sync")
    assert run(capsys, "search", "xylophone").out.startswith("nothing found: the documents")
    write_files(vault, {"broken.pdf": "%PDF"})

    said = run(capsys, "search", "xylophone").out.split("\n")

    assert said[0] == "nothing found so far, and not all could be searched"
    note = "1 file or folder could not be read, and may answer: pit-memory status --problems"
    assert note in said
    assert "could not be read" not in run(capsys, "search", "gibbon").out


def test_a_removed_line_leaves_an_index_that_can_be_forgotten(capsys, vault, nowhere):
    run(capsys, "docs", "add", str(vault))
    found(capsys, "gibbon")
    (nowhere / "config/config.toml").write_text("")
    assert found(capsys, "gibbon") == []
    assert "(2 documents" in run(capsys, "docs", "remove", "Vault").out


# Where the settings hold a wrong key

WRONG_KEY = "# mine\n[serch]\nlimit = 3  # three are enough\n"


def test_a_wrong_key_keeps_nobody_from_their_sources_and_stays_as_it_stands(
    capsys, vault, project, nowhere
):
    settings = nowhere / "config/config.toml"
    write_files(settings.parent, {"config.toml": WRONG_KEY})
    said = f"{settings}:2: there is no setting serch; did you mean search?"
    here = ("--root", str(project))
    for command in (
        ("add", str(vault)),
        ("allow", "Vault", *here),
        ("list",),
        ("list", "--json"),
        ("sync", "Vault"),
        ("search", "gibbon"),
        ("remove", "Vault"),
    ):
        outcome = run(capsys, "docs", *command)
        assert outcome.code == 0, (command, outcome.err)
        assert said in outcome.out + outcome.err, command
        assert settings.read_text().startswith(WRONG_KEY), command
    assert settings.read_text().rstrip("\n") == WRONG_KEY.rstrip("\n")


def test_a_wrong_key_beside_a_projects_sources_stays_as_it_stands(capsys, project):
    write_files(project, {"notes/a.md": NOTE, ".pit-memory.toml": "[docs]\nmax_file_byte = 7\n"})
    here = ("--root", str(project))
    for command in ("add", str(project / "notes")), ("remove", "notes"):
        outcome = run(capsys, "docs", *command, *here)
        assert (outcome.code, "did you mean docs.max_file_bytes?" in outcome.err) == (0, True)
        assert (project / ".pit-memory.toml").read_text().startswith("[docs]\nmax_file_byte = 7\n")


@pytest.mark.parametrize(
    "command", [("add", "~/Vault"), ("allow", "V"), ("sync", "V"), ("remove", "V")]
)
@pytest.mark.usefixtures("vault")
def test_a_wrong_list_of_sources_is_not_taken_for_an_empty_one(capsys, nowhere, project, command):
    settings = nowhere / "config/config.toml"
    written = '[[personal.sources]]\nname = "V"\npth = "~/Vault"\n'
    write_files(settings.parent, {"config.toml": written})
    outcome = run(capsys, "docs", *command, "--root", str(project))
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{settings}:" in outcome.err
    assert "personal.sources = " in outcome.err
    assert settings.read_text() == written
    listed = run(capsys, "docs", "list")
    assert (listed.code, "personal.sources = " in listed.err) == (0, True)


# What is said of a source


def test_the_list_says_what_there_is_what_is_left_out_and_what_is_wrong(capsys, vault):
    write_files(
        vault,
        {"photo.png": b"\x89PNG", ".obsidian/app.json": "{}", "bad.md": "---\na: [\n---\nx\n"},
    )
    run(capsys, "docs", "add", str(vault))
    run(capsys, "docs", "sync")
    text = run(capsys, "docs", "list").out
    assert "Vault  " + str(vault) in text
    assert "3 files, " in text
    assert "1 of another format (png 1)" in text
    assert "1 hidden" in text
    assert "problems: 1 (pit-memory docs list --problems)" in text
    listed = run(capsys, "docs", "list", "--problems").out
    assert ": front-matter: " in listed
    assert "--problems" not in listed  # nobody is told to ask what is being answered
    assert "--problems" not in run(capsys, "status", "--problems").out
    status = run(capsys, "status").out
    assert "source Vault" in status


def test_the_status_keeps_a_source_of_a_long_name_apart_from_its_counts(capsys, vault):
    run(capsys, "docs", "add", str(vault), "--name", "Everything-I-know")
    assert "\nsource Everything-I-know 2 files, " in run(capsys, "status").out


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


def test_symlink_loops_and_twins_are_no_trouble(capsys, home):
    nfd = "Cafe\u0301.md"
    vault = write_files(
        home / "V",
        {
            "Café.md": "# Nfc\n\nA composed okapi.\n",
            nfd: "# Nfd\n\nA decomposed okapi.\n",
            "README.md": "# Up\n\nA loud okapi.\n",
            "readme.md": "# Low\n\nA quiet okapi.\n",
            "🦧 orang.md": "# Orang\n\nAn emoji okapi.\n",
            "x" * 252 + ".md": "# Long\n\nA long okapi.\n",
        },
    )
    (vault / "loop").symlink_to(vault)
    (vault / "self.md").symlink_to("self.md")
    run(capsys, "docs", "add", str(vault))
    refs = found(capsys, "okapi", "-n", "20")
    assert len(refs) == 6
    for ref in refs:
        assert "okapi" in run(capsys, "read", ref).out
    assert "symlink loop" in run(capsys, "docs", "list").out


def test_a_folder_without_permission_is_said(capsys, vault):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (vault / "Private").chmod(0)
    try:
        run(capsys, "docs", "add", str(vault))
        run(capsys, "docs", "sync")
        assert "1 unreadable" in run(capsys, "docs", "list").out
    finally:
        (vault / "Private").chmod(0o755)


def test_a_hit_below_a_folder_that_was_closed_since_is_said_to_be_unreadable(capsys, vault):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    run(capsys, "docs", "add", str(vault))
    run(capsys, "docs", "sync")
    (vault / "Private").chmod(0)
    try:
        said = run(capsys, "search", "marmoset").out.split("\n")
    finally:
        (vault / "Private").chmod(0o755)
    assert said[0] == "nothing to show: the files that answer can't be read now"
    closed = "left out, its file can't be read (permission denied): Vault::Private/diary.md"
    assert closed in said
