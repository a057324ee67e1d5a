"""The gates that this project offers, run on its own skills and memory; what it ships for CI."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from pit_memory.operations.gates.citations import check_project_citations
from pit_memory.operations.gates.git_attributes import gitattributes_line
from pit_memory.operations.gates.sections import build_sections, check_sections
from pit_memory.operations.quality.lint import lint
from pit_memory.operations.searching.searched_sources import own_source
from pit_memory.wiring import project_settings
from tests.builders import git, make_repository, write_files
from tests.shared_material import PROJECT

INDEX = "skills/index.json"
GUIDE = (PROJECT / "docs/section-index.md").read_text(encoding="utf-8")
SECTION_OF_GUIDE = (
    "## Pinning the client\n\nThe client is pinned since newer ones lack the search call.\n"
)


def test_our_own_section_index_is_fresh():
    report = check_sections(PROJECT, os.environ)
    assert [index.index for index in report.indexes] == [INDEX]
    assert (report.fresh, report.unmatched) == (True, ())


def test_every_citation_in_our_skills_and_memory_resolves():
    report = check_project_citations(PROJECT, os.environ)
    assert report.files >= len(list((PROJECT / "skills").glob("*/SKILL.md")))
    assert report.problems == ()


def test_our_own_documents_keep_the_doc_standard():
    settings = project_settings(PROJECT).settings
    report = lint(
        own_source(PROJECT, settings), settings, ["docs", "skills", "README.md", "CONTRIBUTING.md"]
    )
    assert report.files >= len(list((PROJECT / "docs").glob("*.md")))
    assert report.problems == ()


def test_git_is_told_that_the_index_is_generated():
    assert gitattributes_line(INDEX) in (PROJECT / ".gitattributes").read_text().split("\n")


@pytest.mark.parametrize("script", ["hooks/launch", "bin/pit-memory"])
def test_no_checkout_gives_a_shell_script_the_line_ends_of_windows(tmp_path, script: str):
    attributes = (PROJECT / ".gitattributes").read_text()
    root = make_repository(tmp_path / "p", {".gitattributes": attributes, script: "#!/bin/sh\n"})
    (root / script).unlink()
    git(root, "-c", "core.autocrlf=true", "checkout", "--", script)
    assert (root / script).read_bytes() == b"#!/bin/sh\n"


@pytest.mark.parametrize("path", ["knowledge/index.json", "my plugin/index.json"])
def test_git_reads_the_attributes_line_as_it_is_meant(tmp_path, path: str):
    root = make_repository(tmp_path / "p", {".gitattributes": gitattributes_line(path) + "\n"})
    said = git(root, "check-attr", "linguist-generated", "eol", "--", path)
    assert re.findall(r": (\S+)$", said, re.MULTILINE) == ["set", "lf"]


def test_the_jq_commands_of_the_guide_answer(tmp_path):
    if not shutil.which("jq"):
        pytest.skip("jq is not installed here")
    root = write_files(tmp_path / "p", {"knowledge/upgrades.md": SECTION_OF_GUIDE})
    build_sections(root, os.environ)
    (commands,) = re.findall(r"```sh\n(# the sections of a file.*?)```", GUIDE, re.DOTALL)
    done = subprocess.run(
        ["sh", "-ec", commands], cwd=root, capture_output=True, text=True, check=True
    )
    summary = "The client is pinned since newer ones lack the search call."
    assert done.stdout.split("\n") == [
        f"pinning-the-client\t{summary}",
        f"knowledge/upgrades.md#pinning-the-client\t{summary}",
        "1:## Pinning the client",
        "",
    ]


def test_the_guide_shows_an_index_as_it_is_built(tmp_path):
    (shown,) = re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    root = write_files(tmp_path / "p", {"knowledge/upgrades.md": SECTION_OF_GUIDE})
    build_sections(root, os.environ)
    assert (root / "knowledge/index.json").read_text() == shown


def test_the_guide_names_every_finding_of_the_citation_gate():
    source = (PROJECT / "mcp_server/pit_memory/core/corpus/citation_gate.py").read_text()
    rules = set(re.findall(r'return "([a-z-]+)", ', source))
    assert len(rules) == 6
    assert all(f"| `{rule}` |" in GUIDE for rule in rules)


def test_what_the_project_offers_to_ci_names_commands_that_exist():
    for name in (".pre-commit-hooks.yaml", "action.yml"):
        text = (PROJECT / name).read_text()
        assert "sections check" in text
        assert "citations check" in text


def test_the_script_of_the_action_checks_a_project(tmp_path):
    """Its steps, run as a runner would, with this package in place of the installed one."""
    steps = yaml.safe_load((PROJECT / "action.yml").read_text())["runs"]["steps"]
    tool = tmp_path / "pit-memory/bin/pit-memory"
    script = (
        f'#!/bin/sh\nPYTHONPATH={PROJECT}/mcp_server exec {sys.executable} -m pit_memory "$@"\n'
    )
    write_files(tmp_path, {"pit-memory/bin/pit-memory": script})
    tool.chmod(0o755)
    neighbour = write_files(tmp_path / "security", {"knowledge/a.md": "## One\n"})
    project = write_files(
        tmp_path / "project",
        {"knowledge/b.md": "## Two\n", "CLAUDE.md": "security/knowledge/a.md#one\n"},
    )
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(tmp_path),
        "ROOT": str(project),
        "NEIGHBOURS": f"{neighbour}\n",
    }

    def codes() -> list[int]:
        return [
            subprocess.run(["bash", "-ec", step["run"]], env=environment, check=False).returncode
            for step in steps[1:]
        ]

    assert codes() == [1, 1]
    build_sections(project, os.environ)
    build_sections(neighbour, os.environ)
    assert codes() == [0, 0]
