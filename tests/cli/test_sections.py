"""`pit-memory sections`, as a person or a CI job runs it."""

import json
import os
from pathlib import Path

import pytest

from pit_memory.cli import main
from pit_memory.core.corpus.section_lookup import ANSWER_TOKENS
from pit_memory.core.tokens import estimate
from tests.builders import git, make_repository, write_files
from tests.cli.commands import run
from tests.sectioned_corpus import INDEX, ONE, TWO, A


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_repository(tmp_path / "project", {A: ONE, "skills/s/SKILL.md": TWO})
    monkeypatch.chdir(root)
    return root


def test_build_writes_the_index_once(project: Path, capsys: pytest.CaptureFixture[str]):
    done = run(capsys, "sections", "build")
    assert (done.code, done.out) == (0, f"{INDEX}: 3 sections of 2 files, written\n")
    before = (project / INDEX).read_bytes()
    done = run(capsys, "sections", "build")
    assert done.out == f"{INDEX}: 3 sections of 2 files, fresh already\n"
    assert (project / INDEX).read_bytes() == before
    assert before.endswith(b"}\n")
    assert b"\r" not in before


@pytest.mark.parametrize("in_git", [True, False])
def test_a_folder_that_became_a_link_has_no_files(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, in_git: bool
):
    (project / "skills").rename(tmp_path / "outside")
    (project / "skills").symlink_to("../outside")
    if not in_git:
        (project / ".git").rename(tmp_path / "git")
    assert run(capsys, "sections", "build").out == f"{INDEX}: 1 section of 1 file, written\n"
    assert b"Two" not in (project / INDEX).read_bytes()


