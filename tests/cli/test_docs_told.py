"""`pit-memory docs`: what is said of a source, of what is left out, gone or closed."""

import json
import os

import pytest

from tests.builders import write_files
from tests.cli.commands import run
from tests.cli.searched_vault import found

pytestmark = pytest.mark.usefixtures("words_only", "no_background", "nowhere")


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
