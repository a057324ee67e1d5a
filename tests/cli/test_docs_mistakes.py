"""`pit-memory docs`: what a person gets wrong, on the command line and in settings."""

import pytest

from tests.builders import make_repository, write_files
from tests.cli.commands import run
from tests.cli.searched_vault import NOTE, found

pytestmark = pytest.mark.usefixtures("words_only", "no_background", "nowhere")
WRONG_KEY = "# mine\n[serch]\nlimit = 3  # three are enough\n"


@pytest.fixture
def project(tmp_path):
    return make_repository(tmp_path / "project", {"README.md": "# Tool\n\nThe tool hums.\n"})


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