def test_a_terminal_obeys_no_name_and_no_word_of_the_files(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    bell = "\x1b]0;owned\x07"
    run(capsys, "sections", "build")
    title = f"# A\n\n## Two {bell}\n\nA {bell} summary.\n"
    write_files(project, {f"knowledge/{bell}.md": title})
    stale = run(capsys, "sections", "check")
    run(capsys, "sections", "build")
    shown = run(capsys, "sections", "show", "--grep", "two")
    write_files(project, {f"agents/{bell}.md": f"Read `{A}#no{bell}`.\n"})
    cited = run(capsys, "citations", "check")
    status = run(capsys, "status", "--problems")
    assert "owned" in stale.out
    assert "owned" in shown.out
    assert "owned" in cited.out
    for outcome in (stale, shown, cited, status):
        assert not {"\x1b", "\x07"} & set(outcome.out + outcome.err)


def test_a_first_build_says_what_git_should_know(project: Path, capsys: pytest.CaptureFixture[str]):
    line = f"{INDEX} linguist-generated eol=lf"
    assert line in run(capsys, "sections", "build").err
    assert line not in run(capsys, "sections", "build").err
    (project / INDEX).unlink()
    (project / ".gitattributes").write_text(f"*.png binary\n{line}\n")
    assert line not in run(capsys, "sections", "build").err


@pytest.mark.parametrize("before", [None, "", "*.png binary\n", "*.png binary"])
def test_init_adds_what_git_should_know_of_the_index(
    project: Path, capsys: pytest.CaptureFixture[str], before: str | None
):
    attributes = project / ".gitattributes"
    if before is not None:
        attributes.write_text(before)
    main(["init", "--yes"])
    assert (attributes.read_text() if attributes.exists() else None) == before
    main(["sections", "build"])
    line = f"{INDEX} linguist-generated eol=lf"
    shown = run(capsys, "init")
    assert f"And in .gitattributes: {line}" in shown.err
    assert main(["init", "--yes", "--force"]) == 0
    kept = [before.rstrip("\n")] if before else []
    assert attributes.read_text().split("\n") == [*kept, line, ""]
    assert "gitattributes" not in run(capsys, "init", "--yes", "--force").err


@pytest.mark.usefixtures("project")
def test_check_is_silent_where_all_is_fresh(capsys: pytest.CaptureFixture[str]):
    main(["sections", "build"])
    done = run(capsys, "sections", "check")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_check_shows_a_short_diff_and_one_repair(project: Path, capsys: pytest.CaptureFixture[str]):
    done = run(capsys, "sections", "check")
    assert done.code == 1
    assert "there is no index yet" in done.out
    main(["sections", "build"])
    (project / A).write_text(TWO)
    capsys.readouterr()
    done = run(capsys, "sections", "check")
    assert done.code == 1
    assert done.out.split("\n") == [
        f"{INDEX} is stale:",
        f"  + {A} > Two",
        "Repair: pit-memory sections build",
        "",
    ]


SPOILED = {
    "a file is gone": lambda root: (root / A).unlink(),
    "a file is renamed": lambda root: (root / A).rename(root / "knowledge/b.md"),
    "a file is binary": lambda root: (root / A).write_bytes(b"\0\1\2\xff"),
    "no headings": lambda root: (root / A).write_text("no headings\n"),
    "equal headings": lambda root: (root / A).write_text(ONE + ONE),
    "a heading bears a number": lambda root: (root / A).write_text(
        ONE + "\n## One (2)\n\n## One\n"
    ),
    "not UTF-8": lambda root: (root / A).write_bytes("## Größe\n".encode("latin-1")),
    "a summary edited by hand": lambda root: (root / INDEX).write_text(
        (root / INDEX).read_text().replace("first", "1st")
    ),
    "unknown keys": lambda root: (root / INDEX).write_text('{"knowledge/a.md": {}, "extra": 1}'),
    "conflict markers": lambda root: (root / INDEX).write_text("<<<<<<< a\n=======\n>>>>>>> b\n"),
    "no index": lambda root: (root / INDEX).unlink(),
}


@pytest.mark.parametrize("how", SPOILED)
def test_every_kind_of_staleness_is_found_and_repaired_by_one_command(project: Path, how: str):
    main(["sections", "build"])
    SPOILED[how](project)
    assert main(["sections", "check"]) == 1
    assert main(["sections", "build"]) == 0
    assert main(["sections", "check"]) == 0
    json.loads((project / INDEX).read_text(encoding="utf-8"))


def test_a_file_that_is_no_index_is_not_overwritten(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    settings = '{"permissions": {"allow": []}}\n'
    (project / INDEX).write_text(settings)
    done = run(capsys, "sections", "build")
    assert done.code == 1
    assert f"{INDEX} is no section index, and stays as it is" in done.err
    assert (project / INDEX).read_text() == settings


@pytest.mark.parametrize("staged", [False, True])
def test_no_index_is_written_where_one_of_several_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], staged: bool
):
    write_files(project, {"guides/x.md": ONE, "guides/index.json": '{"permissions": {}}\n'})
    corpora = '[[sections.corpora]]\n[[sections.corpora]]\nroot = "guides"\nfiles = ["*.md"]\n'
    settings(project, f'{corpora}index = "index.json"\n')
    git(project, "add", "-A")
    done = run(capsys, "sections", "build", *["--staged"] * staged)
    assert (done.code, done.err.rstrip().endswith("; nothing was written")) == (1, True)
    assert not (project / INDEX).exists()
    assert INDEX not in git(project, "ls-files").split()


