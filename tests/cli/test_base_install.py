"""What CI installs: the parser, YAML and the command line, no search engine, no model."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pit_memory.cli.app import OPTIONAL_LIBRARIES
from tests.builders import make_repository
from tests.shared_material import PROJECT

ONE = "# A\n\n## One\n\nThe first section says what there is to say.\n"
MISSING = tuple(OPTIONAL_LIBRARIES)
MODULES = {"PyStemmer": "Stemmer"}
"""Of libraries that are imported by another name than they are installed by."""
START = f"""
import sys
sys.modules.update(dict.fromkeys({MISSING!r}))
from pit_memory.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(root: Path, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START, *line.split()],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(PROJECT / "mcp_server")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        "sections build",
        "sections check",
        "sections check --staged",
        "sections show knowledge/a.md --lines",
        "sections show --grep first",
        "citations check",
        "lint knowledge",
        "hooks install",
        "read knowledge/a.md#one",
        "--help",
    ],
)
def test_the_gates_run_without_the_search_libraries(tmp_path: Path, arguments: str):
    files = {"knowledge/a.md": ONE, "knowledge/index.json": "{}\n"}
    root = make_repository(tmp_path / "p", files)

    run(root, "sections build")
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    done = run(root, arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        "search first",
        "sync",
        "status",
        "eval run",
        "doctor",
        "facts list",
        "remember --kind gotcha x",
        "incidents list",
        "docs list",
        "init --yes",
    ],
)
def test_what_needs_a_search_library_says_how_to_get_it(tmp_path: Path, arguments: str):
    root = make_repository(tmp_path / "p", {"knowledge/a.md": ONE, "q.jsonl": ""})
    if arguments == "eval run":
        arguments += " --queries q.jsonl --out r.jsonl"
    done = run(root, arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert "is not installed: this installation has the gates alone" in done.stderr


def test_every_library_of_an_extra_is_known_to_be_left_out():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    required = [line for lines in project["optional-dependencies"].values() for line in lines]
    names = {re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in required}
    modules = {MODULES.get(name, name.replace("-", "_")) for name in names}
    assert modules == OPTIONAL_LIBRARIES
