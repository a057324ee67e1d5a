"""What `memory show` and `memory lint` say of a project."""

import os
from pathlib import Path

import pytest

from pit_memory.core.tokens import estimate
from pit_memory.operations.push.memory import lint_memory, show_memory
from pit_memory.workspace.places import places
from tests.builders import write_files
from tests.hooks.launching import environment, point_to_this_python, run_hook
from tests.shared_material import PROJECT

TRIGGER = "---\nmetadata:\n  trigger_tool: Bash\n  trigger_pattern: '{}'\n---\nBeware of {}.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path.resolve() / "project", {"docs/a.md": "# A\n\n## B\n\nText.\n"})


def lint(root: Path) -> list[tuple[str, int, str]]:
    report = lint_memory(root, places(os.environ), os.environ, PROJECT)
    return [(problem.place, problem.line, problem.rule) for problem in report.problems]


def show(root: Path):
    return show_memory(root, places(os.environ), os.environ, PROJECT)


def test_show_is_what_the_hook_prints(root: Path, home: Path):
    write_files(
        root, {"memory/gotcha_x.md": TRIGGER.format("rm", "it"), "memory/MEMORY.md": "Hi.\n"}
    )
    point_to_this_python(home)
    env = environment(home, root) | {"PIT_MEMORY_CONFIG": os.environ["PIT_MEMORY_CONFIG"]}
    run = run_hook("session_start", {}, env, root)
    assert show(root).text == run.context + "\n"
    assert show(root).subagent == run_hook("subagent_start", {}, env, root).context + "\n"


def test_show_names_every_entry_with_its_cost(root: Path):
    write_files(root, {"memory/gotcha_x.md": "Beware of the dog.\n"})
    shown = show(root)
    (part,) = (part for part in shown.parts if part.entry.slug == "x")
    assert (part.entry.place, part.is_shown) == ("memory/gotcha_x.md", True)
    assert part.tokens == estimate("- Beware of the dog.")
    assert shown.tokens == estimate(shown.text) <= shown.budget


def test_good_entries_have_no_problem(root: Path):
    write_files(
        root,
        {
            "memory/gotcha_x.md": TRIGGER.format(r"git\s+push.*--force", "docs/a.md#b"),
            "memory/rule_y.md": "See [B](../docs/a.md#b), CLAUDE.md, https://x.org/docs/no.md, "
            "`docs/<name>.md` and docs/*.md.\n",
            "memory/paging.md": "A document beside the entries.\n",
        },
    )
    assert lint(root) == []


@pytest.mark.parametrize("pattern", ["(a+)+$", "(", "a**"])
def test_a_pattern_that_is_refused_is_a_problem(root: Path, pattern: str):
    write_files(root, {"memory/gotcha_x.md": TRIGGER.format(pattern, "it")})
    assert lint(root) == [("memory/gotcha_x.md", 0, "trigger")]


def test_a_pattern_that_is_slow_on_long_texts_is_a_problem(root: Path):
    write_files(root, {"memory/gotcha_x.md": TRIGGER.format(".*.*.*x=", "it")})
    assert lint(root) == [("memory/gotcha_x.md", 0, "slow-pattern")]


def test_dead_refs_are_told_with_their_line(root: Path):
    write_files(root, {"memory/rule_x.md": "Fine: docs/a.md#b\n\nNot: docs/a.md#c or docs/no.md\n"})
    assert lint(root) == [("memory/rule_x.md", 3, "dead-ref")] * 2


def test_two_entries_with_one_slug_are_a_problem(root: Path):
    write_files(root, {"memory/gotcha_x.md": "Beware.\n", "memory/rule_x.md": "Another thing.\n"})
    assert lint(root) == [("memory/rule_x.md", 0, "duplicate")]


def test_what_is_said_twice_is_a_problem(root: Path):
    write_files(
        root,
        {
            "memory/gotcha_x.md": "Beware of the dog.\n",
            "memory/rule_z.md": "Beware: of the *dog*!\n",
        },
    )
    assert lint(root) == [("memory/rule_z.md", 0, "duplicate")]


def test_over_the_budget_is_a_problem_that_names_what_is_left_out(root: Path):
    write_files(root, {f"memory/rule_r{at}.md": f"No {at} " + "word " * 200 for at in range(9)})
    report = lint_memory(root, places(os.environ), os.environ, PROJECT)
    (problem,) = report.problems
    assert (problem.place, problem.rule) == ("memory", "over-budget")
    assert "rule r8" in problem.message


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"memory": "a file"}, [("memory", 0, "folder")]),
        ({"memory/rule_x.md": b"\x00\xff binary"}, [("memory/rule_x.md", 0, "unreadable")]),
        ({"memory/rule_x.md": "x" * 64_001}, [("memory/rule_x.md", 0, "unreadable")]),
        ({"memory/rule_x.md": b"caf\xe9\n"}, [("memory/rule_x.md", 0, "encoding")]),
        ({"memory/rule_x.md": ""}, [("memory/rule_x.md", 0, "empty")]),
        (
            {"memory/rule_x.md": "---\nname: [x\n---\nx\n"},
            [("memory/rule_x.md", 2, "front-matter")],
        ),
    ],
)
def test_what_cannot_be_read_is_a_problem(root: Path, files, expected):
    write_files(root, files)
    assert lint(root) == expected


def test_a_memory_folder_that_leads_out_of_the_project_is_not_read(root: Path, tmp_path: Path):
    outside = write_files(tmp_path / "outside", {"rule_x.md": "Obey.\n"})
    (root / "memory").symlink_to(outside)
    assert lint(root) == [("memory", 0, "folder")]
    assert "Obey" not in show(root).text


def test_an_entry_that_leads_out_of_the_project_is_not_read(root: Path, tmp_path: Path):
    outside = write_files(tmp_path / "outside", {"secret.md": "Obey.\n"}) / "secret.md"
    write_files(root, {"memory/rule_y.md": "Yes.\n", "shared/rule_z.md": "Shared.\n"})
    (root / "memory/rule_x.md").symlink_to(outside)
    (root / "memory/rule_z.md").symlink_to("../shared/rule_z.md")
    assert lint(root) == [("memory/rule_x.md", 0, "unreadable")]
    text = show(root).text
    assert "Obey" not in text
    assert "Shared." in text


def test_a_pipe_in_the_folder_is_never_waited_for(root: Path):
    write_files(root, {"memory/rule_y.md": "Yes.\n"})
    os.mkfifo(root / "memory/rule_x.md")
    assert lint(root) == [("memory/rule_x.md", 0, "unreadable")]


def test_personal_entries_are_checked_too_and_may_cite_any_project(root: Path, home: Path):
    write_files(home / "config/memory", {"rule_x.md": "See docs/no.md#x.\n", "rule_y.md": ""})
    (problem,) = lint(root)
    assert problem == (str(home / "config/memory/rule_y.md"), 0, "empty")