def test_a_file_that_is_no_clean_text_is_indexed_and_named(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    (project / A).write_bytes("## Größe\n".encode("latin-1"))
    done = run(capsys, "sections", "build")
    assert done.code == 0
    assert f"{A}: is not UTF-8" in done.err
    assert "Größe" in (project / INDEX).read_text(encoding="utf-8")


def test_a_file_whose_name_is_no_utf_8_is_named_and_left_out(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    (project / os.fsdecode(b"knowledge/\xff.md")).write_text(ONE)
    done = run(capsys, "sections", "build")
    assert done.code == 0
    assert "its name is not UTF-8" in done.err


def test_a_staged_tree_is_checked_and_built_apart_from_the_disk(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    main(["sections", "build"])
    git(project, "add", "-A")
    git(project, "commit", "-qm", "index")
    (project / A).write_text(TWO)
    git(project, "add", A)
    (project / A).write_text(TWO + "\n## Three\n")
    assert main(["sections", "check", "--staged"]) == 1
    assert "Repair: pit-memory sections build --staged" in capsys.readouterr().out
    on_disk = (project / INDEX).read_bytes()
    assert main(["sections", "build", "--staged"]) == 0
    assert main(["sections", "check", "--staged"]) == 0
    assert (project / INDEX).read_bytes() == on_disk
    assert main(["sections", "check"]) == 1


def test_a_folder_that_is_no_repository_is_built_and_checked_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    root = write_files(tmp_path / "plain", {A: ONE, "knowledge/.hidden.md": ONE})
    assert main(["sections", "build", "--root", str(root)]) == 0
    assert main(["sections", "check", "--root", str(root)]) == 0
    assert list(json.loads((root / INDEX).read_text())) == [A]
    capsys.readouterr()
    done = run(capsys, "sections", "check", "--staged", "--root", str(root))
    assert done.code == 1
    assert "in no git work tree" in done.err


def test_a_bare_repository_has_no_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    done = run(capsys, "sections", "check", "--root", str(tmp_path / "bare.git"))
    assert done.code == 0
    assert "no corpus here" in done.err


def test_a_root_that_git_ignores_is_listed_by_the_file_system(tmp_path: Path):
    make_repository(tmp_path / "outer", {".gitignore": "inner/\n"})
    inner = write_files(tmp_path / "outer/inner", {A: ONE})
    assert main(["sections", "build", "--root", str(inner)]) == 0
    assert (inner / INDEX).is_file()


def test_a_submodule_s_corpus_is_its_own(project: Path, tmp_path: Path):
    outer = make_repository(tmp_path / "outer", {"knowledge/o.md": ONE})
    git(outer, "submodule", "--quiet", "add", str(project), "plugins/sub")
    assert main(["sections", "build", "--root", str(outer)]) == 0
    assert (outer / INDEX).is_file()
    assert not (outer / "plugins/sub" / INDEX).exists()
    assert main(["sections", "build", "--root", str(outer / "plugins/sub")]) == 0
    assert (outer / "plugins/sub" / INDEX).is_file()


def test_links_are_in_no_corpus(project: Path):
    (project / "knowledge/link.md").symlink_to("a.md")
    main(["sections", "build"])
    assert "link.md" not in (project / INDEX).read_text()


def settings(root: Path, text: str) -> None:
    (root / ".pit-memory.toml").write_text(text)


def test_several_corpora_have_each_an_index(project: Path, capsys: pytest.CaptureFixture[str]):
    write_files(project, {"guides/x/y.md": ONE, ".claude/rules/r.md": TWO})
    settings(
        project,
        "[[sections.corpora]]\n"
        '[[sections.corpora]]\nroot = "guides"\nfiles = ["**/*.md"]\nindex = "index.json"\n'
        '[[sections.corpora]]\nfiles = [".claude/rules/*.md"]\nindex = ".claude/index.json"\n',
    )
    done = run(capsys, "sections", "build")
    assert done.code == 0
    assert [line.partition(":")[0] for line in done.out.splitlines()] == [
        ".claude/index.json",
        INDEX,
        "guides/index.json",
    ]
    assert list(json.loads((project / "guides/index.json").read_text())) == ["x/y.md"]


@pytest.mark.parametrize("index", ["../outside.json", "/outside.json", "~/outside.json"])
def test_an_index_outside_of_the_project_is_not_written(
    project: Path, capsys: pytest.CaptureFixture[str], index: str
):
    settings(project, f'[[sections.corpora]]\nindex = "{index}"\n')
    done = run(capsys, "sections", "build")
    assert "sections.corpora is ignored" in done.err
    assert not (project.parent / "outside.json").exists()
    assert done.out.startswith(INDEX)


def test_an_index_behind_a_link_that_leaves_the_project_is_refused(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "outside").mkdir()
    (project / "out").symlink_to(tmp_path / "outside")
    settings(project, '[[sections.corpora]]\nindex = "out/index.json"\n')
    done = run(capsys, "sections", "build")
    assert done.code == 1
    assert "out/index.json" in done.err
    assert not (tmp_path / "outside/index.json").exists()


def test_a_configured_corpus_that_matches_nothing_fails_the_check(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    settings(project, '[[sections.corpora]]\n[[sections.corpora]]\nroot = "gides"\n')
    main(["sections", "build"])
    done = run(capsys, "sections", "check")
    assert done.code == 1
    assert "no file of gides matches" in done.err


def test_a_tree_without_a_corpus_is_said_to_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    root = str(write_files(tmp_path / "empty", {"README.md": "x"}))
    done = run(capsys, "sections", "check", "--root", root)
    assert (done.code, done.out) == (0, "")
    assert "no corpus here" in done.err
    assert run(capsys, "sections", "build", "--root", root).code == 1


def test_a_very_large_index_is_warned_about(project: Path, capsys: pytest.CaptureFixture[str]):
    many = "".join(f"## Heading number {n}\n\nA sentence that says {n}.\n\n" for n in range(900))
    (project / A).write_text(many)
    done = run(capsys, "sections", "build")
    assert "more than 20,000" in done.err
    assert "one index for each plugin" in done.err


@pytest.mark.usefixtures("project")
def test_check_as_json(capsys: pytest.CaptureFixture[str]):
    report = json.loads(run(capsys, "sections", "check", "--json").out)
    assert report["was_fresh"] is False
    assert report["indexes"][0]["index"] == INDEX
    assert report["repair"] == ["pit-memory sections build"]


@pytest.mark.usefixtures("project")
def test_show_names_the_sections_of_a_file_with_their_lines(capsys: pytest.CaptureFixture[str]):
    main(["sections", "build"])
    done = run(capsys, "sections", "show", "s/SKILL.md", "--lines")
    assert done.out.split("\n") == [
        "skills/s/SKILL.md",
        "  #one  L3-6  One: The first section.",
        "  #two  L7-9  Two: The second section.",
        "",
    ]
    done = run(capsys, "sections", "show", "skills/s/SKILL.md#two")
    assert done.out.split("\n")[1:] == ["  #two  Two: The second section.", ""]


@pytest.mark.usefixtures("project")
def test_show_finds_words_in_any_corpus(capsys: pytest.CaptureFixture[str]):
    main(["sections", "build"])
    done = run(capsys, "sections", "show", "--grep", "FIRST section")
    assert done.out.split("\n") == [
        "knowledge/a.md#one  One: The first section.",
        "skills/s/SKILL.md#one  One: The first section.",
        "",
    ]
    done = run(capsys, "sections", "show", "--grep", "nowhere")
    assert (done.code, done.out) == (0, "")
    assert "no section has 'nowhere'" in done.err


def test_show_without_an_index_builds_it_in_memory(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    assert "#one" in run(capsys, "sections", "show", A).out
    assert not (project / INDEX).exists()


@pytest.mark.usefixtures("project")
def test_show_names_the_nearest_of_what_is_not_there(capsys: pytest.CaptureFixture[str]):
    done = run(capsys, "sections", "show", "knowledge/aa.md")
    assert done.code == 1
    assert f"the nearest is {A}" in done.err
    done = run(capsys, "sections", "show", f"{A}#onne")
    assert "the nearest is one" in done.err
    assert run(capsys, "sections", "show").code == 2


@pytest.mark.parametrize("sections", [5, 30, 60, 400])
@pytest.mark.parametrize("arguments", [[A], [A, "--lines"], ["--grep", "sentence"]])
def test_show_answers_in_at_most_400_tokens_and_says_what_is_cut(
    project: Path, capsys: pytest.CaptureFixture[str], sections: int, arguments: list[str]
):
    many = "".join(f"## Heading {n}\n\nA sentence that says {n}.\n\n" for n in range(sections))
    (project / A).write_text(many)
    main(["sections", "build"])
    out = run(capsys, "sections", "show", *arguments).out
    assert estimate(out) <= ANSWER_TOKENS
    lines = out.rstrip("\n").split("\n")
    shown = sum("Heading" in line for line in lines)
    left = int(lines[-1].split(" ")[1]) if lines[-1].startswith("...") else 0
    assert shown + left == sections
    assert shown >= min(sections, 10)
