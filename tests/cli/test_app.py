"""The command tree: help that teaches, errors that say what to do, exit codes to rely on."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from pit_memory.cli.app import COMMANDS, OTHER_WORDS, app
from tests.cli.commands import run


def test_help_lists_every_command_under_a_heading(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "--help")
    assert shown.code == 0
    for name, entry in COMMANDS.items():
        assert f"  {name} " in shown.out
        assert f"{entry.group}:" in shown.out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_in_the_list_is_the_first_line_of_the_commands_own_help(name: str) -> None:
    command = app.get_command(app.make_context("pit-memory", [name, "--help"]), name)
    assert command is not None
    assert (command.help or "").split("\n")[0] == COMMANDS[name].summary


@pytest.mark.parametrize(("word", "meant"), [("wrapup", "drafts review"), ("Ask", "search")])
def test_another_word_for_a_command_names_it(
    capsys: pytest.CaptureFixture[str], word: str, meant: str
) -> None:
    outcome = run(capsys, word)
    assert (outcome.code, f"did you mean `{meant}`?" in outcome.err) == (2, True)


def test_other_words_name_commands_that_exist() -> None:
    for meant in OTHER_WORDS.values():
        name, *below = meant.split()
        found = app.get_command(click.Context(app), name)
        assert found is not None
        if below:
            assert isinstance(found, click.Group)
            assert below[0] in found.commands


def test_an_option_before_the_command_is_told_where_it_belongs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = run(capsys, "--root", "/", "search", "x")
    assert outcome.code == 2
    assert "options stand behind the command: pit-memory COMMAND --root" in outcome.err


def test_a_mistyped_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "serach", "keys")
    assert outcome.code == 2
    assert "did you mean `search`?" in outcome.err


def test_an_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run(capsys, "status", "--colour")
    assert outcome.code == 2
    assert "--colour" in outcome.err


def test_a_folder_that_does_not_exist_is_named_and_is_the_users_to_mend(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    outcome = run(capsys, "init", "--root", str(tmp_path / "nowhere"))
    assert outcome.code == 1
    assert str(tmp_path / "nowhere") in outcome.err


@pytest.mark.parametrize("command", [("search", "keys"), ("status",), ("sections", "check")])
def test_a_current_folder_that_was_removed_is_named(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    outcome = run(capsys, *command)
    assert outcome.code == 1
    assert "the current folder has been removed" in outcome.err


@pytest.mark.parametrize(
    "command",
    [
        ("drafts", "list"),
        ("drafts", "lint"),
        ("memory", "show"),
        ("memory", "lint"),
        ("memory", "migrate", "notes"),
        ("remember", "--commit-waiting"),
    ],
)
def test_a_root_that_is_not_there_is_no_root_without_anything(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path)
    outcome = run(capsys, *command, "--root", str(tmp_path / "nowhere"))
    assert (outcome.code, outcome.out) == (1, "")
    assert f"{tmp_path / 'nowhere'} is no folder" in outcome.err
    assert not (tmp_path / "nowhere").exists()


def test_a_wrong_setting_is_a_usage_error_with_file_and_key(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / ".pit-memory.toml").write_text('[search]\nexclude = "many"\n')
    outcome = run(capsys, "search", "keys", "--root", str(tmp_path))
    assert outcome.code == 2
    assert "search.exclude = 'many'" in outcome.err
    assert "until it is corrected nothing is answered" in outcome.err
    assert ".pit-memory.toml" in outcome.err


def test_a_wrong_setting_that_guards_nothing_takes_search_from_nobody(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / ".pit-memory.toml").write_text('[search]\nlimit = "many"\n')
    (tmp_path / "a.md").write_text("# Keys\n\nKeys are rotated by hand.\n")
    outcome = run(capsys, "search", "keys", "rotated", "--root", str(tmp_path))
    assert outcome.code == 0
    assert outcome.out.startswith("1. a.md#keys@")
    said = ".pit-memory.toml:2: search.limit = 'many': expected a whole number from 1 to 50"
    assert f"{said} is ignored; correct it or take it away" in outcome.out
    for command in ("status",), ("read", "a.md#keys"), ("read", "a.md", "--json"):
        shown = run(capsys, *command, "--root", str(tmp_path))
        assert (shown.code, said in shown.out) == (0, True), command


def test_an_error_obeys_nothing_that_stands_in_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / ".pit-memory.toml").write_text('"\\u001b[2Jx" = 1\n', encoding="utf-8")
    outcome = run(capsys, "search", "x", "--root", str(tmp_path))
    assert "\x1b" not in outcome.out + outcome.err
    assert "there is no setting ␛[2Jx" in outcome.out


def test_a_defect_of_ours_is_told_from_the_users_mistakes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_environ: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("pit_memory.workspace.places.places", broken)
    outcome = run(capsys, "uninstall", "--dry-run")
    assert outcome.code == 3
    assert "ZeroDivisionError" in outcome.err
    assert "defect in pit-memory" in outcome.err


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# A\n\n" + "".join(f"## Part {n}\n\ntext\n\n" for n in range(3000))
    )
    reading = subprocess.run(
        [
            "sh",
            "-c",
            f"{sys.executable} -m pit_memory read a.md --root {tmp_path} --budget 20000 | head -1",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path("mcp_server").absolute())},
    )
    assert reading.stdout.startswith("a.md")
    assert reading.stderr == ""
